package quiet

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSettlingEndsThoughThreadsAreLetInAllTheTime(t *testing.T) {
	naps := int64(0)
	settle(func() int64 { naps++; return naps })
	require.Greater(t, naps, int64(1))
}

func TestWhatAnOperationTakesInParts(t *testing.T) {
	const collects = -1 // a part that takes this much less than nothing took it, and garbage was collected
	for name, c := range map[string]struct {
		turns [][]time.Duration // of parts, in microseconds
		want  []float64
		mean  float64
	}{
		"a figure for each turn":                   {[][]time.Duration{{1}, {2}, {900}}, []float64{10, 20, 9000}, 3010},
		"later parts find warm caches":             {[][]time.Duration{{3, 1, 1}, {4, 1}, {5, 1}}, []float64{30, 40, 50}, 40},
		"what few parts have is the cost of all":   {[][]time.Duration{{3, 1, 1}, {3, 1, 8}, {3, 1}}, []float64{38.75, 38.75, 38.75}, 38.75},
		"a collection is, too":                     {[][]time.Duration{{3, 1}, {3, 9 * collects}}, []float64{50, 50}, 50},
		"beside later parts that all have one":     {[][]time.Duration{{3}, {3, 9 * collects}}, []float64{50, 50}, 50},
		"a first part with one is as others, then": {[][]time.Duration{{1}, {10 * collects}, {1}}, []float64{40, 40, 40}, 40},
		"nothing is taken off":                     {[][]time.Duration{{1}, {9, 9}, {9, 9}}, []float64{10, 90, 90}, 74},
		"nothing but collections":                  {[][]time.Duration{{5 * collects}, {15 * collects}}, []float64{100, 100}, 100},
		"no turn has no figure":                    {nil, nil, math.NaN()},
	} {
		p, parts := Parts{Ops: 100}, 0
		for _, turn := range c.turns {
			p.NewTurn()
			for _, took := range turn {
				p.Add(max(took, took*collects)*time.Microsecond, took < 0)
				parts++
			}
		}
		require.InDeltaSlice(t, c.want, p.PerOp(), 1e-9, name)
		require.InDelta(t, c.mean, p.Mean(), 1e-9, name)
		require.Equal(t, 100*parts, p.Len(), name)
	}
}

func madeCollections(readings ...[2]uint64) Collections {
	return Collections{Read: func() (cycles, pauses uint64) {
		next := readings[0]
		readings = readings[1:]
		return next[0], next[1]
	}}
}

func TestAChunkIsMarkedFromTheBeginningOfACollectionToItsSweeping(t *testing.T) {
	c := madeCollections(
		[2]uint64{3, 6}, [2]uint64{3, 6}, // nothing
		[2]uint64{3, 7}, [2]uint64{3, 7}, // it has begun, and goes on
		[2]uint64{4, 7}, // it has marked; its second pause is not counted yet
		[2]uint64{4, 8}, // now it is
		[2]uint64{4, 8}, [2]uint64{4, 8},
		[2]uint64{5, 10}, [2]uint64{5, 10}, [2]uint64{5, 10}, // a whole one between two readings
		[2]uint64{5, 10},
	)
	c.Start()
	var ran []bool
	for range 10 {
		ran = append(ran, c.Ran())
	}
	require.Equal(t, []bool{false, true, true, true, true, false, false, true, true, false}, ran)
}

func TestCollectionsAreRead(t *testing.T) {
	c := NewCollections()
	c.Start()
	runtime.GC()
	require.True(t, c.Ran(), "it has ended since")
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Ran() }))
}

func TestWhatIsAllocatedTakesTheRoomBeforeTheNextCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	kept := make([]byte, 8<<20)
	debug.SetGCPercent(100)
	runtime.GC()
	room, before := Room(), Allocated()
	require.InDelta(t, 8<<20, room, 4<<20)
	more := make([]byte, 1<<20)
	require.InDelta(t, 1<<20, Allocated()-before, 1<<18)
	runtime.KeepAlive(kept)
	runtime.KeepAlive(more)
}
