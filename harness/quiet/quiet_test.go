package quiet

import (
	"runtime"
	"runtime/debug"
	"slices"
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
	us := func(took ...time.Duration) []time.Duration {
		for i := range took {
			took[i] *= time.Microsecond
		}
		return took
	}
	for name, c := range map[string]struct {
		took      []time.Duration
		collected []int
		stretch   int
		want      float64
	}{
		"all alike":                             {took: us(1, 1, 1), want: 10},
		"the machine stops in one":              {took: us(1, 1, 900, 1, 1), want: 10},
		"what is done every second time counts": {took: us(1, 9, 1, 9, 1, 9), stretch: 200, want: 50},
		"and does not if stretches are shorter": {took: us(1, 1, 9, 1, 1, 9), stretch: 100, want: 10},
		"a stretch of more than there is":       {took: us(1, 3), stretch: 10_000, want: 20},
		"the last stretch has the rest":         {took: us(1, 1, 4), stretch: 200, want: 20},
		"a collection counts by its share":      {took: us(1, 1, 1, 9), collected: []int{3}, want: 30},
		"nothing but collections":               {took: us(5, 15), collected: []int{0, 1}, want: 100},
		"a stop beside a collection":            {took: us(1, 1, 900, 1, 9), collected: []int{4}, want: (4*10 + 90) / 5.0},
		"none at all":                           {},
	} {
		p := Parts{Ops: 100}
		for i, took := range c.took {
			p.Add(took, slices.Contains(c.collected, i))
		}
		require.InDelta(t, c.want, p.PerOp(c.stretch), 1e-9, name)
		require.Equal(t, 100*len(c.took), p.Len(), name)
	}
}

// madeCollections returns collections of which the readings are made up.
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
