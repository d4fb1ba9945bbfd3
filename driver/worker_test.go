package driver_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// Close heeds its context while a task runs, also if the worker has ended before Close looks for tasks.
func TestCloseGivesUpThoughTheWorkerHasEnded(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		d := must.Get(driver.Start(heapsched.New[driver.Task](), driver.WithWaking(driver.FixedTick(ms/10)), driver.WithRunning(driver.Goroutine{})))(t)
		many(t, d, 30_000, time.Hour)
		running, release := make(chan struct{}), make(chan struct{})
		after(t, d, 0, func() { close(running); <-release })
		<-running
		gaveUp := time.AfterFunc(2*time.Second, func() { close(release) })
		unfired, err := d.Close(ended)
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, unfired, 30_000)
		if gaveUp.Stop() {
			close(release)
		}
	}
}

// A task that starts one in the past, which does the same, and so on, is due again at once. Later timers, also those of
// other shards, begin all the same.
func TestTasksInThePastStarveNoOthers(t *testing.T) {
	newHeap := func() (schedulers.Scheduler[driver.Task], error) { return heapsched.New[driver.Task](), nil }
	for name, inbox := range map[string]driver.Inbox{"locked": driver.Locked{}, "sharded": driver.Sharded{Shards: 4, New: newHeap}} {
		t.Run(name, func(t *testing.T) {
			d := must.Get(driver.Start(heapsched.New[driver.Task](), driver.WithInbox(inbox)))(t)
			defer d.Close(context.Background())
			const timers = 32 // in all shards
			var began atomic.Int64
			var ended, late atomic.Bool
			var again func()
			again = func() {
				switch {
				case began.Load() == timers:
					ended.Store(true)
				case d.Now() > 20*time.Second:
					late.Store(true)
				default:
					must.Get(d.AtFunc(0, again))(t)
				}
			}
			for range timers {
				started := make(chan struct{})
				go func() { after(t, d, 10*ms, func() { began.Add(1) }); close(started) }()
				<-started
			}
			after(t, d, ms, again)
			require.Eventually(t, func() bool { return ended.Load() || late.Load() }, time.Minute, ms)
			require.False(t, late.Load())
		})
	}
}

// slowInsert takes long for one Schedule.
type slowInsert struct {
	*heapsched.Heap[driver.Task]
	slow atomic.Bool
}

func (s *slowInsert) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	if s.slow.Swap(false) {
		time.Sleep(150 * ms)
	}
	return s.Heap.Schedule(deadline, task)
}

// A tick that comes while the worker is busy is expired at once, and not slept over.
func TestFixedTickSleepsOverNoTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowInsert{Heap: heapsched.New[driver.Task]()}
		d := start(t, s, driver.WithWaking(driver.FixedTick(100*ms)), driver.WithInbox(driver.Queued{}))
		var began time.Duration
		after(t, d, 150*ms, func() { began = d.Now() })
		pass(95 * ms)
		s.slow.Store(true)
		after(t, d, time.Hour, nothing)
		pass(time.Second)
		require.Equal(t, 250*ms, began, "due at 200 ms, while the worker is busy until 250 ms")
	})
}

// A timer of a scheduler whose lateness grows with the delay is not left at the place of a longer one.
func TestApproximateSchedulersAreChangedAtOnce(t *testing.T) {
	for _, stops := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := must.Get(hierwheel.NewNoCascade[driver.Task](ms, 64, 8))(t)
			d := start(t, w)
			late := time.Duration(-1)
			due := 29_700 * ms
			note := func() { late = d.Now() - due }
			timer := after(t, d, 29_697*ms, note)
			pass(29_600 * ms)
			if stops {
				require.True(t, timer.Stop())
				after(t, d, 100*ms, note)
			} else {
				require.True(t, must.Get(timer.ResetPending(100*ms))(t))
			}
			pass(time.Minute)
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.Less(t, late, w.Lateness(100*ms))
		})
	}
}

// A task that a full pool dropped has ended, whatever the logger does.
func TestALoggerMayEndItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, heapsched.New[driver.Task](), driver.WithLogger(slog.New(exiting{})),
			driver.WithRunning(driver.Pool{Workers: 1, Queue: 0, Full: driver.Drop}))
		after(t, d, 0, func() { time.Sleep(time.Second) })
		pass(ms)
		after(t, d, 0, nothing)
		pass(ms)
		require.EqualValues(t, 1, d.Stats().Rejected)
		pass(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		must.Get(d.Close(ctx))(t)
	})
}

func TestTheSumOfLatenessHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := start(t, heapsched.New[driver.Task]())
		pass(200 * 365 * 24 * time.Hour)
		for range 3 {
			must.Get(d.AtFunc(0, nothing))(t)
		}
		pass(time.Second)
		require.EqualValues(t, 3, d.Stats().Fired)
		require.Equal(t, time.Duration(1<<63-1), d.Stats().LatenessSum)
	})
}
