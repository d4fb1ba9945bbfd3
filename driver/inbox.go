package driver

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"schedbench/schedulers"
)

// Inbox decides how timers get into the scheduler: Locked, Sharded or Queued.
type Inbox interface {
	// open gives the driver of the scheduler s its inboxes and the intake of new timers.
	open(c *core, s schedulers.Scheduler[Task]) error
}

// Locked puts timers into the scheduler at once, under a mutex. Stop does without the mutex, and so does an AfterFunc that
// takes over the place of a stopped timer: see Places in the package comment.
type Locked struct{}

func (Locked) open(c *core, s schedulers.Scheduler[Task]) error {
	sh, err := newShard(c, s)
	c.intake, c.inboxes = sh, []inbox{sh}
	return err
}

// intake takes new timers: the only inbox of a driver, or all shards of a Sharded driver.
type intake interface {
	// add makes a timer, and starts or wakes the worker if need be.
	add(deadline time.Duration, task taskRun) (Timer, error)
}

// inbox has one scheduler of a driver and orders the calls to it: a shard or a queue.
type inbox interface {
	// stop stops the timer of id and reports whether it was pending.
	stop(id schedulers.ID) bool
	// reset gives the timer of id another deadline, and reports whether it was pending. An error leaves it as it was.
	reset(id schedulers.ID, deadline time.Duration) (bool, error)
	// state says what became of the timer of id.
	state(id schedulers.ID) State
	// len returns how many timers are pending.
	len() int
	// addTo adds the counts of this inbox.
	addTo(st *Stats)
	// list calls visit for each pending timer, with its task. The error is ErrClosed.
	list(visit func(Timer, taskRun)) error
	// takeAll closes the inbox and calls visit for each timer that was pending.
	takeAll(visit func(Timer, taskRun))

	// next begins the next task that is due at instant; ok is false if there is none. Only the worker calls next and rest.
	next(instant time.Duration) (task taskRun, ok bool)
	// rest returns the instant until which the worker may sleep for this inbox. From now on an earlier deadline wakes it.
	rest(now time.Duration) time.Duration
}

// timers are the records of an inbox, and counts of them.
type timers struct {
	owner
	records
	mu      sync.Mutex // protects what follows; a record is its owner's
	closed  bool
	until   time.Duration // the instant the worker comes back at the latest, or awake
	pending int

	scheduled, moved, stopped, fired uint64

	late lateness
}

func (ts *timers) open(c *core, in inbox) {
	ts.owner, ts.until = owner{c: c, inbox: in}, awake
	ts.records.open()
	ts.stays = c.states
}

func (ts *timers) len() int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.pending
}

func (ts *timers) state(id schedulers.ID) State {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.c.states {
		return Unknown
	}
	return ts.records.state(id)
}

func (ts *timers) addTo(st *Stats) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	st.Scheduled += ts.scheduled
	st.Reset += ts.moved
	st.Stopped += ts.stopped
	st.Fired += ts.fired
	st.LatenessSum += ts.late.sum
	st.LatenessWorst = max(st.LatenessWorst, ts.late.worst)
}

func (ts *timers) list(visit func(Timer, taskRun)) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		return ErrClosed
	}
	ts.all(func(i uint32, r *record, state uint64) uint64 {
		visit(Timer{&ts.owner, schedulers.MakeID(i, uint32(state>>32))}, taskRun{r.f, r.n})
		return state
	})
	return nil
}

// close ends all timers. The caller holds mu.
func (ts *timers) close(visit func(Timer, taskRun)) {
	ts.closed, ts.pending = true, 0
	ts.all(func(i uint32, r *record, state uint64) uint64 {
		visit(Timer{&ts.owner, schedulers.MakeID(i, uint32(state>>32))}, taskRun{r.f, r.n})
		r.f = nil
		return stateWith(uint32(state>>32), 0, recordCancelled)
	})
	if !ts.c.states {
		ts.records.open()
	}
}

// clocked is a scheduler and the time of its clock, which stands still while the worker sleeps. The caller of a method
// holds the mutex of the inbox.
type clocked struct {
	driver *core
	s      schedulers.Scheduler[Task]
	clock  time.Duration // the last instant that Expire was given
	// precision is how far clock may lag when a timer is scheduled: a tick, if s is later for deadlines farther from its
	// clock; 0 is no limit.
	precision time.Duration
}

// newClocked refuses a scheduler that a driver cannot use.
func newClocked(c *core, s schedulers.Scheduler[Task]) (clocked, error) {
	if s == nil {
		return clocked{}, fmt.Errorf("%w: nil", ErrScheduler)
	}
	if n := s.Len(); n != 0 {
		return clocked{}, fmt.Errorf("%w: holds %d values", ErrScheduler, n)
	}
	if owned, ok := s.(schedulers.Claimer); ok && !owned.Claim() {
		return clocked{}, fmt.Errorf("%w: it was given to Start before", ErrScheduler)
	}
	k := clocked{driver: c, s: s}
	if _, ok := s.(schedulers.Approximate); ok {
		k.precision = tickOf(s)
	}
	return k, nil
}

// tickOf returns the tick that s rounds deadlines up to, a nanosecond if it has none.
func tickOf(s schedulers.Scheduler[Task]) time.Duration {
	if r, ok := s.(schedulers.Resolution); ok {
		return max(r.Tick(), 1)
	}
	return 1
}

// horizonOf returns how far ahead of its clock s takes deadlines, or forever if s does not say.
func horizonOf(s schedulers.Scheduler[Task]) time.Duration {
	if h, ok := s.(interface{ Horizon() time.Duration }); ok {
		return h.Horizon()
	}
	return forever
}

func (k *clocked) schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if k.precision > 0 {
		k.approach()
	}
	id, err := k.s.Schedule(deadline, task)
	if err != nil && k.mayTake(err) {
		id, err = k.s.Schedule(deadline, task)
	}
	return id, err
}

// reschedule gives a task another deadline in to, the scheduler, and reports as Reset does whether it was pending.
func (k *clocked) reschedule(to schedulers.Resetter, id schedulers.ID, deadline time.Duration) (bool, error) {
	if k.precision > 0 {
		k.approach()
	}
	ok, err := to.Reset(id, deadline)
	if err != nil && k.mayTake(err) {
		ok, err = to.Reset(id, deadline)
	}
	return ok, err
}

// approach moves the scheduler's clock as near to the present as precision says.
func (k *clocked) approach() {
	now := k.driver.now()
	k.advance(now - now%k.precision)
}

// mayTake reports whether the scheduler may take a deadline that it has refused: a
// horizon is counted from its clock, which has been moved to the present now.
func (k *clocked) mayTake(err error) bool {
	return errors.Is(err, schedulers.ErrBeyondHorizon) && k.advance(k.driver.now())
}

// advance moves the scheduler's clock to now, and reports whether it was behind. What is due stays for the worker, which
// is about to wake for it.
func (k *clocked) advance(now time.Duration) bool {
	now = k.driver.waking.instant(now)
	if now <= k.clock {
		return false
	}
	k.clock = now
	k.s.Expire(now, nil)
	return true
}
