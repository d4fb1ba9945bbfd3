package driver

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/internal/must"
)

// hookedWaiter waits as a timerWaiter does, with something done after each sleep, and before each drain.
type hookedWaiter struct {
	*timerWaiter
	slept, drains func()
}

func (w hookedWaiter) newWaiter() (waiter, error) { w.timerWaiter = newTimerWaiter(); return w, nil }

func (w hookedWaiter) wait(sleep time.Duration) { w.timerWaiter.wait(sleep); w.slept() }

func (w hookedWaiter) drain() { w.drains(); w.timerWaiter.drain() }

// oversleeping runs test in virtual time, with a driver that reports pauses of a second and more to the handler.
func oversleeping(t *testing.T, handler func(t *testing.T, d *Driver, p Pause),
	test func(t *testing.T, d *Driver, oversleep func(time.Duration)), opts ...Option) {
	synctest.Test(t, func(t *testing.T) {
		by := make(chan time.Duration, 1)
		slept := func() {
			select {
			case late := <-by:
				time.Sleep(late)
			default:
			}
		}
		var d *Driver
		opts = append(opts, WithWaiting(hookedWaiter{slept: slept, drains: func() {}}), WithPauseHandler(time.Second, func(p Pause) { handler(t, d, p) }))
		d = must.Get(Start(heapsched.New[Task](), opts...))(t)
		defer d.Close(context.Background())
		test(t, d, func(late time.Duration) { by <- late })
	})
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A pause is reported once, with how late the worker woke and how many tasks
// began then, after they have; the next one is counted afresh.
func TestPauseIsReported(t *testing.T) {
	var heard []Pause
	fired := 0
	handler := func(t *testing.T, _ *Driver, p Pause) {
		heard = append(heard, p)
		require.Equal(t, []int{10, 21}[len(heard)-1], fired, "everything due has begun")
	}
	oversleeping(t, handler, func(t *testing.T, d *Driver, oversleep func(time.Duration)) {
		for i := range 30 {
			armed(t, d, time.Second+time.Duration(i)*time.Hour/10, func() { fired++ })
		}
		oversleep(54 * time.Minute)
		pass(55 * time.Minute)
		require.Equal(t, []Pause{{54 * time.Minute, 10}}, heard)
		pass(10 * time.Minute) // on time again
		require.Len(t, heard, 1)
		require.Equal(t, 11, fired)
		oversleep(time.Hour - 6*time.Minute)
		pass(time.Hour)
		require.Equal(t, []Pause{{54 * time.Minute, 10}, {54 * time.Minute, 10}}, heard)
	})
}

// What takes less than the handler is for is no pause; nor is a task that takes
// long, a long sleep, or a sleep without end.
func TestNoPauseIsReported(t *testing.T) {
	handler := func(t *testing.T, _ *Driver, p Pause) { t.Error("pause", p) }
	oversleeping(t, handler, func(t *testing.T, d *Driver, oversleep func(time.Duration)) {
		oversleep(time.Second - 1)
		armed(t, d, time.Second, func() {})
		armed(t, d, time.Second+1, func() { time.Sleep(time.Hour) })
		armed(t, d, time.Minute, func() {})
		pass(2 * time.Hour)
		pass(24 * time.Hour)
		armed(t, d, 24*time.Hour, func() {})
		pass(24 * time.Hour)
		require.Equal(t, uint64(4), d.Stats().Fired)
	})
	oversleeping(t, handler, func(t *testing.T, d *Driver, oversleep func(time.Duration)) {
		armed(t, d, time.Second, func() {})
		pass(time.Minute)
	}, WithSlack(30*time.Second))
}

// The handler may do what a task may: close the driver, panic, and end its goroutine.
func TestPauseHandlerIsLikeATask(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, d *Driver){
		"close":  func(t *testing.T, d *Driver) { require.Len(t, must.Get(d.CloseNow())(t), 1) },
		"panic":  func(*testing.T, *Driver) { panic(errors.New("broken")) },
		"goexit": func(*testing.T, *Driver) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			heard := 0
			handler := func(t *testing.T, d *Driver, _ Pause) { heard++; do(t, d) }
			oversleeping(t, handler, func(t *testing.T, d *Driver, oversleep func(time.Duration)) {
				fired := 0
				oversleep(time.Minute)
				for range 2 {
					armed(t, d, time.Duration(1+fired)*time.Second, func() {})
				}
				armed(t, d, time.Hour, func() { fired++ })
				pass(2 * time.Hour)
				require.Equal(t, 1, heard)
				if name != "close" {
					require.Equal(t, 1, fired, "the worker goes on")
				}
			}, WithPanicHandler(func(any, []byte) {}))
		})
	}
}

// The worker voids kicks before it looks for work, and none after that: a timer for which it was kicked is not forgotten.
func TestKicksBeforeTheLookAreVoid(t *testing.T) {
	for _, inbox := range []Inbox{Locked{}, Queued{}} {
		synctest.Test(t, func(t *testing.T) {
			do := func() {}
			d := must.Get(Start(heapsched.New[Task](), WithInbox(inbox), WithWaiting(hookedWaiter{slept: func() {}, drains: func() { do() }})))(t)
			defer d.CloseNow()
			left, began := 5, 0
			do = func() {
				if left--; left >= 0 {
					delay := time.Duration(left+1) * time.Minute // each is earlier than the one before
					due := d.Now() + delay
					armed(t, d, delay, func() {
						require.Equal(t, due, d.Now())
						began++
					})
				}
			}
			armed(t, d, time.Hour, func() {})
			pass(30 * time.Minute)
			require.Equal(t, 5, began)
		})
	}
}
