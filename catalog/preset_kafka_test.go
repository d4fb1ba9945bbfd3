package catalog

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

func TestKafkaIsNeverEarly(t *testing.T) {
	opened(t, Kafka{}, func(t *testing.T, l *bench) {
		for _, c := range []struct{ delay, fires time.Duration }{
			{500 * time.Microsecond, ms},      // at once in the original
			{1500 * time.Microsecond, 2 * ms}, // at 1 ms in the original
			{5*ms - 1, 5 * ms},
			{5 * ms, 5 * ms},
			{1000*ms + 1, 1001 * ms},
		} {
			l.began = time.Now()
			at := l.instants()
			l.after(c.delay, at.note)
			pass(2 * sec)
			require.Equal(t, []time.Duration{c.fires}, at.all(), "%v", c.delay)
		}
	})
}

// Kafka's levels have 32 slots, and Tokio's 64.
func TestLevelsHaveAsManySlotsAsTheirOriginals(t *testing.T) {
	for _, c := range []struct {
		preset   preset
		delay    time.Duration
		cascades uint64
	}{
		{Kafka{}, 63 * ms, 0}, {Kafka{}, 65 * ms, 1}, {Kafka{}, 2047 * ms, 1}, {Kafka{}, (2048 + 64 + 1) * ms, 2}, // in two turns of a level
		{Tokio{}, 127 * ms, 0}, {Tokio{}, 129 * ms, 1}, {Tokio{}, 8191 * ms, 1}, {Tokio{}, (8192 + 128 + 1) * ms, 2},
	} {
		begun(t, c.preset, func(t *testing.T, l *bench) {
			l.after(c.delay, nothing)
			pass(9 * sec)
			require.Equal(t, c.cascades, l.work().Cascades, "%T, %v", c.preset, c.delay)
		})
	}
}

// Slots so many that the memory of a level shows.
func TestKafkaMakesPartsOfLevelsOnDemand(t *testing.T) {
	in(t, func(t *testing.T) {
		const slots = 1 << 18
		l := begin(t, Kafka{Slots: slots})
		l.after(slots/2*ms, nothing)
		synctest.Wait()
		near := allocated(func() { l.after(slots/4*ms, nothing) })
		far := allocated(func() { l.after(2*slots*ms, nothing) })
		require.Less(t, near, uint64(slots))
		require.Less(t, far, uint64(slots))
		require.Greater(t, far, uint64(512*20), "as many lists as go together")
	})
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestKafkaDemotes(t *testing.T) {
	begun(t, Kafka{}, func(t *testing.T, l *bench) {
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
	opened(t, Kafka{}, func(t *testing.T, l *bench) {
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
	opened(t, Kafka{}, func(t *testing.T, l *bench) {
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
	opened(t, Kafka{}, func(t *testing.T, l *bench) {
		at := l.instants()
		for range 3 {
			l.after(sec, func() { at.note(); time.Sleep(sec) })
		}
		pass(10 * sec)
		require.Equal(t, []time.Duration{1 * sec, 2 * sec, 3 * sec}, at.all())
	})
}

func TestKafkaWheelTurnsWhileATaskRuns(t *testing.T) {
	opened(t, Kafka{}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(sec, func() { time.Sleep(time.Minute) })
		for i := range 1000 {
			l.after(2*sec+time.Duration(i)*ms, at.note)
		}
		pass(10 * sec)
		require.Empty(t, at.all())
		require.Zero(t, l.Len(), "all have left the wheel for the executor")
		pass(time.Minute)
		require.Len(t, at.all(), 1000)
	})
}

func TestKafkaWheelWaitsForAFullExecutor(t *testing.T) {
	opened(t, Kafka{Queue: 2}, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(sec, func() { time.Sleep(time.Minute) })
		for range 10 {
			l.after(2*sec, at.note)
		}
		pass(10 * sec)
		require.Equal(t, 10-2-1, l.Len(), "two in the queue, one in hand of the worker")
		pass(time.Minute)
		require.Len(t, at.all(), 10, "none is lost")
		require.Zero(t, l.Stats().Rejected)
	})
}

func TestKafkaRefusesABadTickAndBadSlots(t *testing.T) {
	_, err := Kafka{Tick: -1}.Start()
	require.ErrorIs(t, err, schedulers.ErrTick)
	_, err = Kafka{Slots: -1}.Start()
	require.ErrorIs(t, err, schedulers.ErrSlots)
}
