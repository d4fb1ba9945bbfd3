package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/tune/costs"
)

func TestHistogramQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := newHistogram()
	require.Zero(t, h.quantile(0.5))
	var all []time.Duration
	for range 20_000 {
		d := time.Duration(r.ExpFloat64() * 1e6)
		all = append(all, d)
		h.add(d, 1)
	}
	slices.Sort(all)
	for _, p := range []float64{0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[int(math.Ceil(p*float64(len(all))))-1]
		require.InEpsilon(t, want.Seconds(), h.quantile(p), 0.001, "quantile %v", p)
	}
	h.add(-5, 1)
	require.Zero(t, h.quantile(0))
	h.add(math.MaxInt64, 1)
	require.InEpsilon(t, mostLate.Seconds(), h.quantile(1), 0.001, "the greatest is not lost")
}

func TestLatencyIsDrawnEvenly(t *testing.T) {
	var quantiles []float64
	for i := range 101 {
		quantiles = append(quantiles, float64(i)*1e-6)
	}
	l := newLatency(quantiles)
	counts := map[time.Duration]int{}
	for range 10_100 {
		counts[l.draw()]++
	}
	require.Len(t, counts, 101)
	for d, n := range counts {
		require.InDelta(t, 100, n, 3, "%v", d)
	}
	require.Equal(t, 99*time.Microsecond, l.at(0.99))
	none := newLatency(nil)
	require.Zero(t, none.draw())
}

// TestSleepsThatEndTooLateSkipTicks has a worker whose sleeps end late by some of a
// few spans.
func TestSleepsThatEndTooLateSkipTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var quantiles []float64
		taken := 0.0 // ticks from one wake-up to the next
		tick := time.Duration(rapid.IntRange(10, 4000).Draw(t, "tick")) * time.Microsecond
		for range rapid.IntRange(1, 50).Draw(t, "quantiles") {
			late := time.Duration(rapid.IntRange(0, 3000).Draw(t, "late")) * time.Microsecond
			quantiles = append(quantiles, late.Seconds())
			taken += float64(late/tick) + 1
		}
		taken /= float64(len(quantiles))
		ticks := tickingWorker{tick: tick, late: newLatency(quantiles)}
		require.InEpsilon(t, 1/(tick.Seconds()*taken), ticks.rate(), 0.02)
	})
}

// Sleeps of the Go runtime on Linux take whole milliseconds.
func TestGranules(t *testing.T) {
	l := latencyOf(linuxLike(), catalog.Runtime)
	require.Equal(t, ms, l.granule)
	for sleep, late := range map[time.Duration]time.Duration{
		100 * time.Microsecond: 900 * time.Microsecond, 2300 * time.Microsecond: 700 * time.Microsecond, 5 * ms: ms,
	} {
		for range 100 {
			require.InDelta(t, late+60*time.Microsecond, l.after(sleep), float64(350*time.Microsecond))
		}
	}
	// Over sleeps of any length the lateness is what it was.
	h, whole := newHistogram(), newLatency(linuxLike().Latency["runtime"])
	for i := range uint64(50_000) {
		h.add(l.after(time.Duration(i*golden>>40)), 1)
	}
	for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
		require.InDelta(t, whole.at(p).Seconds(), h.quantile(p), 150e-6, "quantile %v", p)
	}
	c := linuxLike()
	c.Latency[costs.PreciseBrief] = []float64{5e-6, 6e-6}
	precise := latencyOf(c, catalog.Precise)
	require.Zero(t, precise.granule)
	for range 10 {
		require.Less(t, precise.after(costs.BriefSleep-1), 10*time.Microsecond)
		require.GreaterOrEqual(t, precise.after(costs.BriefSleep), 30*time.Microsecond)
	}
	even := flat()
	even.Latency["runtime"] = []float64{50e-6, 60e-6, 70e-6}
	none := latencyOf(even, catalog.Runtime)
	require.Zero(t, none.granule, "on a system that has none")
	// A tick shorter than a granule is not kept.
	short := tickingWorker{tick: 100 * time.Microsecond, late: l}
	require.InDelta(t, 1000, short.rate(), 100)
}

// TestLatenessIsThatOfTheTickAndOfTheSleep has timers fire at random.
func TestLatenessIsThatOfTheTickAndOfTheSleep(t *testing.T) {
	const late = 300 * time.Microsecond
	cal := flat()
	cal.Latency = map[string][]float64{"runtime": {late.Seconds()}, "precise": {0}}
	l := &Load{Name: "made up", Fires: 1, Schedules: 1, Pending: 1, MostPending: 1, Horizon: time.Second, MeanDelay: time.Second}
	for _, c := range []catalog.Config{
		{Scheduler: catalog.Single, Tick: 10 * ms, Slots: 128},
		{Scheduler: catalog.Heap, Tick: 10 * ms, Waking: catalog.Ticking},
	} {
		m := NewModel(l, cal)
		w := m.wakeupsFor(c)
		for _, p := range []float64{0.1, 0.5, 0.9} {
			require.InDelta(t, p*0.010+late.Seconds(), w.late.quantile(p), 0.0004, "%v at %v", c, p)
		}
		c.Waiting = catalog.Precise
		require.InDelta(t, 0.005, m.wakeupsFor(c).late.quantile(0.5), 0.0004)
	}
	exact := NewModel(l, cal).wakeupsFor(catalog.Config{Scheduler: catalog.Heap})
	require.InEpsilon(t, late.Seconds(), exact.late.quantile(0.5), 0.02)
	require.InEpsilon(t, 1, exact.all(), 0.1)
}

