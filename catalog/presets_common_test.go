package catalog

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// The rows that several presets have in common.

func TestTasksOfOneInstantRunInOrder(t *testing.T) {
	each(t, []named{nettySchedule, jdkOneThread, jdkTimer}, func(t *testing.T, p preset) {
		l := open(t, p)
		var order []int
		for i := range 1000 {
			l.after(sec, func() { order = append(order, i) })
		}
		pass(sec)
		require.Len(t, order, 1000)
		require.IsIncreasing(t, order)
	})
}

func TestLockedTakesTimersAtOnce(t *testing.T) {
	each(t, locked, func(t *testing.T, p preset) {
		l := begin(t, p)
		l.after(time.Hour, nothing)
		synctest.Wait() // the worker sleeps from here on
		timer := l.after(2*time.Hour, nothing)
		require.Equal(t, 2, l.inside())
		require.True(t, timer.Stop())
		require.Equal(t, 1, l.inside())
	})
}

func TestQueuedTakesTimersAtTheNextWakeUp(t *testing.T) {
	each(t, queued, func(t *testing.T, p preset) {
		l := begin(t, p)
		l.after(time.Hour, nothing)
		synctest.Wait()
		l.after(2*time.Hour, nothing)
		require.Equal(t, 1, l.inside(), "it is in the queue")
		require.Equal(t, 2, l.Len(), "and counts")
		l.after(ms, nothing)
		pass(100 * ms)
		require.Equal(t, 2, l.inside())
	})
}

func TestCancelledLeaveAtTheNextWakeUp(t *testing.T) {
	each(t, queued, func(t *testing.T, p preset) {
		l := begin(t, p)
		timer := l.after(2*time.Hour, nothing)
		synctest.Wait()
		l.after(time.Hour, nothing)
		pass(100 * ms)
		require.True(t, timer.Stop())
		require.Equal(t, 1, l.Len())
		require.Equal(t, 2, l.inside(), "it is still in the structure")
		l.after(ms, nothing)
		pass(100 * ms)
		require.Equal(t, 1, l.inside())
	})
}

func TestQueuedForgetsWhatTheCancelledReferTo(t *testing.T) {
	each(t, queued, func(t *testing.T, p preset) {
		l := begin(t, p)
		l.after(time.Hour, nothing)
		pass(100 * ms)
		require.False(t, kept(l.stopOneThatRefers(2*time.Hour)))
		require.Equal(t, 2, l.Len()+1)
	})
}

func TestCancelledLeaveTheWheel(t *testing.T) {
	each(t, []named{kafka, tokio, linux}, func(t *testing.T, p preset) {
		l := begin(t, p)
		var timers []driver.Timer
		for range 10 {
			timers = append(timers, l.after(time.Hour, nothing))
		}
		synctest.Wait()
		for _, timer := range timers {
			require.True(t, timer.Stop())
		}
		require.Zero(t, l.Len())
		pass(2 * time.Hour)
		require.Zero(t, l.work().Slots, "nothing is left to open")
		require.Zero(t, l.work().Cascades)
	})
}

// An hour takes a wheel of few slots some cascades.
func TestSleepsUntilTheNextDeadline(t *testing.T) {
	each(t, sleeping, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		l.after(time.Hour, at.note)
		synctest.Wait()
		before := l.Stats().Wakeups
		pass(59 * time.Minute)
		require.LessOrEqual(t, l.Stats().Wakeups-before, uint64(5))
		pass(10 * time.Minute)
		require.Len(t, at.all(), 1)
	})
}

func TestEarlierDeadlineEndsTheSleep(t *testing.T) {
	each(t, sleeping, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		l.after(time.Hour, nothing)
		synctest.Wait()
		before := l.Stats().Kicks
		l.after(10*ms, at.note)
		pass(10 * ms)
		require.Equal(t, []time.Duration{10 * ms}, at.all())
		require.Equal(t, before+1, l.Stats().Kicks)
	})
}

func TestSlowTaskDelaysThoseBehindIt(t *testing.T) {
	each(t, inline, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		l.after(3*sec, func() { at.note(); time.Sleep(10 * sec) })
		l.after(3300*ms, at.note)
		pass(time.Minute)
		require.Len(t, at.all(), 2)
		require.Equal(t, at.all()[0]+10*sec, at.all()[1])
	})
}

func TestPanicIsLoggedAndTheRestRuns(t *testing.T) {
	for _, p := range everyPreset {
		if p.name == jdkTimer.name {
			continue
		}
		var log journal
		t.Run(p.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				l := open(t, p, driver.WithLogger(log.logger()))
				at := l.instants()
				l.after(sec, func() { panic("broken") })
				l.after(sec, at.note)
				l.after(2*sec, at.note)
				pass(3 * sec)
				require.Len(t, at.all(), 2)
				require.Contains(t, log.String(), "value=broken")
			})
		})
	}
}

func TestNegativeDelayIsDueAtOnce(t *testing.T) {
	each(t, []named{nettySchedule, jdkExecutor, jdkTimer}, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		pass(7 * sec)
		l.after(-5*sec, at.note)
		synctest.Wait()
		require.Equal(t, []time.Duration{7 * sec}, at.all())
	})
}

func TestStopTellsWhetherItWasPending(t *testing.T) {
	each(t, everyPreset, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		fires, stopped := l.after(sec, at.note), l.after(sec, at.note)
		require.True(t, stopped.Stop())
		require.False(t, stopped.Stop())
		pass(2 * sec)
		require.False(t, fires.Stop())
		require.Len(t, at.all(), 1)
	})
}

func TestCloseFromATask(t *testing.T) {
	each(t, everyPreset, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		var unfired []driver.Unfired
		var err error
		l.after(sec, func() {
			unfired, err = l.CloseNow()
			at.note()
		})
		l.after(10*sec, at.note)
		pass(time.Minute)
		require.NoError(t, err)
		require.Len(t, unfired, 1)
		require.Len(t, at.all(), 1, "the task that called it was the last")
	})
}

func TestCloseReturnsTheUnfired(t *testing.T) {
	each(t, everyPreset, func(t *testing.T, p preset) {
		l := open(t, p)
		at := l.instants()
		l.after(sec, nothing)
		l.after(time.Minute, at.note)
		l.after(time.Minute, nothing).Stop()
		pass(2 * sec)
		unfired, err := l.Close(context.Background())
		require.NoError(t, err)
		require.Len(t, unfired, 1)
		require.Equal(t, 58*sec, unfired[0].Remaining)
		pass(time.Hour)
		require.Empty(t, at.all())
		unfired[0].Func()
		require.Len(t, at.all(), 1, "it is the task itself")
	})
}

func TestAcceptsNothingAfterClose(t *testing.T) {
	each(t, everyPreset, func(t *testing.T, p preset) {
		l := open(t, p)
		_, err := l.Close(context.Background())
		require.NoError(t, err)
		_, err = l.AfterFunc(sec, nothing)
		require.ErrorIs(t, err, driver.ErrClosed)
	})
}
