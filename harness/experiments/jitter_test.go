package experiments

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/live"
	"schedbench/schedulers"
)

const ms = time.Millisecond

// lateness returns what became of timers that were all due at 10 ms and were late by the given times, or early.
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

// near requires a value to be what was recorded, as a histogram reads it: exact to a thousandth.
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

// watched is a contestant that notes with which delays its drivers are asked for timers, and counts what they did.
type watched struct {
	harness.Contestant
	mu      sync.Mutex
	drivers []*driver.Driver
	delays  []time.Duration
}

func newWatched() *watched {
	w := &watched{Contestant: sound("a")}
	w.Start = func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		start := time.Now()
		d, err := driver.Start(&faulty[driver.Task]{
			Scheduler: heapsched.New[driver.Task](),
			schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, value driver.Task) (schedulers.ID, error) {
				w.mu.Lock()
				w.delays = append(w.delays, deadline-time.Since(start))
				w.mu.Unlock()
				return s.Schedule(deadline, value)
			},
		}, opts...)
		w.drivers = append(w.drivers, d)
		return d, err
	}
	return w
}

// counts returns how often the workers woke and were kicked, and how many delays were shorter than a millisecond.
func (w *watched) counts() (wakeups, kicks, short int) {
	for _, d := range w.drivers {
		wakeups += int(d.Stats().Wakeups)
		kicks += int(d.Stats().Kicks)
	}
	for _, d := range w.delays {
		if d < ms {
			short++
		}
	}
	return wakeups, kicks, short
}

func TestLatenessMeetsShortDelaysAndKicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		p := tiny(w.Contestant)
		p.Slice, p.Ticks, p.Full = 200*ms, nil, false
		must.Get(runOnly(t, p, rundata.Jitter, rundata.OpPair))(t)
		wakeups, kicks, short := w.counts()
		require.Greater(t, kicks, wakeups/20)
		require.Greater(t, short, len(w.delays)/20)
	})
}

func TestShortDelaysAreCountedAndTheirArmingIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		p.Slice = 200 * ms
		series := must.Get(runOnly(t, p, rundata.Jitter, rundata.OpPair))(t)
		short := (&rundata.Data{Series: series}).Select(rundata.Jitter, "delays="+rundata.ShortDelays)
		require.Equal(t, []string{"a", "runtime"}, firstTime(short))
		require.Equal(t, []string{rundata.Tickless, rundata.RuntimeWaking}, rundata.Distinct(short, "waking"))
		for _, s := range short {
			allFired(t, s)
			for i, n := range s.Iterations {
				require.InDelta(t, 100, n, 40, "1000 a second, for half a slice")
				require.InDelta(t, 1, s.Values[rundata.ArmedP50Late][i], 0, "exact in virtual time")
				require.InDelta(t, 1, s.Values[rundata.ArmedP99Late][i], 0)
			}
		}
		for _, kicks := range short[0].Values[rundata.KicksPerSecond] {
			require.Greater(t, kicks, 100.0)
		}
		require.NotContains(t, short[1].Values, rundata.KicksPerSecond, "there is no worker")
		require.Equal(t, "runtime"+rundata.AASuffix, short[2].Get("impl"))
		for _, s := range (&rundata.Data{Series: series}).Select(rundata.Jitter, "delays=") {
			require.NotContains(t, s.Values, rundata.ArmedP50Late, "handed over ahead: %s", s.Name())
		}
	})
}

func TestShortDelaysArriveWhenTheyArePlannedTo(t *testing.T) {
	p := tiny(sound("a"))
	p.Rate = 1000
	arrivals := arrivingShortly(p)
	arrivals.length = 10 * time.Second
	sl := arrivals.draw(sessionOf(t, p), 1)
	require.True(t, sl.Punctual)
	require.InDelta(t, 10_000, sl.Timers, 500)
	var together, shortest int
	for i, op := range sl.Ops {
		delay := op.Deadline - op.At
		require.GreaterOrEqual(t, delay, time.Duration(0))
		require.Less(t, delay, mostShort)
		if delay < 100*time.Microsecond {
			shortest++
		}
		if i > 0 && op.At == sl.Ops[i-1].At {
			together++
		}
	}
	require.InDelta(t, 200, shortest, 60)
	require.Less(t, together, 10, "not in batches")
	require.NotEqual(t, sl, arrivals.draw(sessionOf(t, p), 2))
}

func TestWhatIsArmedLateSaysSo(t *testing.T) {
	values := rundata.Values{}
	addArming(values, &live.Outcome{})
	require.Empty(t, values, "nothing was to arrive on time")
	addArming(values, &live.Outcome{Took: 2 * time.Second, PlayerCPU: time.Second, Metered: true,
		HandedLate: []time.Duration{0, ms, ms, 9 * ms}})
	near(t, ms, values[rundata.ArmedP50Late])
	near(t, 9*ms, values[rundata.ArmedP99Late])
	require.Equal(t, 5e8, values[rundata.ArmingCPU])
}
