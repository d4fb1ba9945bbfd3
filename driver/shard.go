package driver

import (
	"fmt"
	"sync/atomic"
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

	// Goroutines read these all the time. What others write is not near.
	dormant atomic.Bool   // the worker sleeps as if nothing were pending, whatever places there are
	full    atomic.Bool   // too many records were idle when they were counted
	filled  atomic.Uint32 // the lists that may have a record, list n at bit n; set after one was added
	idle    idleRecords

	// handed has the timers whose places have come: the IDs of those from begun to found. Each may still be stopped, or reset.
	handed       [handedAtOnce]Task
	begun, found int
	// refused has pending timers that were put off, and for which the scheduler has no room. The worker wakes for them.
	refused []Task
	ended   uint64 // the number of the last idle record whose timer fired, plus 1; the others follow by their notes
	spent   int    // how many these are
	unseen  int    // how many timers may be stopped until idle records are counted again
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
	t, i, r := sh.start(deadline, task)
	if t.in != nil {
		return t, nil
	}
	sh.mu.Lock()
	t, err := sh.addLocked(deadline, task, i, r)
	sh.mu.Unlock()
	return t, err
}

// addLocked is add for a caller who holds mu, and who has taken record i, unless r is nil.
func (sh *shard) addLocked(deadline time.Duration, task taskRun, i uint32, r *record) (Timer, error) {
	if sh.closed {
		return Timer{}, ErrClosed
	}
	if r == nil {
		i, r = sh.takeIdle()
	}
	if r == nil {
		i, r = sh.take()
	}
	if r == nil {
		return Timer{}, fmt.Errorf("driver: %w: %d", schedulers.ErrFull, sh.left())
	}
	state := r.state.Load()
	if r.place() == 0 || deadline < time.Duration(r.n) || !sh.within(deadline) {
		if err := sh.put(i, r, deadline); err != nil {
			sh.release(i, r, uint32(state>>32), state&phaseMask)
			return Timer{}, err
		}
		r.n = int64(deadline)
	}
	generation, place := uint32(state>>32)+1, time.Duration(r.n)
	r.f, r.n = task.f, task.n
	r.state.Store(stateWith(generation, noteOfPlace(place), recordPending))
	sh.scheduled++
	sh.pending++
	if place < sh.until { // not the deadline: a Reset to one between them would not wake the worker
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
	if r.place() != 0 && sh.mover != nil {
		if ok, err := sh.reschedule(sh.mover, r.place(), deadline); ok {
			return err
		}
	}
	id, err := sh.schedule(deadline, Task{int64(i)})
	if err == nil {
		if r.place() != 0 {
			sh.s.Cancel(r.place())
		}
		r.setPlace(id)
	}
	return err
}

// release files record i, which is free, and takes its place out of the scheduler.
func (sh *shard) release(i uint32, r *record, generation uint32, ended uint64) {
	if r.place() != 0 {
		sh.s.Cancel(r.place())
		r.setPlace(0)
	}
	sh.file(i, r, generation, ended)
}

// left returns how many timers are pending. The caller holds mu.
func (sh *shard) left() int {
	if sh.closed {
		return 0
	}
	return sh.pending + sh.idle.pending()
}

// interrupt wakes the worker if its sleep is too long for a deadline just given, before its end. The caller holds mu.
func (sh *shard) interrupt() {
	if sh.c.waking.interrupted(sh.s, sh.until-sh.c.slack) {
		sh.until = awake
		sh.c.kick()
	}
}

// reset has no need to start the worker: a timer has done so before.
func (sh *shard) reset(id schedulers.ID, deadline time.Duration) (ok bool, err error) {
	if sh.lazy && sh.horizon == forever {
		if r := sh.at(id.Cell()); r != nil && r.putOff(id.Generation(), deadline) {
			list, _ := sh.idle.mine()
			list.later.Add(1)
			return true, nil
		}
	}
	sh.mu.Lock()
	if r := sh.at(id.Cell()); r != nil {
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

// resetLocked gives the timer of id another deadline, if it is pending. r is its record.
func (sh *shard) resetLocked(id schedulers.ID, r *record, deadline time.Duration) (ok bool, err error) {
	state, ok := r.ownOf(id.Generation())
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
	for i := range sh.idle { // first: what was stopped by now was counted as scheduled before
		st.Stopped += sh.idle[i].stopped.Load()
	}
	sh.timers.addTo(st)
	for i := range sh.idle {
		st.Scheduled += sh.idle[i].started.Load()
		st.Reset += sh.idle[i].later.Load()
	}
}

func (sh *shard) takeAll(visit func(Timer, taskRun)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.timers.close(visit)
	sh.s, sh.mover, sh.peeker = nil, nil, nil
}
