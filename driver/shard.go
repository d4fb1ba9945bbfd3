package driver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"schedbench/schedulers"
)

// shard is a scheduler behind a mutex, or a queue before one. A driver has one,
// or several if it is Sharded.
type shard struct {
	c *core
	q *queue // of a Queued driver, to which all is left; else nil

	mu        sync.Mutex // protects what follows
	s         schedulers.Scheduler[Task]
	until     time.Duration // the instant the worker comes back at the latest, or awake
	clock     time.Duration // the last instant that Expire was given
	precision time.Duration // how exactly that must be the present for Schedule; 0 if it need not
	closed    bool
	one       [1]Task   // where Expire puts what is due
	ended     *outcomes // what became of timers, if that is to be remembered
	scheduled uint64
	stopped   uint64
	fired     uint64

	_ [64]byte // what another shard's goroutine writes is on another cache line
}

func newShard(c *core, s schedulers.Scheduler[Task]) (*shard, error) {
	sh := &shard{c: c, s: s, until: awake, precision: precision(s)}
	if in, ok := c.inbox.(Queued); ok {
		sh.q = newQueue(sh, in)
		return sh, nil
	}
	if c.states {
		_, holder := s.(schedulers.Holder)
		_, ranger := s.(schedulers.Ranger[Task])
		if !holder || !ranger {
			return nil, fmt.Errorf("%w: states of %T, want a schedulers.Holder and schedulers.Ranger", ErrOption, s)
		}
		sh.ended = new(outcomes)
	}
	return sh, nil
}

// precision returns how exactly the clock of s must be the present when something
// is scheduled: to the tick, if s is later the farther a deadline is from its clock.
func precision(s schedulers.Scheduler[Task]) time.Duration {
	if _, ok := s.(schedulers.Approximate); !ok {
		return 0
	}
	if r, ok := s.(schedulers.Resolution); ok {
		return r.Tick()
	}
	return 1
}

// add puts a new timer into the scheduler. The caller holds mu.
func (sh *shard) add(deadline time.Duration, task Task) (Timer, error) {
	if sh.closed {
		return Timer{}, ErrClosed
	}
	id, err := sh.schedule(deadline, task)
	if err != nil {
		return Timer{}, err
	}
	sh.scheduled++
	sh.rouse(deadline)
	return Timer{sh, id, task.f}, nil
}

// schedule puts a task into the scheduler. The caller holds mu.
func (sh *shard) schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	if sh.precision > 0 {
		now := sh.c.now()
		sh.advance(now - now%sh.precision)
	}
	id, err := sh.s.Schedule(deadline, task)
	if err != nil && sh.catchUp(err) {
		id, err = sh.s.Schedule(deadline, task)
	}
	return id, err
}

// rouse wakes the worker if it sleeps too long for a deadline that has just
// been scheduled, and starts it if that is the first. The caller holds mu.
func (sh *shard) rouse(deadline time.Duration) {
	if deadline < sh.until && sh.c.waking.interrupted(sh.s, sh.until-sh.c.slack) {
		sh.until = awake
		sh.c.kick()
	}
	if !sh.c.started.Load() {
		sh.c.begin()
	}
}

// catchUp reports whether a scheduler that refused a deadline with err may take
// it now. A horizon is counted from the scheduler's clock, which stands still
// while the worker sleeps, so catchUp moves that clock to now.
func (sh *shard) catchUp(err error) bool {
	return errors.Is(err, schedulers.ErrBeyondHorizon) && sh.advance(sh.c.now())
}

// advance moves the scheduler's clock to now, and reports whether it stood behind.
// What is due is left to the worker, which is about to wake for it anyway.
func (sh *shard) advance(now time.Duration) bool {
	now = sh.c.waking.instant(now)
	if now <= sh.clock {
		return false
	}
	sh.clock = now
	sh.s.Expire(now, nil)
	return true
}

// stop takes the timer of id back and reports whether it was pending.
func (sh *shard) stop(id schedulers.ID) bool {
	if sh.q != nil {
		return sh.q.stop(id)
	}
	sh.mu.Lock()
	ok := !sh.closed && sh.s.Cancel(id)
	if ok {
		sh.stopped++
		sh.c.release(1)
		if sh.ended != nil {
			sh.ended.cancelled(id)
		}
	}
	sh.mu.Unlock()
	return ok
}

