package driver

import (
	"math"
	"slices"
	"time"

	"schedbench/schedulers"
)

// What follows is the worker's side of a queue.

// next returns the next due task. The first call after a sleep, and after each tick, brings the scheduler up to date.
func (q *queue) next(instant time.Duration) (task taskRun, ok bool) {
	q.working.Lock()
	w := &q.worker
	if q.s != nil {
		// Not between two tasks of a batch, where a new worker goes on if a task has ended its goroutine. A timer that
		// was reset meanwhile would be moved again, and then taken for one that is due with the batch.
		if w.begun == w.found && (w.rested || instant-w.took >= q.every) {
			q.takeUp(q.room(instant))
		}
	}
	for len(w.reports) > 0 {
		err := w.reports[0]
		w.reports = w.reports[1:]
		q.working.Unlock() // the logger is not ours: it may call the driver, or end the goroutine
		q.c.log().Error("timer dropped, the scheduler refuses it", "error", err)
		q.working.Lock()
	}
	if q.s != nil {
		task, ok = q.begin(instant)
	}
	q.working.Unlock()
	return task, ok
}

// room returns how many timers may be moved at an instant: for a late worker, as many as in all the ticks it missed.
func (q *queue) room(instant time.Duration) int {
	ticks := (instant - q.worker.took) / q.every
	if q.worker.took < 0 { // it has just begun
		ticks = 1
	}
	q.worker.took = instant
	return q.perWakeup * int(min(max(ticks, 1), time.Duration(math.MaxInt/q.perWakeup)))
}

// takeUp brings the scheduler up to date, and moves at most room new timers.
func (q *queue) takeUp(room int) {
	w := &q.worker
	w.rested = false
	q.mu.Lock()
	q.until = awake
	w.out, q.cancelled = q.cancelled, w.out[:0]
	q.mu.Unlock()
	for _, inside := range w.out {
		q.s.Cancel(inside)
	}
	q.move(room)
	q.sweep()
}

// move puts timers into the scheduler, in the order of their places, and as many as there is room for.
func (q *queue) move(room int) {
	w := &q.worker
	for more := true; more; {
		room, more = q.pass(room)
		q.mu.Lock()
		q.stale -= w.stale
		w.stale = 0
		for i := range w.moves {
			q.leave(&w.moves[i])
		}
		q.mu.Unlock()
		for i := range w.moves {
			q.insert(&w.moves[i])
		}
		q.mu.Lock()
		for i := range w.moves {
			q.settle(&w.moves[i])
		}
		q.mu.Unlock()
	}
}

// pass walks through the queue until it has a batch of timers to move. It returns the room that is left, and whether there may be
// more to move. A stale place stays stale, so pass reads many records without mu, and no call waits for it.
func (q *queue) pass(room int) (left int, more bool) {
	w := &q.worker
	for w.moves = w.moves[:0]; len(w.moves) < cap(w.moves) && room > 0; w.passed++ {
		if w.passed == len(w.taken) {
			w.passed = 0
			q.mu.Lock()
			w.taken, q.incoming = q.incoming, w.taken[:0]
			q.mu.Unlock()
			if len(w.taken) == 0 {
				return room, false
			}
		}
		id := w.taken[w.passed]
		if q.find(id) != nil {
			room--
			w.moves = append(w.moves, queueMove{id: id})
			continue
		}
		if w.stale++; q.keeps {
			room--
		}
	}
	return room, room > 0
}

// leave marks a timer as moved to the scheduler, unless it was stopped. The caller holds mu.
func (q *queue) leave(m *queueMove) {
	r := q.find(m.id)
	if r == nil {
		q.stale--
		m.id = 0
		return
	}
	r.state.Store(stateWith(m.id.Generation(), noteMoved, recordPending))
	m.inside, m.deadline = r.place(), r.deadline()
}

