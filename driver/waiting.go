package driver

import "time"

// A waiter is the worker's way of sleeping. Only the worker calls wait; kick
// and drain are called under the driver's mutex.
type waiter interface {
	// wait sleeps for the given duration, or until a kick. It returns at once
	// if there has been a kick since the last drain.
	wait(sleep time.Duration)
	// kick ends the present wait, or the next one. It does not block.
	kick()
	// drain makes the kicks so far void.
	drain()
}

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
