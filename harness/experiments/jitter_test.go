package experiments

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/live"
)

const ms = time.Millisecond

// lateness returns what became of timers that were all due at 10 ms and were late by the
// given times, or early.
func lateness(late ...time.Duration) *live.Outcome {
	out := &live.Outcome{Fired: len(late)}
	for i, l := range late {
		if l < 0 {
			out.Early++
		}
		out.Firings = append(out.Firings, live.Firing{Timer: int32(i), At: 10*ms + l, Deadline: 10 * ms})
	}
	return out
}

// added adds an outcome to a series of a session that nobody watches for stalls.
func added(t *testing.T, series *rundata.Series, out *live.Outcome, counts func(int32) bool) rundata.Values {
	t.Helper()
	return must.Get((&harness.Session{}).AddOutcome(series, out, counts))(t)
}

func TestWhatWentWrongIsCountedAndLatenessRecorded(t *testing.T) {
	wrong := lateness(ms, ms)
	wrong.Lost, wrong.Doubled = 1, 2
	for _, c := range []struct {
		name                         string
		out                          *live.Outcome
		ok, early, lost, doubled     float64
		inLate, inEarly              int64
		median, p99, most, mostEarly time.Duration
	}{
		{"all on time", lateness(0, 0, 0), 3, 0, 0, 0, 3, 0, 1, 1, 1, 0},
		{"late by 1, 2 and 3 ms", lateness(ms, 2*ms, 3*ms), 3, 0, 0, 0, 3, 0, 2 * ms, 3 * ms, 3 * ms, 0},
		{"one lost, two doubled", wrong, 2, 0, 1, 2, 2, 0, ms, ms, ms, 0},
		{"none", lateness(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{"one early", lateness(-2*ms, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 2 * ms},
		{"one early by a nanosecond", lateness(-1, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 1},
		{"one before it was to be", lateness(-10*ms, ms, ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 10 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			series := rundata.NewSeries(rundata.Jitter)
			values := added(t, series, c.out, nil)
			require.Equal(t, []float64{c.ok, c.early, c.lost, c.doubled},
				[]float64{values[rundata.Fired], values[rundata.Early], values[rundata.Lost], values[rundata.Doubled]})
			require.Equal(t, c.inLate, series.Late.TotalCount())
			require.Equal(t, c.inEarly, series.Early.TotalCount())
			near(t, c.median, values[rundata.P50Late])
			near(t, c.p99, values[rundata.P99Late])
			near(t, c.most, values[rundata.MaxLate])
			near(t, c.mostEarly, float64(series.Early.Max()))
		})
	}
}

// near requires a value to be what was recorded, as a histogram reads it: exact
// to a thousandth.
func near(t *testing.T, want time.Duration, got float64) {
	t.Helper()
	require.InDelta(t, float64(want), got, float64(want)/1000)
}

func TestLatenessAddsUpOverRounds(t *testing.T) {
	series := rundata.NewSeries(rundata.Jitter)
	added(t, series, lateness(ms, ms), nil)
	second := added(t, series, lateness(-1, 8*ms), nil)
	require.Equal(t, int64(3), series.Late.TotalCount())
	require.Equal(t, int64(1), series.Early.TotalCount())
	near(t, 8*ms, second[rundata.P50Late]) // of its own round
	added(t, series, lateness(ms, ms), func(timer int32) bool { return timer == 1 })
	require.Equal(t, int64(4), series.Late.TotalCount(), "some do not count")
}

func TestTheMaximumIsNeverTrimmedAway(t *testing.T) {
	h := rundata.NewHistogram()
	rundata.Record(h, time.Hour)
	rundata.Record(h, math.MaxInt64)
	rundata.Record(h, 0)
	require.Equal(t, int64(3), h.TotalCount())
	require.GreaterOrEqual(t, h.Max(), int64(time.Minute))
}

// arrivalsOf returns the arrivals of a round of a plan.
func arrivalsOf(t *testing.T, p *harness.Plan, round int) *live.Slice {
	return arrivingIn(p, "jitter", p.Slice, minDelay).draw(sessionOf(t, p), round)
}

func TestArrivalsAreTheSameForAllAndDifferByRound(t *testing.T) {
	p := tiny(sound("a"))
	p.Slice, p.Rate = 10*time.Second, 1000
	a := arrivalsOf(t, p, 0)
	require.Equal(t, a, arrivalsOf(t, p, 0))
	require.NotEqual(t, a, arrivalsOf(t, p, 1))
	require.InDelta(t, 10_000, a.Timers, 500)
	require.Len(t, a.Ops, a.Timers)
	for i, op := range a.Ops {
		require.Less(t, op.At, p.Slice)
		require.GreaterOrEqual(t, op.Deadline, op.At+minDelay)
		require.Less(t, op.Deadline, op.At+maxDelay+2*ms, "handed over a little ahead")
		if i > 0 {
			require.GreaterOrEqual(t, op.At, a.Ops[i-1].At)
		}
	}
}

func TestTheShortestSliceHasAnArrival(t *testing.T) {
	p := tiny(sound("a"))
	p.Rate = 1
	for round := range 20 {
		require.NotZero(t, arrivalsOf(t, p, round).Timers)
	}
}

func TestALiveContestantThatCannotBeUsedIsAnErrorAndIsClosed(t *testing.T) {
	needUsage(t)
	for _, experiment := range []string{rundata.Jitter, rundata.Idle} {
		synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left behind
			_, err := runOnly(t, tiny(failing()), experiment, rundata.OpPair)
			require.ErrorIs(t, err, errFake)
			_, err = runOnly(t, tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](0)})), experiment, rundata.OpPair)
			require.ErrorContains(t, err, "broken")
		})
	}
}

// A percentile of few timers is not less than what so many of them were late by.
func TestOneOfFewTimersCountsInAPercentile(t *testing.T) {
	h := rundata.NewHistogram()
	for range 59 {
		rundata.Record(h, time.Millisecond)
	}
	rundata.Record(h, 100*time.Millisecond)
	values := rundata.Values{}
	harness.AddLateness(values, h)
	require.InEpsilon(t, 1e6, values[rundata.P90Late], 0.001)
	require.InEpsilon(t, 100e6, values[rundata.P99Late], 0.001, "one of 60 is more than a hundredth")
	require.InEpsilon(t, 100e6, values[rundata.MaxLate], 0.001)
}
