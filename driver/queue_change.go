package driver

import (
	"runtime"
	"time"

	"schedbench/schedulers"
)

// What follows changes a timer that is pending, on whatever goroutine.

// stop is lock-free, but that it waits for a reset of the same timer.
func (q *queue) stop(id schedulers.ID) bool {
	if !q.cancel(id) {
		return false
	}
	q.c.release(1)
	return true
}

// cancel ends the timer of id, if it is pending, and leaves its record to the
// worker.
func (q *queue) cancel(id schedulers.ID) bool {
	r, generation := q.records.at(id.Cell()), id.Generation()
	if r == nil {
		return false
	}
	for {
		switch r.phase(generation) {
		case phaseWaiting:
			if !r.become(generation, phaseWaiting, phaseStopping) {
				continue
			}
			q.forget(r)
			if !r.become(generation, phaseStopping, phaseCancelled) { // the worker was first
				r.f = nil
				r.become(generation, phaseUnlinked, phaseCancelled)
				q.reclaimed.Add(1)
				q.records.put(id.Cell(), r)
			}
		case phaseMoved:
			if !r.become(generation, phaseMoved, phaseCancelled) {
				continue
			}
			q.forget(r)
			q.cancels.push(id.Cell(), r)
		case phaseResetting, phaseOutside:
			runtime.Gosched()
			continue
		default:
			return false
		}
		q.stopped.Add(1)
		if q.holdsTooMany() {
			q.interrupt(awake)
		}
		return true
	}
}

// forget drops the task of a record that has just been stopped, unless All may
// be reading it.
func (q *queue) forget(r *queueRecord) {
	if !q.listing.Load() {
		r.f = nil
	}
}

// holdsTooMany reports whether too many records are held that were stopped.
func (q *queue) holdsTooMany() bool {
	if q.keeps {
		return false
	}
	held := q.stopped.Load() - q.reclaimed.Load()
	return held > mostHeld && held > mostHeld+q.scheduled.Load()-q.ended()
}

func (q *queue) ended() int64 { return q.stopped.Load() + q.fired.Load() + q.refused.Load() }

// reset is waited for by Close, so that none finds a record of which that has
// disposed. It is lock-free, but that it waits for another one of the same timer.
func (q *queue) reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	q.moving.Add(1)
	ok, err := q.change(id, deadline)
	if ok {
		q.moved.Add(1)
	} else {
		q.moving.Add(-1)
	}
	return ok, err
}

// awaitResets waits until none is under way. If there are as many that have begun as
// there were that had ended, nothing is between.
func (q *queue) awaitResets() {
	for ended := q.moved.Load(); q.moving.Load() != ended; ended = q.moved.Load() {
		runtime.Gosched()
	}
}

// change gives the timer of id another deadline, if it is pending: in its record, and
// has the worker move it in the scheduler. What the scheduler hands out for the old
// deadline meanwhile does not begin, since the record is not moved.
func (q *queue) change(id schedulers.ID, deadline time.Duration) (bool, error) {
	r, generation := q.records.at(id.Cell()), id.Generation()
	if r == nil || q.closed.Load() {
		return false, nil
	}
	if err := q.checkHorizon(deadline); err != nil {
		return false, err
	}
	for {
		switch r.phase(generation) {
		case phaseWaiting:
			if !r.become(generation, phaseWaiting, phaseResetting) {
				continue
			}
			r.n.Store(int64(deadline))
			if r.become(generation, phaseResetting, phaseWaiting) {
				q.wakeFor(r)
				return true, nil
			} // else the worker has come upon it, and taken it out of the queue
		case phaseMoved:
			if !r.become(generation, phaseMoved, phaseOutside) {
				continue
			}
			r.n.Store(int64(deadline))
		case phaseResetting, phaseOutside:
			runtime.Gosched()
			continue
		default:
			return false, nil
		}
		r.state.Store(stateOf(generation, phaseWaiting))
		q.putIn(id, r)
		return true, nil
	}
}
