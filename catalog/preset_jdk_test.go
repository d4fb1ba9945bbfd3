package catalog

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

func TestJDKExecutorRunsOnItsThreads(t *testing.T) {
	turns := slices.Concat(slices.Repeat([]time.Duration{sec}, 4), slices.Repeat([]time.Duration{2 * sec}, 4), []time.Duration{3 * sec})
	require.Equal(t, turns, beginnings(t, jdkExecutor, 9))
}

func TestJDKExecutorCancelsWhatWaitsForAThread(t *testing.T) {
	opened(t, jdkOneThread, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(sec, func() { at.note(); time.Sleep(10 * sec) })
		first, second, third := l.after(2*sec, at.note), l.after(3*sec, at.note), l.after(4*sec, at.note)
		pass(5 * sec)
		require.False(t, first.Stop(), "the worker has it in hand")
		require.True(t, second.Stop())
		require.Equal(t, 1, l.Len())
		pass(time.Minute)
		require.Equal(t, []time.Duration{sec, 11 * sec, 11 * sec}, at.all())
		require.False(t, third.Stop())
	})
}

func TestJDKExecutorKeepsTheCancelledUntilDue(t *testing.T) {
	begun(t, jdkExecutor, func(t *testing.T, l *bench) {
		var timers []driver.Timer
		for range 10_000 {
			timers = append(timers, l.after(time.Minute, nothing))
		}
		l.after(time.Hour, nothing)
		synctest.Wait()
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		require.Equal(t, 1, l.Len())
		require.EqualValues(t, 10_000, l.work().Held)
		pass(time.Minute - 1)
		require.EqualValues(t, 10_000, l.work().Held)
		pass(1)
		require.Zero(t, l.work().Held)
	})
}

func TestJDKExecutorWakesForTheCancelled(t *testing.T) {
	begun(t, jdkExecutor, func(t *testing.T, l *bench) {
		wakeups := func(wait time.Duration) uint64 {
			before := l.Stats().Wakeups
			pass(wait)
			return l.Stats().Wakeups - before
		}
		l.after(time.Hour, nothing)
		early, later := l.after(time.Minute, nothing), l.after(2*time.Minute, nothing)
		synctest.Wait()
		require.True(t, early.Stop())
		require.True(t, later.Stop())
		require.EqualValues(t, 2, wakeups(2*time.Minute), "one for each")

		alone := l.after(2*time.Hour, nothing)
		require.True(t, alone.Stop())
		require.EqualValues(t, 1, wakeups(time.Hour), "for the first timer of all")
		require.Zero(t, wakeups(3*time.Hour))
		require.EqualValues(t, 1, l.work().Held)
		l.after(0, nothing)
		synctest.Wait()
		require.Zero(t, l.work().Held)
	})
}

func TestJDKTimerKeepsTheCancelledUntilFirst(t *testing.T) {
	begun(t, jdkTimer, func(t *testing.T, l *bench) {
		l.after(sec, nothing)
		cancelled := l.after(2*sec, nothing)
		l.after(3*sec, nothing)
		synctest.Wait()
		require.True(t, cancelled.Stop())
		require.Equal(t, 2, l.Len())
		pass(sec - 1)
		require.EqualValues(t, 1, l.work().Held)
		pass(1)
		require.Zero(t, l.work().Held, "it is the first, and not due yet")
	})
}

// After a flood of timers that were stopped a task does not wait until they have left.
func TestJDKTimerRunsATaskBeforeItClears(t *testing.T) {
	begun(t, jdkTimer, func(t *testing.T, l *bench) {
		var held uint64
		l.after(ms, func() { held = l.work().Held })
		for range 1000 {
			require.True(t, l.after(time.Hour, nothing).Stop())
		}
		pass(sec)
		require.EqualValues(t, 1000, held)
		require.Zero(t, l.work().Held)
	})
}

func TestJDKTimerEndsWithAPanic(t *testing.T) {
	log := logged(t)
	opened(t, jdkTimer, func(t *testing.T, l *bench) {
		at := l.instants()
		l.after(sec, explode)
		l.after(2*sec, at.note)
		pass(time.Minute)
		require.Regexp(t, "level=ERROR.* value=broken .*explode", log.String())
		require.Empty(t, at.all())
		_, err := l.AfterFunc(sec, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
		_, err = l.Close(context.Background())
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}

func explode() { panic("broken") }

func TestJDKTimerHasAClockOfMilliseconds(t *testing.T) {
	opened(t, jdkTimer, func(t *testing.T, l *bench) {
		took := map[string]time.Duration{}
		set := func(name string, delay time.Duration) {
			began := l.now()
			l.after(delay, func() { took[name] = l.now() - began })
		}
		set("on time", 10*ms)
		pass(900 * time.Microsecond)
		set("early", 10*ms) // counted from 0, and due with the first
		pass(20*ms - 900*time.Microsecond)
		set("late", 10*ms)
		pass(900 * time.Microsecond)
		set("between", 5*ms) // when it has run the worker takes it to be 25 ms, at 25.9
		pass(sec)
		require.Equal(t, map[string]time.Duration{
			"on time": 10 * ms, "early": 9100 * time.Microsecond, "late": 10900 * time.Microsecond, "between": 5 * ms,
		}, took)
	})
}
