package catalog

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Slots so many that the memory of a level shows.
func TestKafkaMakesPartsOfLevelsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1 << 18
		l := begin(t, slots(kafka, n))
		l.after(n/2*ms, nothing)
		synctest.Wait()
		near := allocated(func() { l.after(n/4*ms, nothing) })
		far := allocated(func() { l.after(2*n*ms, nothing) })
		require.Less(t, near, uint64(n))
		require.Less(t, far, uint64(n))
		require.Greater(t, far, uint64(512*20), "as many lists as go together")
	})
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestKafkaWakesOnceForASlot(t *testing.T) {
	opened(t, kafka, func(t *testing.T, l *bench) {
		for i := range 1000 {
			l.after(10*ms-time.Duration(i)*time.Microsecond, nothing) // all of the tenth tick
		}
		synctest.Wait()
		before := l.Stats().Wakeups
		pass(sec)
		require.Equal(t, before+1, l.Stats().Wakeups)
		require.EqualValues(t, 1000, l.Stats().Fired)
	})
}

// late returns how late a timer of a new preset fires.
func late(t *testing.T, p System, delay time.Duration) (lateness time.Duration) {
	t.Helper()
	opened(t, p, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(delay, at.note)
		pass(2*delay + sec)
		require.Len(t, at.all(), 1)
		lateness = at.all()[0] - delay
	})
	return lateness
}

// beginnings returns when tasks began that take a second each, and are all due after one.
func beginnings(t *testing.T, p System, tasks int) (all []time.Duration) {
	t.Helper()
	opened(t, p, func(t *testing.T, l *bench) {
		at := l.instants()
		for range tasks {
			l.after(sec, func() { at.note(); time.Sleep(sec) })
		}
		pass(10 * sec)
		all = at.all()
	})
	return all
}

func TestTokioTasksDoNotDelayEachOther(t *testing.T) {
	require.Equal(t, slices.Repeat([]time.Duration{sec}, 100), beginnings(t, tokio, 100))
}

func TestTokioResetTakesAnotherPlace(t *testing.T) {
	begun(t, tokio, func(t *testing.T, l *bench) {
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
		require.Equal(t, (c.slot-c.delay%c.slot)%c.slot, late(t, linux, c.delay), "%v", c.delay)
	}
	require.Equal(t, 4*ms-1, late(t, tick(linux, 4*ms), 1), "HZ=250")
}

func TestNATSKeepsDeadlines(t *testing.T) {
	opened(t, nats, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(10*sec+3*ms, at.note)
		l.after(5*sec+1, at.note)
		pass(time.Minute)
		require.Equal(t, []time.Duration{5*sec + 1, 10*sec + 3*ms}, at.all())
	})
}

func TestNATSSleepsAQuarterOfASecondAtLeast(t *testing.T) {
	opened(t, nats, func(t *testing.T, l *bench) {
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
