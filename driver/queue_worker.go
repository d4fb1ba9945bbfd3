package driver

import (
	"time"

	"schedbench/schedulers"
)

// What follows is the worker's side of a queue.

// The first call of next after a sleep brings the scheduler up to date.
func (q *queue) next(instant time.Duration) (task Task, ok bool) {
	q.mu.Lock()
	if !q.closed.Load() {
		if q.rested {
			q.rested = false
			q.until.Store(int64(awake))
			q.takeUp()
		}
		task, ok = q.claim(instant)
	}
	reports := q.reports
	q.reports = nil
	q.mu.Unlock()
	for _, err := range reports { // with nothing held: the logger is not ours
		q.c.log().Error("timer dropped, the scheduler refuses it", "error", err)
	}
	return task, ok
}

// takeUp brings the scheduler up to date.
func (q *queue) takeUp() {
	q.takeOut()
	q.fetch()
	q.move()
	q.free()
	if q.first != 0 && q.holdsTooMany() {
		q.sweep()
		q.free()
	}
}

// takeOut takes out of the scheduler what was stopped in it.
func (q *queue) takeOut() {
	for link := q.cancels.takeAll(); link != 0; {
		n := link - 1
		r := q.records.at(n)
		link = r.next.Load()
		q.s.Cancel(r.id)
		q.discard(n, r)
	}
}

// fetch appends what is incoming to what is to be moved, oldest first.
func (q *queue) fetch() {
	newest := q.incoming.takeAll()
	if newest == 0 {
		return
	}
	oldest := uint32(0)
	for link := newest; link != 0; {
		r := q.records.at(link - 1)
		older := r.next.Load()
		r.next.Store(oldest)
		oldest, link = link, older
	}
	q.toMove(oldest, newest)
}

// toMove appends linked records to those that are to be moved.
func (q *queue) toMove(first, last uint32) {
	if q.first == 0 {
		q.first = first
	} else {
		q.records.at(q.last - 1).next.Store(first)
	}
	q.last = last
}

// move puts new timers into the scheduler, as many as may be moved at once.
func (q *queue) move() {
	for room := q.perWakeup; room > 0 && q.first != 0; {
		n := q.first - 1
		r := q.records.at(n)
		q.first = r.next.Load()
		if q.leave(n, r) {
			q.insert(schedulers.MakeID(n, r.generation()), r)
			room--
		} else if q.keeps {
			room--
		}
	}
}

// leave makes the timer of a record that is in no list any more moved, and reports
// whether it did: not if it was stopped, or if it is being reset, since whoever does
// that puts it in again.
func (q *queue) leave(n uint32, r *queueRecord) bool {
	for {
		switch generation := r.generation(); r.phase(generation) {
		case phaseWaiting:
			if r.become(generation, phaseWaiting, phaseMoved) {
				return true
			}
		case phaseResetting:
			if r.become(generation, phaseResetting, phaseOutside) {
				return false
			}
		default:
			q.unlink(n, r)
			return false
		}
	}
}

// sweep takes out what was stopped while it waits to be moved. It costs a step
// for each that waits, and a good part of them is stopped, or else there would be
// no need.
func (q *queue) sweep() {
	link := q.first
	q.first, q.last = 0, 0
	for link != 0 {
		here, r := link, q.records.at(link-1)
		link = r.next.Load()
		if !queuePhase(r.state.Load()).pending() {
			q.unlink(here-1, r)
			continue
		}
		r.next.Store(0)
		q.toMove(here, here)
	}
}

// unlink discards a record that was stopped before it was moved and is in no list
// any more, or leaves that to its stopper if that is still busy with it. If it was
// reset after it had been moved, it is in the scheduler.
func (q *queue) unlink(n uint32, r *queueRecord) {
	if r.id != 0 {
		q.s.Cancel(r.id)
	}
	if !r.become(r.generation(), phaseStopping, phaseUnlinked) {
		q.discard(n, r)
	}
}

// discard collects a record that was stopped, to be freed.
func (q *queue) discard(n uint32, r *queueRecord) {
	r.f = nil
	q.discarded.add(n, r)
}

// free frees what was discarded, all at once, since others want to take records.
func (q *queue) free() {
	q.reclaimed.Add(int64(q.discarded.count))
	q.records.putAll(q.discarded)
	q.discarded = queueFreed{}
}

// insert puts a timer that has just become moved into the scheduler, or to another
// place there. Stop and Reset may come meanwhile.
func (q *queue) insert(id schedulers.ID, r *queueRecord) {
	deadline := r.deadline()
	if r.id != 0 {
		if to, ok := q.s.(schedulers.Resetter); ok {
			if ok, err := q.reschedule(to, r.id, deadline); ok && err == nil {
				return
			}
		}
		q.s.Cancel(r.id)
	}
	var err error
	if r.id, err = q.schedule(deadline, Task{n: int64(id)}); err == nil {
		return
	}
	r.id = 0
	if r.become(id.Generation(), phaseMoved, phaseCancelled) {
		q.refuse(id.Cell(), r, err)
	}
}

// refuse ends a timer for which the scheduler has no room. One that repeats
// keeps its own among the pending until it is stopped.
func (q *queue) refuse(n uint32, r *queueRecord, err error) {
	q.refused.Add(1)
	q.c.rejected.Add(1)
	if !r.repeats() {
		q.c.release(1)
	}
	q.reports = append(q.reports, err)
	r.f = nil
	q.records.put(n, r)
}

// claim begins the first timer that is due and was not stopped. The scheduler
// hands out a batch at a time; what is stopped while it waits there is skipped.
func (q *queue) claim(instant time.Duration) (Task, bool) {
	for {
		if q.begun == q.found {
			q.clock = max(q.clock, instant)
			q.begun, q.found = 0, q.s.Expire(q.clock, q.due[:])
			if q.found == 0 {
				return Task{}, false
			}
		}
		id := schedulers.ID(q.due[q.begun].n)
		q.begun++
		r := q.records.at(id.Cell())
		if r == nil || !r.become(id.Generation(), phaseMoved, phaseFired) {
			continue
		}
		task := r.task()
		r.f = nil
		q.records.put(id.Cell(), r)
		q.fired.Add(1)
		q.c.begun(task)
		return task, true
	}
}

// rest publishes until when the worker sleeps: not at all if there is more to
// move, or if something came in before that was published.
func (q *queue) rest(now time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed.Load() {
		return forever
	}
	q.rested = true
	until := q.c.sleepUntil(q.s, now)
	if q.skips && q.first != 0 {
		return min(until, now)
	}
	q.until.Store(int64(until))
	if q.skips && !q.incoming.empty() || q.holdsTooMany() {
		q.until.Store(int64(awake))
		return min(until, now)
	}
	return until
}
