package harness

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/schedulers"
)

const ms = time.Millisecond

// firings returns timers that fired at the given instants, each once; a
// negative one has not fired.
func firings(at ...time.Duration) []firing {
	fired := make([]firing, len(at))
	for i, t := range at {
		if t >= 0 {
			fired[i].fire(t)
		}
	}
	return fired
}

func TestJudgeCountsWhatWentWrong(t *testing.T) {
	a := arrivals{at: make([]time.Duration, 3), deadline: []time.Duration{10 * ms, 20 * ms, 30 * ms}}
	twice := firings(10*ms, 20*ms, 30*ms)
	twice[1].fire(25 * ms)
	for _, c := range []struct {
		name                         string
		fired                        []firing
		ok, early, lost, doubled     float64
		inLate, inEarly              int64
		median, p99, most, mostEarly time.Duration
	}{
		{"all on time", firings(10*ms, 20*ms, 30*ms), 3, 0, 0, 0, 3, 0, 1, 1, 1, 0},
		{"late by 1, 2 and 3 ms", firings(11*ms, 22*ms, 33*ms), 3, 0, 0, 0, 3, 0, 2 * ms, 3 * ms, 3 * ms, 0},
		{"one lost", firings(11*ms, -1, 31*ms), 2, 0, 1, 0, 2, 0, ms, ms, ms, 0},
		{"all lost", firings(-1, -1, -1), 0, 0, 3, 0, 0, 0, 0, 0, 0, 0},
		{"one doubled", twice, 3, 0, 0, 1, 3, 0, 1, 1, 1, 0},
		{"one early", firings(8*ms, 21*ms, 31*ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 2 * ms},
		{"one early by a nanosecond", firings(10*ms-1, 21*ms, 31*ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 1},
		{"one before it was to be", firings(0, 21*ms, 31*ms), 3, 1, 0, 0, 2, 1, ms, ms, ms, 10 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			series := sessionOf(t, tiny(sound("a"))).jitterSeries("a", Tickless)
			values := judge(a, c.fired, series)
			require.Equal(t, []float64{c.ok, c.early, c.lost, c.doubled},
				[]float64{values[Fired], values[Early], values[Lost], values[Doubled]})
			require.Equal(t, c.inLate, series.Late.TotalCount())
			require.Equal(t, c.inEarly, series.Early.TotalCount())
			near(t, c.median, values[P50Late])
			near(t, c.p99, values[P99Late])
			near(t, c.most, values[MaxLate])
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

func TestJudgeAddsUpOverRounds(t *testing.T) {
	series := sessionOf(t, tiny(sound("a"))).jitterSeries("a", Tickless)
	a := arrivals{at: make([]time.Duration, 2), deadline: []time.Duration{ms, 2 * ms}}
	judge(a, firings(2*ms, 3*ms), series)
	second := judge(a, firings(1, 10*ms), series)
	require.Equal(t, int64(3), series.Late.TotalCount())
	require.Equal(t, int64(1), series.Early.TotalCount())
	near(t, 8*ms, second[P50Late]) // of its own round
}

func TestTheMaximumIsNeverTrimmedAway(t *testing.T) {
	h := newHistogram()
	record(h, time.Hour)
	record(h, math.MaxInt64)
	record(h, 0)
	require.Equal(t, int64(3), h.TotalCount())
	require.GreaterOrEqual(t, h.Max(), int64(time.Minute))
}

func TestArrivalsAreTheSameForAllAndDifferByRound(t *testing.T) {
	p := tiny(sound("a"))
	p.Slice, p.Rate = 10*time.Second, 1000
	s := sessionOf(t, p)
	a := s.arrive(0)
	require.Equal(t, a, s.arrive(0))
	require.NotEqual(t, a, s.arrive(1))
	require.InDelta(t, 10_000, len(a.at), 500)
	require.Len(t, a.deadline, len(a.at))
	for i, at := range a.at {
		require.Less(t, at, p.Slice)
		require.GreaterOrEqual(t, a.deadline[i], at+minDelay)
		require.Less(t, a.deadline[i], at+maxDelay)
		if i > 0 {
			require.GreaterOrEqual(t, at, a.at[i-1])
		}
	}
}

func TestTheShortestSliceHasAnArrival(t *testing.T) {
	p := tiny(sound("a"))
	p.Rate = 1
	for round := range 20 {
		require.NotEmpty(t, sessionOf(t, p).arrive(round).at)
	}
}

// lateBy returns an AfterFunc that is late by a known time, or early.
func lateBy(late time.Duration) func(time.Duration, func()) error {
	return func(delay time.Duration, f func()) error {
		time.AfterFunc(delay+late, f)
		return nil
	}
}

// TestTheLoopReadsBackAKnownLateness runs in virtual time, so that the reading
// is exact.
func TestTheLoopReadsBackAKnownLateness(t *testing.T) {
	for _, late := range []time.Duration{0, 3 * ms, 100 * ms} {
		synctest.Test(t, func(t *testing.T) {
			s := sessionOf(t, tiny(sound("a")))
			series := s.jitterSeries("a", Tickless)
			values, n, err := s.openLoop(series, lateBy(late), patience)
			require.NoError(t, err)
			require.Equal(t, float64(n), values[Fired])
			require.Zero(t, values[Early]+values[Lost]+values[Doubled])
			near(t, max(late, 1), values[P50Late])
			near(t, max(late, 1), values[MaxLate])
		})
	}
}

func TestTheLoopReadsBackEarlyTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionOf(t, tiny(sound("a")))
		series := s.jitterSeries("a", Tickless)
		values, n, err := s.openLoop(series, lateBy(-ms/2), patience)
		require.NoError(t, err)
		require.Equal(t, float64(n), values[Early])
		require.Equal(t, int64(n), series.Early.TotalCount())
		near(t, ms/2, float64(series.Early.Max()))
	})
}

func TestTheLoopFindsLostAndDoubledTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionOf(t, tiny(sound("a")))
		calls := 0
		values, n, err := s.openLoop(s.jitterSeries("a", Tickless), func(delay time.Duration, f func()) error {
			switch calls++; calls {
			case 2: // is lost
				return nil
			case 3:
				time.AfterFunc(delay, f)
			}
			time.AfterFunc(delay, f)
			return nil
		}, patience)
		require.NoError(t, err)
		require.Greater(t, n, 3)
		require.Equal(t, []float64{1, 1, float64(n - 1)}, []float64{values[Lost], values[Doubled], values[Fired]})
	})
}

