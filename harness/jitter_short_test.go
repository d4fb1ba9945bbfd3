package harness

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/live"
	"schedbench/schedulers"
)

// watched is a contestant that notes with which delays its drivers are asked for timers,
// and counts what they did.
type watched struct {
	Contestant
	mu      sync.Mutex
	drivers []*driver.Driver
	delays  []time.Duration
}

func newWatched() *watched {
	w := &watched{Contestant: sound("a")}
	w.Start = func(_ Geometry, opts ...driver.Option) (*driver.Driver, error) {
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
		p.Slice, p.Ticks, p.Every = 200*ms, nil, false
		_, err := runOnly(t, p, Jitter, OpPair)
		require.NoError(t, err)
		wakeups, kicks, short := w.counts()
		require.Greater(t, kicks, wakeups/20)
		require.Greater(t, short, len(w.delays)/20)
	})
}

func TestShortDelaysAreCountedAndTheirArmingIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"), runtimeTimers())
		p.Slice = 200 * ms
		series, err := runOnly(t, p, Jitter, OpPair)
		require.NoError(t, err)
		short := (&Data{Series: series}).Select(Jitter, "delays="+ShortDelays)
		require.Equal(t, []string{"a", "runtime"}, firstTime(short))
		require.Equal(t, []string{Tickless, RuntimeWaking}, Distinct(short, "waking"))
		for _, s := range short {
			for i, n := range s.Iterations {
				require.InDelta(t, 100, n, 40, "1000 a second, for half a slice")
				require.Equal(t, float64(n), s.Values[Fired][i])
				require.Zero(t, s.Values[Early][i]+s.Values[Lost][i]+s.Values[Doubled][i])
				require.InDelta(t, 1, s.Values[ArmedP50Late][i], 0, "exact in virtual time")
				require.InDelta(t, 1, s.Values[ArmedP99Late][i], 0)
			}
		}
		for _, kicks := range short[0].Values[KicksPerSecond] {
			require.Greater(t, kicks, 100.0)
		}
		require.NotContains(t, short[1].Values, KicksPerSecond, "there is no worker")
		require.Equal(t, "runtime"+AgainSuffix, short[2].Get("impl"))
		for _, s := range (&Data{Series: series}).Select(Jitter, "delays=") {
			require.NotContains(t, s.Values, ArmedP50Late, "handed over ahead: %s", s.Name())
		}
	})
}

func TestShortDelaysArriveWhenTheyArePlannedTo(t *testing.T) {
	p := tiny(sound("a"))
	p.Rate = 1000
	sl := sessionOf(t, p).arriveShortly(1, 10*time.Second)
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
	require.NotEqual(t, sl, sessionOf(t, p).arriveShortly(2, 10*time.Second))
}

func TestWhatIsArmedLateSaysSo(t *testing.T) {
	values := sample{}
	addArming(values, &live.Outcome{})
	require.Empty(t, values, "nothing was to arrive on time")
	addArming(values, &live.Outcome{Took: 2 * time.Second, PlayerCPU: time.Second, Metered: true,
		HandedLate: []time.Duration{0, ms, ms, 9 * ms}})
	near(t, ms, values[ArmedP50Late])
	near(t, 9*ms, values[ArmedP99Late])
	require.Equal(t, 5e8, values[ArmingCPU])
}
