package driver

import (
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
)

// shard is a scheduler behind a mutex. A Locked driver has one, a Sharded driver several. Goroutines and the worker call
// the scheduler alike.
type shard struct {
	lazy    bool          // places may be left behind
	horizon time.Duration // of the scheduler, or forever
	timers
	clocked // the scheduler
	mover   schedulers.Resetter
	peeker  schedulers.Peeker[Task] // shows places that were left behind before they come, if the worker sleeps until then
	idle    idleRecords

	// handed has the timers whose places have come: the IDs of those from begun to found. Each may still be stopped, or reset.
	handed       [handedAtOnce]Task
	begun, found int
	// refused has pending timers that were put off, and for which the scheduler has no room. The worker wakes for them.
	refused []Task
}

func newShard(c *core, s schedulers.Scheduler[Task]) (*shard, error) {
	k, err := newClocked(c, s)
	if err != nil {
		return nil, err
	}
	sh := &shard{clocked: k, horizon: horizonOf(s)}
	sh.timers.open(c, sh)
	sh.mover, sh.lazy = s.(schedulers.Resetter)
	_, approximate := s.(schedulers.Approximate) // a place that is left behind would keep the lateness of a longer delay
	sh.lazy = sh.lazy && !c.atOnce && !approximate
	if _, ticks := c.waking.(FixedTick); sh.lazy && !ticks {
		sh.peeker, _ = s.(schedulers.Peeker[Task])
	}
	return sh, nil
}

func (sh *shard) add(deadline time.Duration, task taskRun) (Timer, error) {
	sh.mu.Lock()
	t, err := sh.addLocked(deadline, task)
	sh.mu.Unlock()
	return t, err
}

// addLocked is add for a caller who holds mu.
func (sh *shard) addLocked(deadline time.Duration, task taskRun) (Timer, error) {
	if sh.closed {
		return Timer{}, ErrClosed
	}
	i, r := sh.takeIdle()
	if r == nil {
		if i, r = sh.take(); r == nil {
			return Timer{}, fmt.Errorf("driver: %w: %d", schedulers.ErrFull, sh.left())
		}
	}
	state := r.state.Load()
	if r.inside == 0 || deadline < time.Duration(r.n) || !sh.within(deadline) {
		if err := sh.put(i, r, deadline); err != nil {
			sh.release(i, r, uint32(state>>32), state&phaseMask)
			return Timer{}, err
		}
		r.n = int64(deadline)
	}
	generation, note := uint32(state>>32)+1, noteOfPlace(time.Duration(r.n))
	r.f, r.n = task.f, task.n
	r.state.Store(stateWith(generation, note, recordPending))
	sh.scheduled++
	sh.pending++
	if deadline < sh.until {
		sh.interrupt()
	}
	if !sh.c.started.Load() {
		sh.c.begin()
	}
	return Timer{&sh.owner, schedulers.MakeID(i, generation)}, nil
}

// within reports whether the scheduler would take a deadline that is put off now.
func (sh *shard) within(deadline time.Duration) bool {
	return sh.horizon == forever || deadline-sh.clock <= sh.horizon-tickOf(sh.s)
}

// put gives record i the place of a deadline in the scheduler.
func (sh *shard) put(i uint32, r *record, deadline time.Duration) error {
	if r.inside != 0 && sh.mover != nil {
		if ok, err := sh.reschedule(sh.mover, r.inside, deadline); ok {
			return err
		}
	}
	id, err := sh.schedule(deadline, Task{int64(i)})
	if err == nil {
		if r.inside != 0 {
			sh.s.Cancel(r.inside)
		}
		r.inside = id
	}
	return err
}

// release files record i, which is free, and takes its place out of the scheduler.
func (sh *shard) release(i uint32, r *record, generation uint32, ended uint64) {
	if r.inside != 0 {
		sh.s.Cancel(r.inside)
		r.inside = 0
	}
	sh.file(i, r, generation, ended)
}

