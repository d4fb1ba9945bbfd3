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
		switch p := r.phase(generation); p {
		case phaseWaiting, phaseMoved:
			if !r.become(generation, p, phaseCancelled) {
				continue
			}
			q.forget(r)
			if held := q.cancels.push(id.Cell(), r); held > mostHeld && held%lookEvery == 0 && q.holdsTooMany() {
				q.interrupt(awake)
			}
			return true
		case phaseResetting, phaseOutside:
			runtime.Gosched()
		default:
			return false
		}
	}
}

// forget drops the task of a record that has just been stopped, unless All may
// be reading it.
func (q *queue) forget(r *queueRecord) {
	if !q.listing.Load() {
		r.f = nil
	}
}

// lookEvery is for every how many of those that were stopped one sees whether they are too many.
const lookEvery = 16

// holdsTooMany reports whether too many records are held that were stopped.
func (q *queue) holdsTooMany() bool {
	if q.keeps {
		return false
	}
	held := q.cancels.held()
	return held > mostHeld && held > mostHeld+q.pending()
}

// reset is waited for by Close, so that none finds a record of which that has
// disposed. It is as add is, but that it waits for another one of the same timer.
func (q *queue) reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	q.moving.Add(1)
	ok, err := q.change(id, deadline)
	if !ok {
		q.moving.Add(-1)
	}
	return ok, err
}

// awaitResets waits until none is under way. If there are as many that have begun as
// there were that had ended, nothing is between.
func (q *queue) awaitResets() {
	for ended := q.resets(); q.moving.Load() != ended; ended = q.resets() {
		runtime.Gosched()
	}
}

// resets returns how many have ended, but for those that did nothing.
func (q *queue) resets() int64 { return q.inPlace.Load() + q.again.Load() }

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
			r.postpone(deadline)
			if r.become(generation, phaseResetting, phaseWaiting) {
				q.wakeFor(deadline)
				q.inPlace.Add(1)
				return true, nil
			}
			q.putBack(q.takePlace(), id, r) // the worker has come upon it, and passed its place
		case phaseMoved:
			place, _, err := q.records.take()
			if err != nil {
				return false, err
			}
			if !r.become(generation, phaseMoved, phaseOutside) {
				q.waste(place)
				continue
			}
			r.postpone(deadline)
			q.putBack(place, id, r)
		case phaseResetting, phaseOutside:
			runtime.Gosched()
			continue
		default:
			return false, nil
		}
		q.wakeFor(deadline)
		q.again.Add(1)
		return true, nil
	}
}

// takePlace is take of the records for who cannot go back, and so waits if all records there may be
// are in use.
func (q *queue) takePlace() schedulers.ID {
	for {
		if place, _, err := q.records.take(); err == nil {
			return place
		}
		runtime.Gosched()
	}
}

// putBack has the worker find the timer of id again at a place, and then makes it waiting. A
// worker that comes between finds a place of which it is not time yet, as one that is not filled.
func (q *queue) putBack(place, id schedulers.ID, r *queueRecord) {
	q.records.at(place.Cell()).fill(place.Generation(), taskRun{n: int64(id)}, phaseAgain)
	r.state.Store(stateOf(id.Generation(), phaseWaiting))
}

// waste fills a place with nothing.
func (q *queue) waste(place schedulers.ID) {
	q.records.at(place.Cell()).fill(place.Generation(), taskRun{}, phaseAgain)
	q.records.places.wasted.Add(1)
}
