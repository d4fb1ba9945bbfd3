package driver

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/schedulers"
)

// Queued leaves the scheduler to the worker alone, as Netty's HashedWheelTimer
// does: a new timer goes into a queue, and so does one that is stopped. When the
// worker wakes it first takes what was stopped out of the scheduler, then moves
// what is new into it, oldest first, and then begins what is due.
//
// AfterFunc and Stop cost two atomic operations each and Reset a few,
// whatever the scheduler; a goroutine that is suspended in one of them holds up
// nobody else, but that a Stop or Reset waits for a Reset of the same timer, and that one in
// 128 of AfterFunc and Reset takes a mutex for a moment. They allocate only when more timers are held
// than ever before, or if one was suspended halfway.
//
// Deferred to the worker's next wake-up is all that the scheduler does:
//
//   - A new timer costs its insertion then, and one that was reset goes through the
//     queue again and costs the move. With SkipToNext the worker is woken for a
//     deadline that comes before the end of its sleep, and for every 4096 timers in
//     the queue; with FixedTick the tick comes anyway. While tasks run inline, what
//     they or others schedule waits in the queue.
//   - A stopped timer drops its task at once, but keeps its room in the
//     scheduler, a record of 40 bytes, and 8 bytes of queue, until then. If it was not moved yet
//     it never gets into the scheduler. The worker is woken when as many are held
//     as are pending and 4096 more; while a task runs inline it cannot be.
//   - A refusal by the scheduler comes too late for AfterFunc to return it. A
//     deadline beyond the horizon is refused at once nevertheless, if the
//     scheduler has a method Horizon() time.Duration that says how far ahead of
//     its clock a deadline may lie. Else, and when the scheduler is full, the
//     timer counts as cancelled and in Stats.Rejected, and an error is written to
//     the logger.
//
// Driver.All lists the timers whatever the scheduler, and Timer.State knows them
// without WithStates, after Close too. Records are not given back before Close:
// there are as many as were ever held at one time.
type Queued struct {
	// PerWakeup is how many new timers at most are moved in one wake-up, so that
	// many of them do not delay what is due. The default, 0, is 100,000, as in
	// Netty. The rest is moved in the next wake-up, which comes at once with
	// SkipToNext, and with the next tick with FixedTick. There it counts for each tick: a worker that
	// has missed some moves as many as it would have, also without having slept. It must not be negative.
	PerWakeup int
	// KeepStopped leaves the place of a timer that is stopped before it was moved in the queue until
	// its turn, and counts it among PerWakeup, as Netty does: after a flood of timers that were
	// stopped at once, a new one waits until all those were passed, and nothing bounds how many are
	// held. Without it nobody has to wait for what was stopped.
	KeepStopped bool
}

const (
	defaultPerWakeup = 100_000
	wakeForWaiting   = 4096 // wake the worker for every so many in the queue
	mostHeld         = 4096 // and for so many held that are stopped, beyond those pending
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
	c.intake, c.inboxes = q, []inbox{q}
	return nil
}

// queue is what stands before the scheduler of a Queued driver. The scheduler
// holds the IDs of records; the state of a record decides whether its timer
// fires.
//
// A place in the queue comes with a record, which is free until its taker has filled it. So taking
// and queueing a timer is one atomic operation, and to fill the record and stop the timer are one each,
// and one to hand the record back: as many as Netty's timer takes. All else is counted by these.
//
// Two rules see to it that nothing is lost, and both rest on the order that Go
// gives to atomic operations. Before the worker sleeps it publishes until when,
// and then checks which places are taken, and of those that it came to too early which are filled; a new
// timer becomes waiting first, and is then compared with that instant. So one of the two sees
// the other. Likewise Close marks the queue closed and then goes through all records; a new timer is
// made pending first, and then the mark is read.
type queue struct {
	owner
	perWakeup int
	keeps     bool          // what was stopped, until its turn
	skips     bool          // the worker has no ticks, so it has to be woken
	least     time.Duration // for how long it sleeps at least
	tick      time.Duration // to which the scheduler rounds deadlines up
	horizon   time.Duration // of the scheduler
	records   queueRecords
	closed    atomic.Bool
	listing   atomic.Bool  // All is reading tasks, so leave them
	until     atomic.Int64 // the instant the worker comes back at the latest, or awake

	_       [64]byte     // each of these is written by other goroutines
	moving  atomic.Int64 // resets that have begun, but for those that did nothing
	inPlace atomic.Int64 // those that have ended and left the timer where it was in the queue
	again   atomic.Int64 // and those that have put it in again
	_       [64]byte
	cancels queueStack // stopped: in the scheduler perhaps, or in the queue
	_       [64]byte
	fired   atomic.Int64
	refused atomic.Int64
	_       [64]byte

	mu      sync.Mutex // the worker's, but for its start, All and Close; protects what follows
	clocked            // the scheduler
	late    lateness
	rested  bool          // the worker has slept
	took    time.Duration // the instant of its last takeUp, or less than none
	every   time.Duration // of FixedTick, or forever
	places  queueReader
	early   []schedulers.ID // places that it came to too early
	due     [64]Task        // IDs of records to claim: those from begun to found
	begun   int
	found   int
	reports []error // to be logged

	freed []schedulers.ID // the next IDs of records that are to be freed
	read  []*queueStretch // to be used again
}