// reset makes a timer for f at deadline in place of that of id, if it is
// pending: the new place is taken before the old one is given up, since the
// scheduler may refuse.
func (sh *shard) reset(id schedulers.ID, deadline time.Duration, f func()) (Timer, bool, error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return Timer{}, false, nil
	}
	made, err := sh.schedule(deadline, newTask(f, deadline))
	if err != nil {
		return Timer{}, false, err
	}
	if !sh.s.Cancel(id) {
		sh.s.Cancel(made)
		return Timer{}, false, nil
	}
	sh.scheduled++
	sh.stopped++
	if sh.ended != nil {
		sh.ended.cancelled(id)
	}
	sh.rouse(deadline)
	return Timer{sh, made, f}, true, nil
}

// state says what became of the timer of id.
func (sh *shard) state(id schedulers.ID) State {
	if sh.q != nil {
		return sh.q.state(id)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	switch {
	case sh.ended == nil:
		return Unknown
	case !sh.closed && sh.s.(schedulers.Holder).Holds(id):
		return IsPending
	}
	return sh.ended.state(id)
}

// next begins the next task that is due at instant; ok is false if there is
// none. Only the worker calls it: what Expire hands out has begun, so nobody has
// to be asked whether it was stopped meanwhile.
func (sh *shard) next(instant time.Duration) (task Task, ok bool) {
	if sh.q != nil {
		return sh.q.next(instant)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.until = awake
	if sh.closed {
		return Task{}, false
	}
	sh.clock = max(sh.clock, instant)
	if sh.s.Expire(instant, sh.one[:]) == 0 {
		return Task{}, false
	}
	task, sh.one[0] = sh.one[0], Task{}
	sh.fired++
	sh.c.begun(task)
	return task, true
}

// settle returns the instant until which the worker may sleep for all that
// this shard holds, and holds it to that.
func (sh *shard) settle(now time.Duration) time.Duration {
	if sh.q != nil {
		return sh.q.settle(now)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return forever
	}
	sh.until = sh.c.sleepUntil(sh.s, now)
	return sh.until
}

// len returns how many timers are pending.
func (sh *shard) len() int {
	if sh.q != nil {
		return sh.q.len()
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return 0
	}
	return sh.s.Len()
}

// addTo adds the counts of the shard.
func (sh *shard) addTo(st *Stats) {
	if sh.q != nil {
		sh.q.addTo(st)
		return
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	st.Scheduled += sh.scheduled
	st.Stopped += sh.stopped
	st.Fired += sh.fired
}

// appendAll appends the pending timers to all.
func (sh *shard) appendAll(all []Pending, now time.Duration) ([]Pending, error) {
	if sh.q != nil {
		return sh.q.appendAll(all, now), nil
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return nil, ErrClosed
	}
	r, ok := sh.s.(schedulers.Ranger[Task])
	if !ok {
		return nil, fmt.Errorf("%w: %T cannot list what is pending, want a schedulers.Ranger", ErrScheduler, sh.s)
	}
	for id, task := range r.All() {
		all = append(all, Pending{Timer: Timer{sh, id, task.f}, Remaining: task.deadline() - now, Func: task.f})
	}
	return all, nil
}

// takeAll empties the scheduler for good and returns what was pending, in the
// order of the deadlines.
func (sh *shard) takeAll(now time.Duration) (unfired []Unfired) {
	if sh.q != nil {
		return sh.q.takeAll(now)
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed = true
	if sh.ended != nil {
		for id := range sh.s.(schedulers.Ranger[Task]).All() {
			sh.ended.cancelled(id)
		}
	}
	unfired = make([]Unfired, 0, sh.s.Len())
	due := make([]Task, 256)
	for n := len(due); n == len(due); {
		n = sh.s.Expire(forever, due)
		for _, task := range due[:n] {
			unfired = append(unfired, Unfired{task.deadline() - now, task.f})
		}
	}
	sh.s = nil
	slices.SortStableFunc(unfired, func(a, b Unfired) int { return cmp.Compare(a.Remaining, b.Remaining) })
	return unfired
}
