package driver

import (
	"fmt"
	"math"
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
	laters  [laterLen]later

	// handed has the timers whose places have come: the IDs of those from begun to found. Each may still be stopped, or reset.
	handed       [handedAtOnce]Task
	begun, found int
}

// handedAtOnce is how many places Expire hands out at once. Their records then come from memory together.
const handedAtOnce = 32

// later counts resets to later deadlines by some of the goroutines.
type later struct {
	_ [56]byte
	n atomic.Uint64
}

const laterLen = 8

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
	i, r := sh.take()
	if r == nil {
		return Timer{}, fmt.Errorf("driver: %w: %d", schedulers.ErrFull, sh.pending)
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

// trim files up to two of the records that wait for a timer, if these are too many. Each timer that ends adds at most
// one, and lowers the limit by half of one.
func (sh *shard) trim() {
	for n := 0; n < 2 && sh.idles > sh.pending/2+mostIdle; n++ {
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

func (sh *shard) stop(id schedulers.ID) bool {
	sh.touch(id.Cell())
	sh.mu.Lock()
	ok := sh.stopLocked(id)
	sh.mu.Unlock()
	return ok
}

// stopLocked is stop for a caller who holds mu.
func (sh *shard) stopLocked(id schedulers.ID) bool {
	list := goroutineHint() % idleLists
	r, state := sh.end(id, list)
	if r == nil {
		return false
	}
	sh.pending--
	sh.stopped++
	sh.c.release(1)
	r.f = nil
	if sh.lazy && r.n >= 0 && id.Generation() < math.MaxUint32 {
		r.n = int64(bound(state, time.Duration(r.n)))
		sh.keep(id.Cell(), list)
	} else {
		sh.release(id.Cell(), r, id.Generation(), recordCancelled)
	}
	sh.trim()
	return true
}

// reset has no need to start the worker: a timer has done so before.
func (sh *shard) reset(id schedulers.ID, deadline time.Duration) (ok bool, err error) {
	if sh.lazy && sh.horizon == forever {
		if r := sh.at(id.Cell()); r != nil && r.putOff(id.Generation(), deadline) {
			sh.laters[goroutineHint()%laterLen].n.Add(1)
			return true, nil
		}
	}
	sh.mu.Lock()
	if r := sh.find(id); r != nil {
		if err = sh.resetLocked(id, r, deadline); err == nil {
			ok = true
			sh.moved++
			if deadline < sh.until {
				sh.interrupt()
			}
		}
	}
	sh.mu.Unlock()
	return ok, err
}

// resetLocked gives the timer of id, which is pending in r, another deadline.
func (sh *shard) resetLocked(id schedulers.ID, r *record, deadline time.Duration) (err error) {
	state, _ := r.own()
	if !sh.lazy || deadline < bound(state, r.deadline()) || !sh.within(deadline) {
		if err = sh.put(id.Cell(), r, deadline); err == nil {
			state = stateWith(id.Generation(), noteOfPlace(deadline), recordPending)
		}
	}
	if err == nil {
		r.n = int64(deadline)
	}
	r.state.Store(state)
	return err
}

// movedAtOnce is how many timers that were put off move to their places before the worker lets go of the mutex.
const movedAtOnce = 64

func (sh *shard) next(instant time.Duration) (taskRun, bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.until = awake
	for held, moved := 0, 0; !sh.closed; {
		if sh.begun < sh.found {
			held++
			sh.begun++
			if task, ok := sh.begin(schedulers.ID(sh.handed[sh.begun-1].n), instant); ok {
				return task, true
			}
		} else if n := sh.fetch(instant); n > 0 {
			held += n
		} else if moved < mostMoved && sh.moveOn(instant) {
			held++
			moved++
		} else {
			break
		}
		if held >= movedAtOnce {
			held = 0
			sh.mu.Unlock()
			if moved == 0 { // an early scheduler hands a record out again until its deadline
				instant = sh.c.look()
			}
			sh.mu.Lock()
		}
	}
	return taskRun{}, false
}

// fetch takes places that have come out of the scheduler, and returns how many. It keeps the pending timers that they are of.
func (sh *shard) fetch(instant time.Duration) (n int) {
	sh.clock = max(sh.clock, instant)
	n = sh.s.Expire(instant, sh.handed[:])
	for _, place := range sh.handed[:n] { // nothing else, and no write: the processor waits for many records together
		if r := sh.at(uint32(place.n)); r != nil {
			r.state.Load()
		}
	}
	sh.begun, sh.found = 0, 0
	for _, place := range sh.handed[:n] {
		r := sh.at(uint32(place.n))
		if r == nil {
			continue
		}
		r.inside = 0
		if state := r.state.Load(); state&phaseMask >= recordPending {
			sh.handed[sh.found] = Task{int64(schedulers.MakeID(uint32(place.n), uint32(state>>32)))}
			sh.found++
		}
	}
	return n
}

const (
	// lookAhead is how far ahead the worker looks for places that were left behind. So those of long delays stay where
	// they are, and wake it ten times a second at most.
	lookAhead = 100 * time.Millisecond
	// mostMoved is how many of these it moves before it serves the other shards and sleeps.
	mostMoved = 1024
)

// moveOn removes the place that comes next, which the worker would wake for, if its timer was stopped. If the timer was put
// off, moveOn moves it to the deadline. Each Stop and each Reset leaves one place behind at most, so there are no more calls
// of the scheduler than WithAtOnce.
func (sh *shard) moveOn(instant time.Duration) bool {
	if sh.peeker == nil || sh.pending == 0 {
		return false
	}
	wake, task, ok := sh.peeker.Peek()
	if !ok || wake > after(instant, lookAhead) {
		return false
	}
	i := uint32(task.n)
	r := sh.at(i)
	if r == nil {
		return false
	}
	state, ok := r.own()
	if !ok {
		ok = sh.s.Cancel(r.inside)
		r.inside = 0
		return ok
	}
	deadline := r.deadline()
	ok = deadline > wake && sh.within(deadline) && sh.put(i, r, deadline) == nil
	if ok {
		state = stateWith(uint32(state>>32), noteOfPlace(deadline), recordPending)
	}
	r.state.Store(state)
	return ok
}

// begin begins the task of a timer whose place has come, unless the timer was stopped since. If the deadline is ahead, the
// timer gets another place instead.
func (sh *shard) begin(id schedulers.ID, instant time.Duration) (taskRun, bool) {
	r := sh.find(id)
	if r == nil {
		return taskRun{}, false
	}
	i := id.Cell()
	state, _ := r.own()
	if deadline := r.deadline(); deadline > instant && (sh.lazy || r.inside != 0) {
		place := deadline
		for sh.put(i, r, place) != nil { // the scheduler may refuse it so far ahead, and take a nearer one
			place = instant + (place-instant)/2
		}
		r.state.Store(stateWith(uint32(state>>32), noteOfPlace(place), recordPending))
		return taskRun{}, false
	}
	if r.inside != 0 { // a Reset gave it another place, which has come since
		sh.s.Cancel(r.inside)
		r.inside = 0
	}
	task := taskRun{r.f, r.n}
	r.f = nil
	sh.pending--
	sh.fired++
	sh.late.add(sh.c.begun(task))
	sh.leave(i, r, uint32(state>>32))
	sh.trim()
	return task, true
}

// leave keeps record i, whose timer has fired, for the next timer if few records wait: filing it would write to its page.
func (sh *shard) leave(i uint32, r *record, generation uint32) {
	if sh.idles >= mostIdle || generation == math.MaxUint32 {
		sh.file(i, r, generation, recordFired)
		return
	}
	list := goroutineHint() % idleLists
	r.state.Store(stateWith(generation, sh.idle[list], recordFired))
	sh.keep(i, list)
}

// rest lets the worker sleep while nothing is pending, whatever places are kept.
func (sh *shard) rest(now time.Duration) time.Duration {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return forever
	}
	sh.until = forever
	if _, ticks := sh.c.waking.(FixedTick); sh.pending > 0 || ticks {
		sh.until = sh.c.sleepUntil(sh.s, now)
	}
	return sh.until
}

func (sh *shard) addTo(st *Stats) {
	sh.timers.addTo(st)
	for i := range sh.laters {
		st.Reset += sh.laters[i].n.Load()
	}
}

func (sh *shard) takeAll(visit func(Timer, taskRun)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.timers.close(visit)
	sh.s, sh.mover, sh.peeker = nil, nil, nil
}
