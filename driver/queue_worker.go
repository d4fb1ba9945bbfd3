package driver

import (
	"math"
	"time"

	"schedbench/schedulers"
)

// What follows is the worker's side of a queue.

// The first call of next after a sleep, and after each tick, brings the scheduler up to date.
func (q *queue) next(instant time.Duration) (task taskRun, ok bool) {
	q.mu.Lock()
	if !q.closed.Load() {
		// Not between two tasks of a batch, one of which may have ended the worker and begun another one: who was
		// reset meanwhile would be moved again, and then taken for one that is due with the batch.
		if q.begun == q.found && (q.rested || instant-q.took >= q.every) {
			q.takeUp(q.room(instant))
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

// room returns how many timers may be moved at an instant: so many for each tick that a late worker has
// missed, as if it had been in time.
func (q *queue) room(instant time.Duration) int {
	ticks := (instant - q.took) / q.every
	if q.took < 0 { // it has just begun
		ticks = 1
	}
	q.took = instant
	return q.perWakeup * int(min(max(ticks, 1), time.Duration(math.MaxInt/q.perWakeup)))
}

// takeUp brings the scheduler up to date, with so many new timers at most.
func (q *queue) takeUp(room int) {
	if q.rested {
		q.rested = false
		q.until.Store(int64(awake))
	}
	q.takeOut()
	q.move(room)
	q.free()
}

// takeOut takes out of the scheduler what was stopped in it. What was stopped in the queue leaves its
// place there behind, where nobody finds it.
func (q *queue) takeOut() {
	for link := q.cancels.takeAll(); link != 0; {
		n := link - 1
		r := q.records.at(n)
		link = r.next
		if inside := *q.records.inside(n); inside != 0 {
			q.s.Cancel(inside)
		}
		q.discard(n, r)
	}
}

// move puts new timers, and those that were reset, into the scheduler, in the order of their
// places, and as many as there is room for. A place that is not filled yet is left for later, so
// that who was suspended before he filled it holds up nobody. But those that one goroutine has taken
// keep their order: when he has filled one, he has filled all before it, though perhaps after they were
// looked at. So these are looked at again once it is seen that a place is filled, and before it is passed.
func (q *queue) move(room int) {
	room = q.passEarly(room)
	for room > 0 {
		place, ok := q.places.read(&q.read)
		if !ok {
			break
		}
		if len(q.early) > 0 && q.isFilled(place, q.records.at(place.Cell())) {
			if room = q.passEarly(room); room == 0 {
				q.early = append(q.early, place)
				break
			}
		}
		before := len(q.early)
		room -= q.pass(place)
		q.places.late = q.places.late || len(q.early) > before
	}
	q.records.places.passed.Store(q.places.passed)
}

// passEarly passes the places that the worker came to too early and that are filled now, as many as
// there is room for, and returns how much is left.
func (q *queue) passEarly(room int) int {
	early := q.early
	q.early = early[:0] // those that are early still are written where they were read
	for i, place := range early {
		if room == 0 {
			q.early = append(q.early, early[i:]...)
			break
		}
		room -= q.pass(place)
	}
	return room
}

// pass moves the timer at a place, if it has one still, and returns how many of those that
// may be moved it counts for.
func (q *queue) pass(place schedulers.ID) int {
	n, r := place.Cell(), q.records.at(place.Cell())
	if !q.isFilled(place, r) {
		q.early = append(q.early, place)
		return 0
	}
	id := place
	if r.phase(place.Generation()) == phaseAgain {
		id = schedulers.ID(r.n)
		q.discard(n, r)
		r = q.records.at(id.Cell())
	}
	if q.leave(id, r) {
		q.insert(id, r)
	} else if !q.keeps {
		return 0
	}
	return 1
}

// isFilled reports whether whoever has a place has filled its record, and if it is for a timer
// that is put back, whether that is waiting.
func (q *queue) isFilled(place schedulers.ID, r *queueRecord) bool {
	if r.generation() < place.Generation() {
		return false
	}
	if r.phase(place.Generation()) != phaseAgain {
		return true
	}
	id := schedulers.ID(r.n)
	return q.records.at(id.Cell()).phase(id.Generation()) != phaseOutside
}

// isWaiting reports whether something can be moved.
func (q *queue) isWaiting() bool {
	for _, place := range q.early {
		if q.isFilled(place, q.records.at(place.Cell())) {
			return true
		}
	}
	return q.places.ready()
}

// leave makes the timer of id, which is not in the queue any more, moved, and reports whether
// it did: not if it was stopped, or if it is being reset, since whoever does that puts it in again.
func (q *queue) leave(id schedulers.ID, r *queueRecord) bool {
	for generation := id.Generation(); ; {
		switch r.phase(generation) {
		case phaseWaiting:
			if r.become(generation, phaseWaiting, phaseMoved) {
				return true
			}
		case phaseResetting:
			if r.become(generation, phaseResetting, phaseOutside) {
				return false
			}
		default:
			return false
		}
	}
}

// discard frees a record in a while, together with others.
func (q *queue) discard(n uint32, r *queueRecord) {
	r.f, *q.records.inside(n) = nil, 0
	generation := r.generation()
	if generation == lastGeneration { // the next would repeat the first
		return
	}
	if q.freed = append(q.freed, schedulers.MakeID(n, generation+1)); len(q.freed) == stretchLen {
		q.free()
	}
}

// free frees what was discarded, and hands back what was read of the queue.
func (q *queue) free() {
	if len(q.freed)+len(q.read) > 0 {
		q.records.free(q.freed, q.read)
		q.freed, q.read = q.freed[:0], q.read[:0]
	}
}

// insert puts a timer that has just become moved into the scheduler, or to another
// place there. Stop and Reset may come meanwhile.
func (q *queue) insert(id schedulers.ID, r *queueRecord) {
	inside, deadline := q.records.inside(id.Cell()), r.deadline()
	if *inside != 0 {
		if to, ok := q.s.(schedulers.Resetter); ok {
			if ok, err := q.reschedule(to, *inside, deadline); ok && err == nil {
				return
			}
		}
		q.s.Cancel(*inside)
	}
	var err error
	if *inside, err = q.schedule(deadline, Task{int64(id)}); err == nil {
		return
	}
	*inside = 0
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
	q.discard(n, r)
}

// claim begins the first timer that is due and was not stopped. The scheduler
// hands out a batch at a time; what is stopped while it waits there is skipped.
func (q *queue) claim(instant time.Duration) (taskRun, bool) {
	for {
		if q.begun == q.found {
			q.clock = max(q.clock, instant)
			q.begun, q.found = 0, q.s.Expire(q.clock, q.due[:])
			if q.found == 0 {
				return taskRun{}, false
			}
		}
		id := schedulers.ID(q.due[q.begun].n)
		q.begun++
		r := q.records.at(id.Cell())
		if r == nil || !r.become(id.Generation(), phaseMoved, phaseFired) {
			continue
		}
		task := r.task()
		q.discard(id.Cell(), r)
		q.fired.Add(1)
		q.late.add(q.c.begun(task))
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
	q.free()
	until := q.c.sleepUntil(q.s, now)
	q.until.Store(int64(until))
	if q.skips && q.isWaiting() || q.holdsTooMany() {
		q.until.Store(int64(awake))
		return min(until, now)
	}
	return until
}