func TestTheLoopCountsATimerBeyondItsPatienceAsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionOf(t, tiny(sound("a")))
		values, n, err := s.openLoop(s.jitterSeries("a", Tickless), lateBy(time.Hour), patience)
		require.NoError(t, err)
		require.Equal(t, float64(n), values[Lost])
		require.Zero(t, values[Fired])
		time.Sleep(2 * time.Hour) // for the timers to be gone
	})
}

func TestALiveContestantThatCannotBeUsedIsAnErrorAndIsClosed(t *testing.T) {
	needUsage(t)
	for _, experiment := range []string{Jitter, Idle} {
		synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left behind
			_, err := runOnly(t, tiny(failing()), experiment, OpPair)
			require.ErrorIs(t, err, errFake)
			_, err = runOnly(t, tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](0)})), experiment, OpPair)
			require.ErrorContains(t, err, "broken")
		})
	}
}

func TestAJitterCellFindsASchedulerThatLosesTimers(t *testing.T) {
	made := 0
	lost := brokenLive(faulty[driver.Task]{schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, value driver.Task) (schedulers.ID, error) {
		if made++; made%2 == 0 {
			return s.Schedule(math.MaxInt64, value)
		}
		return s.Schedule(deadline, value)
	}})
	synctest.Test(t, func(t *testing.T) {
		series, err := runOnly(t, tiny(lost), Jitter, OpPair)
		require.NoError(t, err, "what is lost is counted, not fatal")
		for i, n := range series[0].Iterations {
			values := series[0].Values
			require.Positive(t, values[Lost][i])
			require.Equal(t, float64(n), values[Lost][i]+values[Fired][i])
		}
	})
}
