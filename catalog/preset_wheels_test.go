package catalog

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// The original fires the first at once, and the second at 1 ms.
func TestKafkaIsNeverEarly(t *testing.T) {
	for delay, late := range map[time.Duration]time.Duration{
		500 * time.Microsecond: 500 * time.Microsecond, 1500 * time.Microsecond: 500 * time.Microsecond, 5*ms - 1: 1, 5 * ms: 0, 1000*ms + 1: ms - 1,
	} {
		require.Equal(t, late, fires(t, kafka, 0, delay), "%v", delay)
	}
}

// Kafka's levels have 32 slots, and Tokio's 64.
func TestLevelsHaveAsManySlotsAsTheirOriginals(t *testing.T) {
	for _, c := range []struct {
		preset   System
		delay    time.Duration
		cascades uint64
	}{
		{kafka, 63 * ms, 0}, {kafka, 65 * ms, 1}, {kafka, 2047 * ms, 1}, {kafka, (2048 + 64 + 1) * ms, 2}, // in two turns of a level
		{tokio, 127 * ms, 0}, {tokio, 129 * ms, 1}, {tokio, 8191 * ms, 1}, {tokio, (8192 + 128 + 1) * ms, 2},
	} {
		begun(t, c.preset, func(t *testing.T, l *bench) {
			l.after(c.delay, nothing)
			pass(9 * sec)
			require.Equal(t, c.cascades, l.work().Cascades, "%s, %v", c.preset.Name, c.delay)
		})
	}
}

// Slots so many that the memory of a level shows.
func TestKafkaMakesPartsOfLevelsOnDemand(t *testing.T) {
	in(t, func(t *testing.T) {
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

func TestKafkaDemotes(t *testing.T) {
	begun(t, kafka, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(2200*ms, at.note) // 2*32*32 + 4*32 + 24 ticks
		for _, c := range []struct {
			now      time.Duration
			cascades uint64
		}{{1024 * ms, 0}, {1025 * ms, 1}, {2144 * ms, 1}, {2145 * ms, 2}} {
			pass(c.now - l.now())
			require.Equal(t, c.cascades, l.work().Cascades, "%v", c.now)
		}
		pass(sec)
		require.Equal(t, []time.Duration{2200 * ms}, at.all())
	})
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

func TestKafkaCountsAllLevels(t *testing.T) {
	opened(t, kafka, func(t *testing.T, l *bench) {
		l.after(10*ms, nothing)
		l.after(sec, nothing)
		far := l.after(time.Hour, nothing)
		l.after(1000*time.Hour, nothing)
		require.Equal(t, 4, l.Len())
		pass(10 * ms)
		require.Equal(t, 3, l.Len())
		require.True(t, far.Stop())
		require.Equal(t, 2, l.Len())
		pass(time.Minute) // some have been demoted
		require.Equal(t, 1, l.Len())
	})
}

func TestKafkaRunsTasksOneAfterAnother(t *testing.T) {
	require.Equal(t, []time.Duration{1 * sec, 2 * sec, 3 * sec}, beginnings(t, kafka, 3))
}

func TestKafkaWheelWaitsForAFullExecutorOnly(t *testing.T) {
	for _, c := range []struct{ queue, timers, left int }{
		{kafkaQueue, 1000, 0}, // all have left the wheel for the executor
		{2, 10, 10 - 2 - 1},   // two are in the queue, one in hand of the worker
	} {
		opened(t, with(kafka, func(k *Config) { k.Running = driver.Pool{Workers: 1, Queue: c.queue, Full: driver.WaitForRoom} }), func(t *testing.T, l *bench) {
			at := l.instants()
			l.after(sec, func() { time.Sleep(time.Minute) })
			for i := range c.timers {
				l.after(2*sec+time.Duration(i)*ms, at.note)
			}
			pass(10 * sec)
			require.Empty(t, at.all())
			require.Equal(t, c.left, l.Len())
			pass(time.Minute)
			require.Len(t, at.all(), c.timers, "none is lost")
			require.Zero(t, l.Stats().Rejected)
		})
	}
}

func TestKafkaRefusesABadTickAndBadSlots(t *testing.T) {
	_, err := tick(kafka, -1).Start()
	require.ErrorIs(t, err, schedulers.ErrTick)
	_, err = slots(kafka, -1).Start()
	require.ErrorIs(t, err, schedulers.ErrSlots)
}

// fires returns when a timer fires that a preset is given at an instant.
func fires(t *testing.T, p System, at, delay time.Duration) (lateness time.Duration) {
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

// Three years are beyond the six levels of the original.
func TestTokioRoundsUpToItsTick(t *testing.T) {
	const threeYears = 3 * 365 * 24 * time.Hour
	require.Greater(t, threeYears, (1<<36)*ms)
	for delay, late := range map[time.Duration]time.Duration{
		1: ms - 1, ms: 0, ms + 1: ms - 1, 63 * ms: 0, 65 * ms: 0, 5000*ms - 1: 1, 100 * time.Hour: 0, threeYears: 0,
	} {
		require.Equal(t, late, fires(t, tokio, 0, delay), "%v", delay)
	}
}

func TestTokioOpensASlotForEachLevel(t *testing.T) {
	opened(t, tokio, func(t *testing.T, l *bench) {
		l.after((1<<32-1)*ms, nothing) // the last slot at five levels, and the fourth at the sixth
		synctest.Wait()
		before := l.Stats().Wakeups
		pass(60 * 24 * time.Hour)
		require.EqualValues(t, 1, l.Stats().Fired)
		require.Equal(t, before+6, l.Stats().Wakeups)
	})
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
		late := fires(t, linux, 0, c.delay)
		require.Equal(t, (c.slot-c.delay%c.slot)%c.slot, late, "%v", c.delay)
	}
	require.Equal(t, 4*ms-1, fires(t, tick(linux, 4*ms), 0, 1), "HZ=250")
}

func TestLinuxIsLateByLessThanItsBound(t *testing.T) {
	w := must.Get(hierwheel.NewNoCascade[driver.Task](linuxTick, linuxSlots, linuxCoarser))(t)
	longest := 0.
	for delay := ms; delay < time.Hour; delay = delay*9/8 + 7*time.Microsecond {
		for _, at := range []time.Duration{0, 3*ms + 1, 4321 * ms, 100_001*ms - 1} {
			late := fires(t, linux, at, delay)
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
	require.Zero(t, fires(t, linux, time.Hour+ms, 10*ms))
	opened(t, linux, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(100*time.Hour, nothing)
		pass(time.Hour + 3*ms)
		l.after(10*ms, at.note)
		pass(sec)
		require.Equal(t, []time.Duration{time.Hour + 13*ms}, at.all())
	})
}

func TestLinuxMovesNothing(t *testing.T) {
	begun(t, linux, func(t *testing.T, l *bench) {
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