// insert puts a timer into the scheduler, or to another place there. Stop and Reset may come meanwhile.
func (q *queue) insert(m *queueMove) {
	if m.id == 0 {
		return
	}
	if m.inside != 0 {
		if to, ok := q.s.(schedulers.Resetter); ok {
			if ok, err := q.reschedule(to, m.inside, m.deadline); ok && err == nil {
				return
			}
		}
		q.s.Cancel(m.inside)
	}
	if m.inside, m.err = q.schedule(m.deadline, Task{int64(m.id)}); m.err != nil {
		m.inside = 0
	}
}

// settle notes where a timer is in the scheduler. One that the scheduler refuses ends, unless a Reset has queued it again.
// The caller holds mu.
func (q *queue) settle(m *queueMove) {
	r := q.find(m.id)
	if r == nil { // it was stopped meanwhile
		if m.inside != 0 {
			q.cancelled = append(q.cancelled, m.inside)
		}
		return
	}
	r.setPlace(m.inside)
	if m.err == nil || noteOf(r.state.Load()) == noteWaiting {
		return
	}
	if r.n >= 0 { // one that repeats keeps its room until it is stopped
		q.c.release(1)
	}
	q.drop(m.id, r, recordCancelled)
	q.c.rejected.Add(1)
	q.worker.reports = append(q.worker.reports, m.err)
}

// sweep takes stale places out of the queue if PerWakeup leaves too many there.
func (q *queue) sweep() {
	w := &q.worker
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.holdsTooMany() {
		return
	}
	more := q.incoming
	q.incoming = nil
	q.mu.Unlock()
	all := slices.Concat(w.taken[w.passed:], more)
	w.taken, w.passed = slices.DeleteFunc(all, func(id schedulers.ID) bool { return q.find(id) == nil }), 0
	q.mu.Lock()
	q.stale -= len(all) - len(w.taken)
}

// begin begins the first timer that is due and was not stopped. The scheduler hands out a batch at a time; begin skips
// the timers of it that were stopped or reset since.
func (q *queue) begin(instant time.Duration) (taskRun, bool) {
	for w := &q.worker; ; w.begun++ {
		if w.begun == w.found {
			q.clock = max(q.clock, instant)
			w.begun, w.found = 0, q.s.Expire(q.clock, w.due[:])
			if w.found == 0 {
				return taskRun{}, false
			}
			if w.found > 1 {
				q.touchDue()
			}
		}
		if task, ok := q.claim(schedulers.ID(w.due[w.begun].n)); ok {
			w.begun++
			return task, true
		}
	}
}

// touchDue loads the records of a batch, and then their tasks. It does nothing else: the processor waits for many together.
func (q *queue) touchDue() {
	due := q.worker.due[:q.worker.found]
	for _, task := range due {
		q.find(schedulers.ID(task.n))
	}
	q.mu.Lock()
	for _, task := range due {
		if r := q.find(schedulers.ID(task.n)); r != nil {
			r.touchTask()
		}
	}
	q.mu.Unlock()
}

// claim ends the timer of id, which the scheduler has handed out. It returns the task, unless the timer was stopped or
// reset.
func (q *queue) claim(id schedulers.ID) (task taskRun, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.find(id)
	if r == nil || noteOf(r.state.Load()) == noteWaiting {
		return taskRun{}, false
	}
	task = taskRun{r.f, r.n}
	q.drop(id, r, recordFired)
	q.fired++
	q.late.add(q.c.begun(task))
	return task, true
}

// rest returns the end of the worker's sleep, and publishes it. If new timers are in the queue and no tick comes for them,
// or if too many stopped timers are held, the worker does not sleep.
func (q *queue) rest(now time.Duration) time.Duration {
	q.working.Lock()
	defer q.working.Unlock()
	if q.s == nil {
		return forever
	}
	q.worker.rested = true
	until := q.c.sleepUntil(q.s, now)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.skips && len(q.incoming)+len(q.worker.taken) > q.worker.passed || q.holdsTooMany() {
		return min(until, now)
	}
	q.until = until
	return until
}
