package driver

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"schedbench/schedulers"
)

// Queued leaves the scheduler to the worker alone, as Netty's HashedWheelTimer does. A new timer goes into a queue. When
// the worker wakes, it first takes stopped timers out of the scheduler. Then it moves new ones into it, oldest first.
// Then it begins what is due.
//
// AfterFunc, Stop and ResetPending write a record and a place of 8 bytes under a mutex. The worker takes all places at once. It
// holds that mutex for 64 timers or one task at a time, and never while it calls the scheduler.
//
// The scheduler does its work when the worker wakes next:
//
//   - A new timer costs its insertion then. A timer that was reset goes through the queue again and costs the move. With
//     SkipToNext the worker is woken for a deadline before the end of its sleep, and when 4096 timers are in the queue.
//     With FixedTick the tick comes anyway. While tasks run inline, new timers wait in the queue.
//   - Stop drops the task and frees the record at once. Until the worker wakes, the timer keeps 8 bytes of the queue,
//     and its room in the scheduler if it was moved. If it was not, it never gets into the scheduler. The worker is
//     woken when stopped timers outnumber pending ones by more than 4096; while a task runs inline it cannot be.
//   - A refusal by the scheduler comes too late for AfterFunc and ResetPending to return it. Only a deadline beyond the
//     horizon is refused at once, if the scheduler has a method Horizon() time.Duration that returns how far ahead of
//     its clock a deadline may lie. Else, and when the scheduler is full, the timer is Cancelled and never runs. It counts
//     in Stats.Rejected, and the error goes to the logger. The handler of WithCancelHandler is not called for it.
//
// Timer.State knows a timer without WithStates, after Close too, until another timer has its record or the record is
// dropped. The lists of the queue do not shrink after a burst. They keep 8 bytes a place, for up to twice as many places
// as have waited at once, and the same for stopped timers.
type Queued struct {
	// PerWakeup is the largest number of new timers that one wake-up moves, since moving many delays what is due. The
	// default, 0, is 100,000, as in Netty. The next wake-up moves the rest: it comes at once with SkipToNext, and with
	// the next tick with FixedTick. With FixedTick the limit is one for each tick: a worker that has missed some moves
	// as many as it would have, even if it has not slept. It must not be negative.
	PerWakeup int
	// KeepStopped leaves in the queue, until its turn, the place of a timer that was stopped before it was moved. It
	// counts among PerWakeup, as in Netty. After a flood of timers that were stopped at once, a new timer waits
	// until all those were passed, and nothing bounds how many are held. By default no timer waits for stopped ones.
	KeepStopped bool
}

const (
	defaultPerWakeup = 100_000
	wakeForWaiting   = 4096 // timers in the queue that wake the worker
	mostHeld         = 4096 // stopped timers, beyond the number of pending ones, that wake the worker
)

func (o Queued) open(c *core, s schedulers.Scheduler[Task]) error {
	if o.PerWakeup < 0 {
		return fmt.Errorf("%w: %d timers moved per wake-up, want 0 for %d, or more", ErrOption, o.PerWakeup, defaultPerWakeup)
	}
	k, err := newClocked(c, s)
	if err != nil {
		return err
	}
	q := newQueue(k, o)
	c.states = true
	c.intake, c.inboxes = q, []inbox{q}
	return nil
}

// queue stands before the scheduler of a Queued driver. The scheduler holds the IDs of timers. A pending timer is
// waiting, with a place in the queue, or moved. The note of its record says which. A timer that was reset waits again,
// and what the scheduler hands out for its old deadline does not begin.
//
// Callers add places to incoming. When the worker has passed the places that it took before, it takes all of incoming
// at once. The place of a stopped timer is stale.
type queue struct {
	timers                             // their mutex protects the fields up to stale
	incoming           []schedulers.ID // places
	cancelled          []schedulers.ID // in the scheduler
	stale              int             // places
	_                  [64]byte
	perWakeup          int
	keeps              bool          // stale places, until their turn
	skips              bool          // the worker has no ticks, so it has to be woken
	least, every, tick time.Duration // the least sleep; the FixedTick or forever; the scheduler's tick
	horizon            time.Duration // of the scheduler

	working sync.Mutex // held by the worker and by Close; locked before that of timers; protects what follows
	clocked            // the scheduler
	worker  queueWorker
}

// queueWorker is what the worker of a queue keeps.
type queueWorker struct {
	rested       bool            // it has slept
	took         time.Duration   // the instant of its last takeUp; negative before the first
	taken, out   []schedulers.ID // those that it took of incoming and of cancelled
	passed       int             // of taken
	stale        int             // stale places passed that queue.stale still counts
	moves        []queueMove     // up to movedAtOnce
	due          [64]Task        // IDs of timers to begin: those from begun to found
	begun, found int
	reports      []error // to be logged
}

// queueMove is a timer that the worker puts into the scheduler with nothing held.
type queueMove struct {
	id, inside schedulers.ID // inside is that in the scheduler
	deadline   time.Duration
	err        error
}

// The notes of a pending record.
const (
	noteMoved uint64 = iota
	noteWaiting
)

