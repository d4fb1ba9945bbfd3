package driver

import (
	"math"
	"time"

	"schedbench/schedulers"
)

// What follows is the worker's side of a shard.

const (
	// handedAtOnce is how many places Expire hands out at once. Their records then come from memory together.
	handedAtOnce = 32
	// movedAtOnce is about how many timers that were put off move to their places before the worker lets go of the mutex.
	movedAtOnce = 64
)

func (sh *shard) next(instant time.Duration) (taskRun, bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.until = awake
	if sh.dormant.Load() { // others read it all the time
		sh.dormant.Store(false)
	}
	if sh.begun == sh.found {
		sh.tryRefused()
	}
	early := false
	for held, moved := 0, 0; !sh.closed; {
		if sh.begun < sh.found {
			sh.begun++
			if task, ok := sh.claim(schedulers.ID(sh.handed[sh.begun-1].n), instant); ok {
				return task, true
			}
			early = true
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
			if early { // an early scheduler hands a record out again until its deadline
				instant, early = sh.c.look(), false
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
	sh.trim(2 * handedAtOnce)
	sh.begun, sh.found = 0, 0
	for _, place := range sh.handed[:n] {
		r := sh.at(uint32(place.n))
		if r == nil {
			continue
		}
		r.setPlace(0)
		if state, ok := r.own(); ok {
			sh.handed[sh.found] = Task{int64(schedulers.MakeID(uint32(place.n), uint32(state>>32)))}
			sh.found++
			r.touchTask()
			r.state.Store(state)
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
	if sh.peeker == nil || sh.left() == 0 {
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
		inside := r.place()
		r.setPlace(0)
		if r.state.Load()&phaseMask >= recordPending { // a timer has taken the record, and its place, or waits for the mutex
			r.setPlace(inside)
			return false
		}
		return sh.s.Cancel(inside)
	}
	deadline := r.deadline()
	ok = deadline > wake && sh.within(deadline) && sh.put(i, r, deadline) == nil
	if ok {
		state = stateWith(uint32(state>>32), noteOfPlace(deadline), recordPending)
	}
	r.state.Store(state)
	return ok
}

// claim ends the timer of id, whose place has come, and returns its task, unless the timer was stopped since, or a Reset gave
// it another place, which will come. If the deadline is ahead, the timer gets another place instead.
func (sh *shard) claim(id schedulers.ID, instant time.Duration) (taskRun, bool) {
	i := id.Cell()
	r := sh.at(i)
	if r == nil || r.place() != 0 {
		return taskRun{}, false
	}
	state, ok := r.ownOf(id.Generation())
	if !ok {
		return taskRun{}, false
	}
	if deadline := r.deadline(); sh.lazy && deadline > instant {
		place := deadline
		for place > instant && sh.put(i, r, place) != nil { // the scheduler may refuse it so far ahead, and take a nearer one
			place = instant + (place-instant)/2
		}
		if r.place() == 0 { // others have taken the last room
			sh.refused = append(sh.refused, Task{int64(id)})
			place = deadline // an earlier one takes the mutex
		}
		r.state.Store(stateWith(uint32(state>>32), noteOfPlace(place), recordPending))
		return taskRun{}, false
	}
	task := taskRun{r.f, r.n}
	r.f = nil
	sh.pending--
	sh.fired++
	sh.late.add(sh.c.begun(task))
	sh.leave(i, r, uint32(state>>32))
	return task, true
}

// tryRefused has refused timers looked at again: those that are due begin, and others may find room.
func (sh *shard) tryRefused() {
	if len(sh.refused) > 0 {
		sh.begun, sh.found = 0, copy(sh.handed[:], sh.refused)
		sh.refused = append(sh.refused[:0], sh.refused[sh.found:]...)
	}
}

// untilRefused returns the first deadline of the refused timers, or forever.
func (sh *shard) untilRefused() time.Duration {
	until := forever
	for _, refused := range sh.refused {
		if r := sh.find(schedulers.ID(refused.n)); r != nil {
			if state, ok := r.own(); ok {
				until = min(until, r.deadline())
				r.state.Store(state)
			}
		}
	}
	return until
}

// leave keeps record i, whose timer has fired, for the next timer if few records wait: filing it would write to its page.
func (sh *shard) leave(i uint32, r *record, generation uint32) {
	if sh.spent >= mostIdle || generation == math.MaxUint32 {
		sh.file(i, r, generation, recordFired)
		return
	}
	r.state.Store(stateWith(generation, sh.ended, recordFired))
	sh.ended = uint64(i) + 1
	sh.spent++
}

// rest lets the worker sleep while nothing is pending, whatever places are kept.
func (sh *shard) rest(now time.Duration) time.Duration {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.closed {
		return forever
	}
	sh.until = forever
	sh.dormant.Store(true)
	_, ticks := sh.c.waking.(FixedTick)
	if sh.left() > 0 || ticks {
		sh.dormant.Store(false)
		sh.until = sh.c.sleepUntil(sh.s, now)
	}
	if !ticks {
		sh.until = min(sh.until, sh.untilRefused())
	}
	return sh.until
}
