package driver

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"schedbench/schedulers"
)

// Locked puts timers into the scheduler at once, under a mutex. It is the
// simplest and, as long as one goroutine at a time makes or stops timers, the
// fastest.
type Locked struct{}

func (Locked) open(c *core, s schedulers.Scheduler[Task]) error {
	sh, err := newShard(c, s)
	c.intake, c.inboxes = sh, []inbox{sh}
	return err
}

// shard is a scheduler behind a mutex. A Locked driver has one, a Sharded driver
// several. Goroutines and the worker call the scheduler alike, so what Expire
// hands out has begun: nobody has to be asked whether it was stopped meanwhile.
type shard struct {
	owner
	mu sync.Mutex // protects what follows
	clocked
	tasks     movable       // the scheduler
	until     time.Duration // the instant the worker comes back at the latest, or awake
	closed    bool
	one       [1]Task  // where Expire puts what is due
	ended     outcomes // what became of timers, if that is to be remembered
	scheduled uint64
	moved     uint64
	stopped   uint64
	fired     uint64

	_ [64]byte // what another shard's goroutine writes is on another cache line
}

func newShard(c *core, s schedulers.Scheduler[Task]) (*shard, error) {
	k, err := newClocked(c, s)
	if err != nil {
		return nil, err
	}
	tasks := movableOf(s)
	k.s = tasks
	sh := &shard{clocked: k, tasks: tasks, until: awake}
	sh.owner = owner{c: c, inbox: sh}
	if c.states {
		sh.ended = outcomes{}
	}
	return sh, nil
}

func (sh *shard) add(deadline time.Duration, task Task) (Timer, error) {
	sh.mu.Lock()
	t, err := sh.addLocked(deadline, task)
	sh.mu.Unlock()
	return t, err
}

// addLocked is add for a caller who holds mu.
func (sh *shard) addLocked(deadline time.Duration, task Task) (Timer, error) {
	if sh.closed {
		return Timer{}, ErrClosed
	}
	id, err := sh.schedule(deadline, task)
	if err != nil {
		return Timer{}, err
	}
	sh.scheduled++
	if deadline < sh.until {
		sh.interrupt()
	}
	if !sh.c.started.Load() {
		sh.c.begin()
	}
	return Timer{&sh.owner, id}, nil
}

// interrupt wakes the worker if it sleeps too long for a deadline that has just been
// given, and is before the end of its sleep. The caller holds mu.
func (sh *shard) interrupt() {
	if sh.c.waking.interrupted(sh.s, sh.until-sh.c.slack) {
		sh.until = awake
		sh.c.kick()
	}
}

func (sh *shard) stop(id schedulers.ID) bool {
	sh.mu.Lock()
	ok := !sh.closed && sh.s.Cancel(id)
	if ok {
		sh.stopped++
		sh.c.release(1)
		sh.ended.cancelled(id)
	}
	sh.mu.Unlock()
	return ok
}

// reset has no need to start the worker: a timer has done so before.
func (sh *shard) reset(id schedulers.ID, deadline time.Duration) (ok bool, err error) {
	sh.mu.Lock()
	if !sh.closed {
		ok, err = sh.reschedule(sh.tasks, id, deadline)
		if ok = ok && err == nil; ok {
			sh.tasks.Value(id).n = int64(deadline)
			sh.moved++
			if deadline < sh.until {
				sh.interrupt()
			}
		}
	}
	sh.mu.Unlock()
	return ok, err
}

func (sh *shard) state(id schedulers.ID) State {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	switch {
	case sh.ended == nil:
		return Unknown
	case !sh.closed && sh.tasks.Value(id) != nil:
		return IsPending
	}
	return sh.ended.state(id)
}

func (sh *shard) next(instant time.Duration) (task Task, ok bool) {
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

func (sh *shard) rest(now time.Duration) time.Duration {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return forever
	}
	sh.until = sh.c.sleepUntil(sh.s, now)
	return sh.until
}

func (sh *shard) len() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return 0
	}
	return sh.s.Len()
}

func (sh *shard) addTo(st *Stats) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	st.Scheduled += sh.scheduled
	st.Reset += sh.moved
	st.Stopped += sh.stopped
	st.Fired += sh.fired
}

func (sh *shard) appendAll(all []Pending, now time.Duration) ([]Pending, error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return nil, ErrClosed
	}
	for id, task := range sh.tasks.All() {
		all = append(all, Pending{Timer: Timer{&sh.owner, id}, Remaining: task.deadline() - now, Func: task.f})
	}
	return all, nil
}

func (sh *shard) takeAll(now time.Duration) []Unfired {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed = true
	if sh.ended != nil {
		for id := range sh.tasks.All() {
			sh.ended.cancelled(id)
		}
	}
	unfired := make([]Unfired, 0, sh.s.Len())
	due := make([]Task, 256)
	for n := len(due); n == len(due); {
		n = sh.s.Expire(forever, due)
		for _, task := range due[:n] {
			unfired = append(unfired, Unfired{task.deadline() - now, task.f})
		}
	}
	sh.s, sh.tasks = nil, nil
	return unfired
}

// Sharded spreads timers over several schedulers, each under a mutex of its own,
// all served by one worker. A goroutine keeps to one of them as a rule, so that
// goroutines which make and stop their own timers hardly wait for each other.
// Tasks of different shards that are due at once begin shard by shard; within a
// shard they begin in the order of the scheduler.
type Sharded struct {
	// Shards is the number of schedulers, at least 1.
	Shards int
	// New makes one more scheduler like that given to Start.
	New func() (schedulers.Scheduler[Task], error)
}

func (o Sharded) open(c *core, s schedulers.Scheduler[Task]) error {
	const most = 1 << 10
	if o.Shards < 1 || o.Shards > most {
		return fmt.Errorf("%w: %d shards, want 1 to %d", ErrOption, o.Shards, most)
	}
	if o.New == nil {
		return fmt.Errorf("%w: Sharded without New, want a function that makes a scheduler", ErrOption)
	}
	var to shards
	for {
		sh, err := newShard(c, s)
		if err != nil {
			return err
		}
		to, c.inboxes = append(to, sh), append(c.inboxes, sh)
		if len(to) == o.Shards {
			c.intake = to
			return nil
		}
		if s, err = o.New(); err != nil {
			return fmt.Errorf("driver: scheduler of shard %d: %w", len(to), err)
		}
	}
}

// shards are those of a Sharded driver.
type shards []*shard

func (all shards) add(deadline time.Duration, task Task) (Timer, error) {
	sh := all.lockOne()
	t, err := sh.addLocked(deadline, task)
	sh.mu.Unlock()
	return t, err
}

// lockOne locks the shard that a new timer goes to, and returns it: one that
// belongs to this goroutine as a rule, so that goroutines that make and stop
// their own timers do not wait for each other.
//
// Where a goroutine's stack lies tells it from others at no cost. The low bits
// depend on how deep in calls it is.
func (all shards) lockOne() *shard {
	var here byte
	n := len(all)
	i := int((uint64(uintptr(unsafe.Pointer(&here)))>>11*0x9e3779b97f4a7c15)>>33) % n
	for range n {
		if sh := all[i]; sh.mu.TryLock() {
			return sh
		}
		if i++; i == n {
			i = 0
		}
	}
	sh := all[i]
	sh.mu.Lock()
	return sh
}