func newQueue(k clocked, o Queued) *queue {
	q := &queue{
		clocked: k, perWakeup: cmp.Or(o.PerWakeup, defaultPerWakeup), keeps: o.KeepStopped,
		every: forever, tick: tickOf(k.s), horizon: horizonOf(k.s),
		worker: queueWorker{rested: true, took: -1, moves: make([]queueMove, 0, movedAtOnce)},
	}
	q.timers.open(k.driver, q)
	switch waking := k.driver.waking.(type) {
	case FixedTick:
		q.every = time.Duration(waking)
	case SkipToNext:
		q.skips = true
	case SkipAtLeast:
		q.skips, q.least = true, time.Duration(waking)
	}
	return q
}

func (q *queue) add(deadline time.Duration, task taskRun) (Timer, error) {
	beyond := q.checkHorizon(deadline)
	q.mu.Lock()
	t, err := q.addLocked(deadline, task, beyond)
	q.mu.Unlock()
	return t, err
}

// addLocked is add for a caller that holds mu. beyond is the result of checkHorizon for the deadline.
func (q *queue) addLocked(deadline time.Duration, task taskRun, beyond error) (Timer, error) {
	if q.closed {
		return Timer{}, ErrClosed
	}
	if beyond != nil {
		return Timer{}, beyond
	}
	i, r := q.take()
	if r == nil {
		return Timer{}, fmt.Errorf("driver: %w: %d", schedulers.ErrFull, q.pending)
	}
	id := schedulers.MakeID(i, r.generation()+1)
	r.f, r.n = task.f, task.n
	q.wait(id, r, deadline)
	q.scheduled++
	q.pending++
	if !q.c.started.Load() {
		q.c.begin()
	}
	return Timer{&q.owner, id}, nil
}

// wait gives the timer of id a place in the queue.
func (q *queue) wait(id schedulers.ID, r *record, deadline time.Duration) {
	r.state.Store(stateWith(id.Generation(), noteWaiting, recordPending))
	q.incoming = append(q.incoming, id)
	q.wakeFor(deadline)
	if q.skips && len(q.incoming) >= wakeForWaiting {
		q.interrupt()
	}
}

// wakeFor wakes the worker if it sleeps beyond the new deadline of a timer.
func (q *queue) wakeFor(deadline time.Duration) {
	if q.skips && q.until != awake && after(after(roundUp(deadline, q.tick), q.c.slack), q.least) < q.until {
		q.interrupt()
	}
}

// interrupt wakes the worker, unless it is awake: then it sees what is incoming before it sleeps.
func (q *queue) interrupt() {
	if q.until != awake {
		q.until = awake
		q.c.kick()
	}
}

// roundUp returns the first multiple of tick that is not before a deadline.
func roundUp(deadline, tick time.Duration) time.Duration {
	if over := deadline % tick; over > 0 {
		return after(deadline, tick-over)
	}
	return deadline
}

// checkHorizon refuses a deadline that the scheduler could refuse when the timer is moved. The horizon counts from the
// tick of the scheduler's clock, which the worker can move to the present before.
func (q *queue) checkHorizon(deadline time.Duration) error {
	if q.horizon == forever {
		return nil
	}
	clock := q.c.waking.instant(q.c.now())
	if ahead := roundUp(deadline, q.tick) - (clock - clock%q.tick); ahead > q.horizon {
		return fmt.Errorf("driver: %w: %v is %v ahead of the scheduler's clock, want at most %v",
			schedulers.ErrBeyondHorizon, deadline, deadline-clock, q.horizon)
	}
	return nil
}

func (q *queue) stop(id schedulers.ID) bool {
	q.mu.Lock()
	ok := q.stopLocked(id)
	q.mu.Unlock()
	return ok
}

func (q *queue) stopLocked(id schedulers.ID) bool {
	r := q.find(id)
	if r == nil {
		return false
	}
	if noteOf(r.state.Load()) == noteWaiting {
		q.stale++
	}
	if r.place() != 0 {
		q.cancelled = append(q.cancelled, r.place())
	}
	q.drop(id, r, recordCancelled)
	q.stopped++
	q.c.release(1)
	if q.holdsTooMany() {
		q.interrupt()
	}
	return true
}

func (q *queue) drop(id schedulers.ID, r *record, ended uint64) {
	r.f = nil
	r.setPlace(0)
	q.file(id.Cell(), r, id.Generation(), ended)
	q.pending--
}

// holdsTooMany reports whether the queue and the scheduler hold too many stopped timers.
func (q *queue) holdsTooMany() bool {
	return !q.keeps && q.stale+len(q.cancelled) > mostHeld+q.pending
}

func (q *queue) reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.find(id)
	if r == nil {
		return false, nil
	}
	if err := q.checkHorizon(deadline); err != nil {
		return false, err
	}
	if r.n = int64(deadline); noteOf(r.state.Load()) == noteWaiting {
		q.wakeFor(deadline)
	} else {
		q.wait(id, r, deadline)
	}
	q.moved++
	return true, nil
}

func (q *queue) takeAll(visit func(Timer, taskRun)) {
	q.working.Lock()
	defer q.working.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timers.close(visit)
	q.incoming, q.cancelled = nil, nil
	q.s, q.worker = nil, queueWorker{reports: q.worker.reports} // the worker still logs the reports
}
