package driver

import "time"

// Waiting decides how the worker sleeps: Runtime, Precise or Kernel.
type Waiting interface {
	// newWaiter returns a waiter for one worker.
	newWaiter() (waiter, error)
}

// Runtime lets the worker sleep on a timer of the Go runtime. It works everywhere and needs no file descriptor. It
// is as late as time.Timer: on Linux half a millisecond in the median, and a little over one at the 99th percentile, if
// the program has nothing else to do.
type Runtime struct{}

// Precise lets the worker sleep on a timer of the operating system that is not rounded to milliseconds. On Linux that
// is a timerfd. On an idle machine the worker is late by the time that a thread takes to wake up, mostly less than
// 0.1 ms. A wake-up costs no more CPU time than one of Runtime. If goroutines keep all processors and do not let go of
// them, the worker waits its turn, as with Runtime.
//
// It takes a file descriptor until the driver has ended after Close. Start returns an error if it gets none.
//
// On other systems, and in a driver started inside a testing/synctest bubble, Precise is Runtime.
type Precise struct{}

// Kernel is Precise, with 50 µs added to each sleep that has an end. Linux may let threads that sleep by futex, poll or
// nanosleep, as those of a Java virtual machine, sleep that much longer: one wake-up then serves several. On an idle
// machine they sleep longer by all of it. Where Precise is Runtime, Kernel is Runtime too.
type Kernel struct{}

// kernelSlack is how much longer Linux lets a thread sleep by default: timerslack_ns in proc(5).
const kernelSlack = 50 * time.Microsecond

// waiter is the worker's way of sleeping. The worker alone calls wait, and drain before every wait. Any goroutine may
// call kick at any time, after close too. No wait and no drain follow close.
type waiter interface {
	// wait sleeps for the given duration, or until there has been a kick since the last drain. Without a kick it never
	// returns sooner, and never at all if the duration is forever. With a duration that is not positive it returns at once.
	wait(sleep time.Duration)
	// kick ends the present wait, or the next one. It does not block.
	kick()
	// drain drops the kicks so far.
	drain()
	// close releases the waiter's resources.
	close() error
}

func (Runtime) newWaiter() (waiter, error) { return newTimerWaiter(), nil }

// timerWaiter sleeps on one timer of the Go runtime, which it resets for each sleep.
type timerWaiter struct {
	timer *time.Timer
	kicks chan struct{} // of capacity one: several kicks count as one
}

func newTimerWaiter() *timerWaiter {
	w := &timerWaiter{time.NewTimer(forever), make(chan struct{}, 1)}
	w.timer.Stop()
	return w
}

func (w *timerWaiter) wait(sleep time.Duration) {
	switch {
	case sleep <= 0:
		return
	case sleep == forever:
		<-w.kicks
		return
	}
	w.timer.Reset(sleep)
	select {
	case <-w.timer.C:
	case <-w.kicks:
		w.timer.Stop()
	}
}

func (w *timerWaiter) kick() {
	select {
	case w.kicks <- struct{}{}:
	default:
	}
}

func (w *timerWaiter) drain() {
	select {
	case <-w.kicks:
	default:
	}
}

func (w *timerWaiter) close() error { return nil }
