package driver

import (
	"fmt"
	"sync"
	"time"

	"schedbench/schedulers"
)

// Locked puts timers into the scheduler at once, under a mutex. It is the
// simplest and, as long as one goroutine at a time makes or stops timers, the
// fastest.
type Locked struct{}

func (Locked) open(c *core, s schedulers.Scheduler[Task]) (intake, []inbox, error) {
	sh, err := newShard(c, s)
	if err != nil {
		return nil, nil, err
	}
	return sh, []inbox{sh}, nil
}

// shard is a scheduler behind a mutex. A Locked driver has one, a Sharded driver
// several. Goroutines and the worker call the scheduler alike, so what Expire
// hands out has begun: nobody has to be asked whether it was stopped meanwhile.
type shard struct {
	owner
	mu sync.Mutex // protects what follows
	clocked
	until     time.Duration // the instant the worker comes back at the latest, or awake
	closed    bool
	one       [1]Task   // where Expire puts what is due
	ended     *outcomes // what became of timers, if that is to be remembered
	scheduled uint64
	stopped   uint64
	fired     uint64

	_ [64]byte // what another shard's goroutine writes is on another cache line
}

func newShard(c *core, s schedulers.Scheduler[Task]) (*shard, error) {
	k, err := newClocked(c, s)
	if err != nil {
		return nil, err
	}
	sh := &shard{clocked: k, until: awake}
	sh.owner = owner{c, sh}
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
	sh.wakeFor(deadline)
	return Timer{&sh.owner, id, task.f}, nil
}

// wakeFor wakes the worker if it sleeps too long for a deadline that has just
// been scheduled, and starts it if that is the first. The caller holds mu.
func (sh *shard) wakeFor(deadline time.Duration) {
	if deadline < sh.until && sh.c.waking.interrupted(sh.s, sh.until-sh.c.slack) {
		sh.until = awake
		sh.c.kick()
	}
	if !sh.c.started.Load() {
		sh.c.begin()
	}
}

func (sh *shard) stop(id schedulers.ID) bool {
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

// reset takes the new place before it gives up the old one, since the scheduler
// may refuse.
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
	sh.wakeFor(deadline)
	return Timer{&sh.owner, made, f}, true, nil
}

func (sh *shard) state(id schedulers.ID) State {
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
	st.Stopped += sh.stopped
	st.Fired += sh.fired
}

func (sh *shard) appendAll(all []Pending, now time.Duration) ([]Pending, error) {
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
		all = append(all, Pending{Timer: Timer{&sh.owner, id, task.f}, Remaining: task.deadline() - now, Func: task.f})
	}
	return all, nil
}

func (sh *shard) takeAll(now time.Duration) []Unfired {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.closed = true
	if sh.ended != nil {
		for id := range sh.s.(schedulers.Ranger[Task]).All() {
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
	sh.s = nil
	return unfired
}