func newQueue(k clocked, o Queued) *queue {
	q := &queue{clocked: k, perWakeup: cmp.Or(o.PerWakeup, defaultPerWakeup), keeps: o.KeepStopped, tick: tickOf(k.s), horizon: horizonOf(k.s), rested: true, took: -1, every: forever}
	q.owner = owner{c: k.driver, inbox: q}
	first := q.records.init()
	q.places = queueReader{in: first, at: stretchLen}
	q.until.Store(int64(awake))
	switch waking := q.c.waking.(type) {
	case FixedTick:
		q.every = time.Duration(waking)
	case SkipToNext:
		q.skips = true
	case SkipAtLeast:
		q.skips, q.least = true, time.Duration(waking)
	}
	if q.skips {
		q.records.waiting = q.wakeForMany
	}
	return q
}

// add is lock-free, but for the first timer, and for one in stretchLen, which adds places to the
// queue.
func (q *queue) add(deadline time.Duration, task taskRun) (Timer, error) {
	if q.closed.Load() {
		return Timer{}, ErrClosed
	}
	if err := q.checkHorizon(deadline); err != nil {
		return Timer{}, err
	}
	id, r, err := q.records.take()
	if err != nil {
		return Timer{}, err
	}
	r.fill(id.Generation(), task, phaseWaiting)
	if q.closed.Load() && r.become(id.Generation(), phaseWaiting, phaseCancelled) {
		q.records.places.wasted.Add(1)
		return Timer{}, ErrClosed // and Close has not seen it
	}
	q.wakeFor(deadline)
	if !q.c.started.Load() {
		q.begin()
	}
	return Timer{&q.owner, id}, nil
}

// wakeFor wakes the worker if it sleeps beyond the deadline of a timer that has just become
// waiting.
func (q *queue) wakeFor(deadline time.Duration) {
	if q.skips {
		q.interrupt(after(after(q.roundUp(deadline), q.c.slack), q.least))
	}
}

// wakeForMany wakes the worker if many places wait for it.
func (q *queue) wakeForMany(places int64) {
	if places >= wakeForWaiting {
		q.interrupt(awake)
	}
}

// begin starts the worker, unless the queue is closed.
func (q *queue) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed.Load() {
		q.c.begin()
	}
}

// interrupt wakes the worker if it sleeps beyond an instant. Whoever finds it
// awake may rely on that: it checks what is incoming before it sleeps, or else it
// is being woken by another.
func (q *queue) interrupt(instant time.Duration) {
	for {
		until := q.until.Load()
		if until == int64(awake) || int64(instant) >= until {
			return
		}
		if q.until.CompareAndSwap(until, int64(awake)) {
			q.c.kick()
			return
		}
	}
}

// roundUp returns the instant at which the scheduler lets a deadline fire.
func (q *queue) roundUp(deadline time.Duration) time.Duration {
	if over := deadline % q.tick; over > 0 {
		return after(deadline, q.tick-over)
	}
	return deadline
}

// checkHorizon refuses a deadline that the scheduler could refuse when it is moved. The
// horizon is counted from the tick of its clock, and the worker can move that to
// the present before it moves the timer.
func (q *queue) checkHorizon(deadline time.Duration) error {
	if q.horizon == forever {
		return nil
	}
	clock := q.c.waking.instant(q.c.now())
	if ahead := q.roundUp(deadline) - (clock - clock%q.tick); ahead > q.horizon {
		return fmt.Errorf("driver: %w: %v is %v ahead of the scheduler's clock, want at most %v",
			schedulers.ErrBeyondHorizon, deadline, deadline-clock, q.horizon)
	}
	return nil
}

func (q *queue) state(id schedulers.ID) State { return q.records.state(id) }

func (q *queue) len() int {
	if q.closed.Load() {
		return 0
	}
	return int(q.pending())
}

// pending counts twice how many timers have ended or were reset: if that is equal none was in
// between. If others keep doing that it returns an estimate.
func (q *queue) pending() int64 {
	for try := 0; ; try++ {
		ended, resets := q.ended(), q.resets()
		n := q.scheduled() - ended
		if q.ended() == ended && q.moving.Load() == resets || try == 16 {
			return max(0, n)
		}
	}
}

func (q *queue) ended() int64 { return q.cancels.pushed() + q.fired.Load() + q.refused.Load() }

// scheduled returns how many timers were made.
func (q *queue) scheduled() int64 { return q.records.used() - q.again.Load() }

func (q *queue) addTo(st *Stats) {
	st.Fired += uint64(q.fired.Load())
	st.Stopped += uint64(q.cancels.pushed())
	st.Scheduled += uint64(q.scheduled())
	st.Reset += uint64(q.resets())
	q.mu.Lock()
	defer q.mu.Unlock()
	q.late.addTo(st)
}

// list keeps every record that it may have found pending from being freed
// meanwhile.
func (q *queue) list(visit func(Timer, taskRun)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.listing.Store(true)
	defer q.listing.Store(false)
	for n, r := range q.records.all() {
		if state := r.state.Load(); queuePhase(state).pending() {
			visit(Timer{&q.owner, schedulers.MakeID(n, uint32(state>>32))}, r.task())
		}
	}
	return nil
}

func (q *queue) takeAll(visit func(Timer, taskRun)) {
	q.mu.Lock()
	q.closed.Store(true)
	q.mu.Unlock() // a Reset may be about to start the worker
	q.awaitResets()
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, r := range q.records.all() {
		generation := r.generation()
		if r.become(generation, phaseWaiting, phaseCancelled) || r.become(generation, phaseMoved, phaseCancelled) {
			visit(Timer{&q.owner, schedulers.MakeID(n, generation)}, r.task())
		}
	}
	q.records.close()
	q.s, q.places.in, q.early, q.freed, q.read = nil, nil, nil, nil, nil
}
