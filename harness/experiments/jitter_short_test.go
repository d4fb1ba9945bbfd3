package experiments

import (
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

// watched is a contestant that notes with which delays its drivers are asked for timers,
// and counts what they did.
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

// counts returns how often the workers woke and were kicked, and how many delays were
// shorter than a millisecond.
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
			for i, n := range s.Iterations {
				require.InDelta(t, 100, n, 40, "1000 a second, for half a slice")
				require.Equal(t, float64(n), s.Values[rundata.Fired][i])
				require.Zero(t, s.Values[rundata.Early][i]+s.Values[rundata.Lost][i]+s.Values[rundata.Doubled][i])
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
