package quiet

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// readings returns a watch that reads a quiet processor first and then some times, the last again and again.
func readings(took ...time.Duration) *Watch {
	took = append(slices.Repeat([]time.Duration{undisturbed}, firstReadings+1), took...)
	w := NewWatch(1, MostLost, &Use{})
	w.letIn = func() int64 { return 0 }
	w.read = func() time.Duration {
		next := took[0]
		if len(took) > 1 {
			took = took[1:]
		}
		return next
	}
	return w
}

const undisturbed, disturbed = 8000, 12000

func TestASampleThatWasDisturbedIsTakenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		readings []time.Duration
		samples  int
	}{
		"undisturbed":        {[]time.Duration{undisturbed}, 1},
		"a little longer":    {[]time.Duration{undisturbed + undisturbed/40}, 1},
		"disturbed at first": {[]time.Duration{disturbed, disturbed, undisturbed}, 1}, // it waits
		"disturbed in it":    {[]time.Duration{undisturbed, disturbed, undisturbed}, 2},
		"disturbed twice":    {[]time.Duration{undisturbed, disturbed, undisturbed, disturbed, undisturbed}, 3},
	} {
		w, prepared, taken := readings(c.readings...), 0, 0
		w.Keep(time.Hour) // there is time
		require.NoError(t, w.Sample(func() { prepared++ }, func() error { taken++; return nil }), name)
		require.Equal(t, []int{c.samples, c.samples}, []int{prepared, taken}, name)
	}
}

func TestAWatchAnewKnowsTheProcessor(t *testing.T) {
	w := readings(disturbed)
	w.Begin(0, 0)
	w.Lose(time.Hour)
	anew := w.Anew()
	require.Equal(t, time.Millisecond, anew.Left())
	anew.Begin(0, 0)
	require.False(t, anew.Undisturbed(0), "it would not know by what it reads now")
}

func TestNoMoreTimeIsLostThanSamplesTake(t *testing.T) {
	w := NewWatch(1, MostLost, &Use{})
	require.Equal(t, time.Millisecond, w.Left())
	w.Keep(time.Millisecond)
	require.Equal(t, 3*time.Millisecond, w.Left())
	w.Lose(time.Millisecond)
	require.Equal(t, 2*time.Millisecond, w.Left())
	w.Lose(time.Second)
	require.Zero(t, w.Left())
	require.Equal(t, Use{Kept: time.Millisecond, Lost: time.Second + time.Millisecond}, *w.all)
	w.Anew().Lose(time.Second)
	require.Equal(t, 2*time.Second+time.Millisecond, w.all.Lost, "of all of the process")

	hurried := NewWatch(1, 0, &Use{})
	hurried.Keep(time.Hour)
	require.Zero(t, hurried.Left())
}

func TestASampleThatIsDisturbedForEverCountsInTheEnd(t *testing.T) {
	w, taken := readings(disturbed), 0
	require.NoError(t, w.Sample(func() {}, func() error { taken++; return nil }))
	require.Positive(t, taken)
	require.Less(t, w.Left(), time.Millisecond)
}

func TestASampleThatAnotherThreadInterruptsIsDisturbed(t *testing.T) {
	w, naps := readings(undisturbed), int64(7)
	w.letIn = func() int64 { return naps }
	w.Begin(0, 0)
	require.True(t, w.Undisturbed(0))
	naps++
	w.cores[0].start = time.Now().Add(-time.Second)
	require.True(t, w.Undisturbed(0), "50 µs of a second")
	naps += int64(time.Hour / switchTakes)
	require.False(t, w.Undisturbed(0), "an hour of a second")
}

func TestSettlingEndsThoughThreadsAreLetInAllTheTime(t *testing.T) {
	naps := int64(0)
	settle(func() int64 { naps++; return naps })
	require.Greater(t, naps, int64(1))
}

func TestAProcessorThatIsSlowerForGoodIsUndisturbed(t *testing.T) {
	w := readings(9000)
	for n := 0; ; n++ {
		w.Begin(0, 0)
		if w.Undisturbed(0) {
			break
		}
		require.Less(t, n, forgottenIn)
	}
}

func TestTheFirstReadingIsNoMeasure(t *testing.T) {
	w := NewWatch(1, MostLost, &Use{})
	took := time.Duration(disturbed)
	w.read = func() time.Duration { defer func() { took = undisturbed }(); return took }
	w.Begin(0, 0)
	took = disturbed
	require.False(t, w.Undisturbed(0))
}

func TestASampleThatFailsIsNotTakenAgain(t *testing.T) {
	broken, taken := errors.New("broken"), 0
	require.ErrorIs(t, readings(undisturbed, disturbed).Sample(func() {}, func() error { taken++; return broken }), broken)
	require.Equal(t, 1, taken)
}

func TestWithoutAWatchEverythingCounts(t *testing.T) {
	var none *Watch
	taken := 0
	require.NoError(t, none.Sample(func() {}, func() error { taken++; return nil }))
	require.Equal(t, 1, taken)
	require.True(t, none.Undisturbed(1))
	require.Zero(t, none.Left())
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
		lost      []int // that do not count
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
		"of all, with those that do not count":  {took: us(1, 50, 50, 9), collected: []int{3}, lost: []int{1, 2}, want: 30},
		"nothing but collections":               {took: us(5, 15), collected: []int{0, 1}, want: 100},
		"a stop beside a collection":            {took: us(1, 1, 900, 1, 9), collected: []int{4}, want: (4*10 + 90) / 5.0},
		"a collection, and others do not count": {took: us(1, 9), collected: []int{1}, lost: []int{0}, want: 90},
		"none at all":                           {},
	} {
		p := Parts{Ops: 100}
		for i, took := range c.took {
			p.Add(took, slices.Contains(c.collected, i), !slices.Contains(c.lost, i))
		}
		require.InDelta(t, c.want, p.PerOp(c.stretch), 1e-9, name)
		require.Equal(t, 100*len(c.took), p.Done(), name)
		require.Equal(t, 100*(len(c.took)-len(c.lost)), p.Len(), name)
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
