package catalog

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
)

// fires returns when a timer fires that a preset is given at an instant.
func fires(t *testing.T, p preset, at, delay time.Duration) (lateness time.Duration) {
	t.Helper()
	opened(t, p, func(t *testing.T, l *bench) {
		began := l.instants()
		pass(at)
		l.after(delay, began.note)
		pass(2*delay + sec)
		require.Len(t, began.all(), 1)
		lateness = began.all()[0] - at - delay
	})
	return lateness
}

// Three years are beyond the six levels of the original.
func TestTokioRoundsUpToItsTick(t *testing.T) {
	const threeYears = 3 * 365 * 24 * time.Hour
	require.Greater(t, threeYears, (1<<36)*ms)
	for delay, late := range map[time.Duration]time.Duration{
		1: ms - 1, ms: 0, ms + 1: ms - 1, 63 * ms: 0, 65 * ms: 0, 5000*ms - 1: 1, 100 * time.Hour: 0, threeYears: 0,
	} {
		require.Equal(t, late, fires(t, Tokio{}, 0, delay), "%v", delay)
	}
}

func TestTokioOpensASlotForEachLevel(t *testing.T) {
	opened(t, Tokio{}, func(t *testing.T, l *bench) {
		l.after((1<<32-1)*ms, nothing) // the last slot at five levels, and the fourth at the sixth
		synctest.Wait()
		before := l.Stats().Wakeups
		pass(60 * 24 * time.Hour)
		require.EqualValues(t, 1, l.Stats().Fired)
		require.Equal(t, before+6, l.Stats().Wakeups)
	})
}

func TestTokioTasksDoNotDelayEachOther(t *testing.T) {
	opened(t, Tokio{}, func(t *testing.T, l *bench) {
		at := l.instants()
		for range 100 {
			l.after(sec, func() { at.note(); time.Sleep(sec) })
		}
		pass(sec)
		require.Len(t, at.all(), 100)
		pass(sec)
	})
}

func TestTokioResetTakesAnotherPlace(t *testing.T) {
	begun(t, Tokio{}, func(t *testing.T, l *bench) {
		at := l.instants()
		timer := l.after(10*ms, at.note)
		synctest.Wait()
		require.True(t, must.Get(timer.ResetPending(50*ms))(t))
		before := l.Stats().Wakeups
		pass(sec)
		require.Equal(t, []time.Duration{50 * ms}, at.all())
		require.Equal(t, before+2, l.Stats().Wakeups, "once for the place that it had")
		require.False(t, timer.Stop())
	})
}

// The levels of kernel/time/timer.c at HZ=1000, by their ends and granularity. Unlike there, a deadline at which a slot
// begins is on time (104 ms), and levels follow the ninth (200 days).
func TestLinuxRoundsUpToTheSlotsOfItsLevel(t *testing.T) {
	for _, c := range []struct{ delay, slot time.Duration }{
		{1, ms}, {20*ms - 1, ms}, {62 * ms, ms}, {65 * ms, 8 * ms}, {104 * ms, 8 * ms}, {105 * ms, 8 * ms},
		{500 * ms, 8 * ms}, {515 * ms, 64 * ms}, {4033 * ms, 512 * ms}, {32260 * ms, 4096 * ms},
		{300_000 * ms, 32768 * ms}, {200 * 24 * time.Hour, 1 << 30 * ms},
	} {
		late := fires(t, Linux{}, 0, c.delay)
		require.Equal(t, (c.slot-c.delay%c.slot)%c.slot, late, "%v", c.delay)
	}
	require.Equal(t, 4*ms-1, fires(t, Linux{Tick: 4 * ms}, 0, 1), "HZ=250")
}

func TestLinuxIsLateByLessThanItsBound(t *testing.T) {
	w := must.Get(hierwheel.NewNoCascade[driver.Task](linuxTick, linuxSlots, linuxCoarser))(t)
	longest := 0.
	for delay := ms; delay < time.Hour; delay = delay*9/8 + 7*time.Microsecond {
		for _, at := range []time.Duration{0, 3*ms + 1, 4321 * ms, 100_001*ms - 1} {
			late := fires(t, Linux{}, at, delay)
			require.GreaterOrEqual(t, late, time.Duration(0), "%v at %v", delay, at)
			require.Less(t, late, w.Lateness(delay), "%v at %v", delay, at)
			if delay > sec {
				longest = max(longest, float64(late)/float64(delay))
			}
		}
	}
	require.Greater(t, longest, 0.08, "that is what it costs to move nothing")
	require.LessOrEqual(t, longest, 0.127)
}

// After an hour of sleep, for another timer or for none, 10 ms are 10 ms.
func TestLinuxCountsDelaysFromThePresent(t *testing.T) {
	require.Zero(t, fires(t, Linux{}, time.Hour+ms, 10*ms))
	opened(t, Linux{}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(100*time.Hour, nothing)
		pass(time.Hour + 3*ms)
		l.after(10*ms, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{time.Hour + 13*ms}, at.all())
	})
}

func TestLinuxMovesNothing(t *testing.T) {
	begun(t, Linux{}, func(t *testing.T, l *bench) {
		for i := range 1000 {
			l.after(time.Duration(i)*sec, nothing)
		}
		pass(time.Hour)
		require.EqualValues(t, 1000, l.Stats().Fired)
		require.Zero(t, l.work().Cascades)
		require.Zero(t, l.work().Moves)
	})
}

func TestNATSKeepsDeadlines(t *testing.T) {
	opened(t, NATS{}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(10*sec+3*ms, at.note)
		l.after(5*sec+1, at.note)
		pass(time.Minute)
		require.Equal(t, []time.Duration{5*sec + 1, 10*sec + 3*ms}, at.all())
	})
}

func TestNATSSleepsAQuarterOfASecondAtLeast(t *testing.T) {
	opened(t, NATS{}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(time.Hour, nothing)
		synctest.Wait()
		for range 10 {
			l.after(10*ms, at.note)
			pass(20 * ms)
		}
		require.Empty(t, at.all())
		pass(50 * ms)
		require.Len(t, at.all(), 10)
		require.Equal(t, natsLeast, at.all()[0])
		require.EqualValues(t, 2, l.Stats().Wakeups, "one of them to sleep no longer than that")
	})
}

func TestNATSForgetsTheRemoved(t *testing.T) {
	begun(t, NATS{}, func(t *testing.T, l *bench) {
		l.after(time.Hour, nothing)
		require.True(t, l.after(time.Minute, nothing).Stop())
		require.Equal(t, 1, l.inside())
	})
}
