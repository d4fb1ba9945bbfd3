package driver

import "time"

// Waiting decides how the worker sleeps: Runtime or Precise.
type Waiting interface {
	// newWaiter returns a waiter for one worker.
	newWaiter() (waiter, error)
}

// A waiter is the worker's way of sleeping. The worker calls wait and drain,
// and close last of all; kick may be called by any goroutine at any time, after
// close too.
type waiter interface {
	// wait sleeps for the given duration, or until a kick, and never returns
	// sooner. It returns at once if there has been a kick since the last drain,
	// or if the duration is not positive. The duration forever means until a
	// kick.
	wait(sleep time.Duration)
	// kick ends the present wait, or the next one. It does not block.
	kick()
	// drain makes the kicks so far void.
	drain()
	// close gives back what the waiter holds of the system.
	close() error
}

// Runtime lets the worker sleep on a timer of the Go runtime. It works
// everywhere, inside a testing/synctest bubble too. Its lateness is that of
// time.Timer: about half a millisecond on Linux, and up to a little more than
// one, when the program has nothing else to do.
type Runtime struct{}

func (Runtime) newWaiter() (waiter, error) { return newTimerWaiter(), nil }

// timerWaiter sleeps on one timer of the Go runtime, used again and again.
type timerWaiter struct {
	timer *time.Timer
	kicks chan struct{} // of capacity one: many kicks are as good as one
}

func newTimerWaiter() *timerWaiter {
	w := &timerWaiter{time.NewTimer(forever), make(chan struct{}, 1)}
	w.timer.Stop()
	return w
}

func (w *timerWaiter) wait(sleep time.Duration) {
	if sleep == forever {
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
