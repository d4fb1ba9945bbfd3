package catalog

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// The rows that several presets have in common.

func TestTasksOfOneInstantRunInOrder(t *testing.T) {
	each(t, []System{nettySchedule, jdkOneThread, jdkTimer}, opened, func(t *testing.T, l *bench) {
		var order []int
		for i := range 1000 {
			l.after(sec, func() { order = append(order, i) })
		}
		pass(sec)
		require.Len(t, order, 1000)
		require.IsIncreasing(t, order)
	})
}

func TestQueuedTakesTimersAtTheNextWakeUp(t *testing.T) {
	each(t, queued, begun, func(t *testing.T, l *bench) {
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
	each(t, queued, begun, func(t *testing.T, l *bench) {
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

func TestWhatTheCancelledReferToIsForgotten(t *testing.T) {
	each(t, append(queued[:len(queued):len(queued)], jdkExecutor, jdkTimer), begun, func(t *testing.T, l *bench) {
		l.after(time.Hour, nothing)
		pass(100 * ms)
		require.False(t, kept(l.stopOneThatRefers(2*time.Hour)))
		require.Equal(t, 1, l.Len())
	})
}

func TestCancelledLeaveTheHeapAtOnce(t *testing.T) {
	each(t, []System{jdkExecutorRemove, nats}, begun, func(t *testing.T, l *bench) {
		timer := l.after(time.Minute, nothing)
		synctest.Wait()
		require.True(t, timer.Stop())
		require.Zero(t, l.work().Held)
		require.Empty(t, l.s.(*sequenceHeap[driver.Task]).heap)
		l.looked()
	})
}

func TestSlowTaskDelaysThoseBehindIt(t *testing.T) {
	each(t, inline, opened, func(t *testing.T, l *bench) {
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
		if p.Name == jdkTimer.Name {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				l := open(t, p, driver.WithLogger(logger(&log)))
				at := l.instants()
				l.after(sec, explode)
				l.after(sec, at.note)
				l.after(2*sec, at.note)
				pass(3 * sec)
				require.Len(t, at.all(), 2)
				require.Contains(t, log.String(), "value=broken")
			})
		})
	}
}