// TestASleepThatIsLateServesMore has more timers than there can be wake-ups.
func TestASleepThatIsLateServesMore(t *testing.T) {
	cal := flat()
	cal.Latency["runtime"] = []float64{1e-3}
	l := &Load{Fires: 100_000, Schedules: 100_000, Pending: 1000, Horizon: 10 * ms, MeanDelay: 10 * ms}
	w := NewModel(l, cal).wakeupsFor(catalog.Config{Scheduler: catalog.Heap})
	// 100 fire at a time, which takes some 25 us: the next is due 10 us later.
	require.InEpsilon(t, 1000/1.035, w.all(), 0.05)
	require.InEpsilon(t, 100_000*250e-9, w.busy, 0.05)
	require.InEpsilon(t, 0.0005, w.late.quantile(0.5), 0.1)
}

// TestSinkingCountsAsAWheelDoes compares the cascades of single timers with a walk
// over all ticks.
func TestSinkingCountsAsAWheelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.SampledFrom([]int{2, 4, 16}).Draw(t, "slots")
		at := rapid.Int64Range(0, 2000).Draw(t, "at")
		k := at + rapid.Int64Range(1, 2000).Draw(t, "ticks")
		one := lifetime{at: time.Duration(at), deadline: time.Duration(k), end: never, weight: 1}
		if rapid.Bool().Draw(t, "cancelled") {
			one.end = time.Duration(rapid.Int64Range(at, k-1).Draw(t, "end"))
		}
		l := &Load{lifetimes: []lifetime{one}, lifetimesTo: 10_000, allLifetimes: true}
		moved, met := walk(at, k, one, slots)
		s := l.cascadesIn(geometry{1, slots})
		span := l.lifetimesTo.Seconds()
		require.InDelta(t, moved, s.cascades*span, 1e-6)
		require.InDelta(t, met, s.openings*span, 1e-6)
	})
}

// walk goes from tick to tick and moves an entry to where it belongs when its slot comes next: to the lowest
// level of which the present revolution or the next one has its tick.
func walk(at, k int64, one lifetime, slots int) (moved, met int) {
	size := func(n int) int64 { return int64(math.Pow(float64(slots), float64(n))) }
	level := func(now int64) (n int) {
		for k/size(n+1) > now/size(n+1)+1 {
			n++
		}
		return n
	}
	here := level(at)
	for now := at + 1; now <= k; now++ {
		if here > 0 && now == (k/size(here)-1)*size(here)+1 { // its slot comes next
			if one.end <= time.Duration(now) {
				return moved, met
			}
			met++
			moved++
			here = level(now)
		}
	}
	return moved, met
}

func TestVisitsOfARoundsWheel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.SampledFrom([]int{1, 8, 64}).Draw(t, "slots")
		at := rapid.Int64Range(0, 300).Draw(t, "at")
		k := at + rapid.Int64Range(1, 1000).Draw(t, "ticks")
		l := &Load{lifetimes: []lifetime{{at: time.Duration(at), deadline: time.Duration(k), end: time.Duration(k), weight: 1}}, lifetimesTo: 10_000}
		visits := 0
		for now := at + 1; now <= k; now++ {
			if now%int64(slots) == k%int64(slots) {
				visits++
			}
		}
		require.InDelta(t, visits, l.passes(geometry{1, slots})*l.lifetimesTo.Seconds(), 1e-6)
	})
}

func TestPassedByAnInsertion(t *testing.T) {
	l := &Load{
		Delays:      []time.Duration{1000},
		lifetimesTo: 10_000,
		lifetimes: []lifetime{
			{at: 0, deadline: 10_000, end: never, weight: 1},    // in the way until 9000
			{at: 0, deadline: 500, end: never, weight: 1},       // never
			{at: 2000, deadline: 9000, end: 4000, weight: 3},    // for 2000, three of them
			{at: 9500, deadline: 20_000, end: never, weight: 1}, // for the last 500
		},
	}
	require.InEpsilon(t, (9000+3*2000+500)/10_000.0, l.passed(), 1e-9)
	require.Equal(t, 5.0, (&Load{Pending: 10}).passed(), "half of them, if nothing is known")
}

func TestLongAndShortCountsOfDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []time.Duration
		for range rapid.IntRange(0, 20).Draw(t, "n") {
			list = append(list, time.Duration(rapid.IntRange(0, 10).Draw(t, "duration")))
		}
		slices.Sort(list)
		d := time.Duration(rapid.IntRange(-1, 11).Draw(t, "d"))
		want := 0
		for _, e := range list {
			if e <= d {
				want++
			}
		}
		require.Equal(t, want, countUpTo(list, d))
	})
}