// left returns how many timers are pending. The caller holds mu.
func (sh *shard) left() int {
	if sh.closed {
		return 0
	}
	return sh.pending - int(sh.idle.stopped())
}

// trim files up to two of the idle records, if these are too many. Each timer that ends adds at most one, and lowers the
// limit by half of one.
func (sh *shard) trim() {
	for n := 0; n < 2 && !sh.closed && sh.idle.len() > sh.left()/2+mostIdle; n++ {
		i, r := sh.takeIdle()
		state := r.state.Load()
		sh.release(i, r, uint32(state>>32), state&phaseMask)
	}
}

// mostIdle is how many records wait for the next timers when theirs have ended, beyond half of those that are pending.
const mostIdle = 256

// interrupt wakes the worker if its sleep is too long for a deadline just given, before its end. The caller holds mu.
func (sh *shard) interrupt() {
	if sh.c.waking.interrupted(sh.s, sh.until-sh.c.slack) {
		sh.until = awake
		sh.c.kick()
	}
}

// stop takes the mutex only if the place of the timer does not stay, or many records are idle.
func (sh *shard) stop(id schedulers.ID) bool {
	r := sh.at(id.Cell())
	if r == nil {
		return false
	}
	list := sh.idle.own()
	top := list.top.Load()
	state, ok := r.end(id.Generation(), top&math.MaxUint32)
	if !ok {
		return false
	}
	list.stopped.Add(1)
	sh.c.release(1)
	r.f = nil
	if !sh.lazy || r.n < 0 || id.Generation() == math.MaxUint32 {
		sh.mu.Lock()
		if !sh.closed {
			sh.release(id.Cell(), r, id.Generation(), recordCancelled)
			sh.trim()
		}
		sh.mu.Unlock()
		return true
	}
	r.n = int64(bound(state, time.Duration(r.n)))
	if !list.top.CompareAndSwap(top, with(top, id.Cell())) {
		list.add(id.Cell(), r, id.Generation(), recordCancelled)
	}
	if top>>32 >= mostIdle/idleLists {
		sh.mu.Lock()
		sh.trim()
		sh.mu.Unlock()
	}
	return true
}

// reset has no need to start the worker: a timer has done so before.
func (sh *shard) reset(id schedulers.ID, deadline time.Duration) (ok bool, err error) {
	if sh.lazy && sh.horizon == forever {
		if r := sh.at(id.Cell()); r != nil && r.putOff(id.Generation(), deadline) {
			sh.idle.own().later.Add(1)
			return true, nil
		}
	}
	sh.mu.Lock()
	if r := sh.find(id); r != nil {
		if ok, err = sh.resetLocked(id, r, deadline); ok {
			sh.moved++
			if deadline < sh.until {
				sh.interrupt()
			}
		}
	}
	sh.mu.Unlock()
	return ok, err
}

// resetLocked gives the timer of id, which is that of r, another deadline, unless it was stopped meanwhile.
func (sh *shard) resetLocked(id schedulers.ID, r *record, deadline time.Duration) (ok bool, err error) {
	state, ok := r.own()
	if !ok {
		return false, nil
	}
	if !sh.lazy || deadline < bound(state, r.deadline()) || !sh.within(deadline) {
		if err = sh.put(id.Cell(), r, deadline); err == nil {
			state = stateWith(id.Generation(), noteOfPlace(deadline), recordPending)
		}
	}
	if err == nil {
		r.n = int64(deadline)
	}
	r.state.Store(state)
	return err == nil, err
}

func (sh *shard) len() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.left()
}

func (sh *shard) addTo(st *Stats) {
	sh.timers.addTo(st)
	st.Stopped += sh.idle.stopped()
	for i := range sh.idle {
		st.Reset += sh.idle[i].later.Load()
	}
}

func (sh *shard) takeAll(visit func(Timer, taskRun)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.timers.close(visit)
	sh.s, sh.mover, sh.peeker = nil, nil, nil
}
