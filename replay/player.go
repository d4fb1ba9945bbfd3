package replay

import (
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

// Player drives one scheduler through a stream, block by block. It remembers 16
// bytes for each timer number, whatever the length of the stream, and allocates
// only when a block brings higher numbers than any before.
type Player struct {
	clock
	s     schedulers.Scheduler[uint64]
	reset schedulers.Resetter // nil: a reset is a cancellation and a schedule
	due   []uint64
	check opChecker

	timers []numberState // by number
	// reached is the instant up to which all has been expired, and next the time
	// of an operation from which on there may be more: one tick later, or reached
	// itself when something was scheduled that is due at it.
	// expired is the scheduler's own clock, at or before reached.
	reached, next, expired time.Duration

	// Of the tick in which values came out last: its number and the sum of its
	// mixed values. The hash takes it in when it is certain that the tick is over.
	open    int64
	openSum uint64
	hash    uint64

	ops, scheduled, fired, granted, refused, wakeups uint64

	timing
	mark  Mark
	watch func(values []uint64) // told of what comes out
	err   error
}

// numberState is what is known of a timer number.
type numberState struct {
	id   schedulers.ID // of its latest timer, stale or not
	used uint32        // how often the number was used
}

// dueLen is how many values are taken out with one call: as many as the buffers
// of the driver hold.
const dueLen = 256

// NewPlayer returns a player for a scheduler that is new, and whose tick, if it
// has one, is the given one.
func NewPlayer(s schedulers.Scheduler[uint64], tick time.Duration) (*Player, error) {
	c, err := newClock(tick)
	if err != nil {
		return nil, err
	}
	p := &Player{clock: c, s: s, due: make([]uint64, dueLen), timing: timing{size: firstOps}}
	p.reset, _ = s.(schedulers.Resetter)
	return p, nil
}

// Answer returns what the scheduler has answered so far.
func (p *Player) Answer() Answer {
	return Answer{
		Hash:  p.hash + mixTick(p.open, p.openSum),
		Fired: p.fired, Granted: p.granted, Refused: p.refused, Pending: p.s.Len(),
	}
}

// Ops returns how many operations have been done.
func (p *Player) Ops() uint64 { return p.ops }

// Now returns the instant up to which everything has been expired.
func (p *Player) Now() time.Duration { return p.reached }

// Wakeups returns at how many instants Expire was called.
func (p *Player) Wakeups() uint64 { return p.wakeups }

// step does one operation.
func (p *Player) step(op *workload.Op) error {
	if op.At >= p.next {
		if err := p.advance(op.At); err != nil {
			return err
		}
	}
	t := &p.timers[op.Timer]
	var err error
	switch op.Kind {
	case workload.Schedule:
		t.used++
		p.scheduled++
		t.id, err = p.schedule(op, valueOf(op.Timer, t.used))
	case workload.Cancel:
		p.answered(p.s.Cancel(t.id))
	case workload.Reset:
		err = p.move(op, t)
	}
	if err != nil {
		return &CannotHold{Op: *op, Index: p.ops, Err: err}
	}
	p.ops++
	return nil
}

// schedule schedules a value for the deadline of an operation.
func (p *Player) schedule(op *workload.Op, value uint64) (schedulers.ID, error) {
	d := p.deadline(op.At, op.Delay)
	p.noteDeadline(d)
	id, err := p.s.Schedule(d, value)
	if err != nil && p.follow(err) {
		id, err = p.s.Schedule(d, value)
	}
	return id, err
}

// move resets a timer, or cancels it and schedules its value again where the
// scheduler cannot reset.
func (p *Player) move(op *workload.Op, t *numberState) (err error) {
	var held bool
	if p.reset == nil {
		if held = p.s.Cancel(t.id); held {
			t.id, err = p.schedule(op, valueOf(op.Timer, t.used))
		}
	} else {
		d := p.deadline(op.At, op.Delay)
		if held, err = p.reset.Reset(t.id, d); err != nil && p.follow(err) {
			held, err = p.reset.Reset(t.id, d)
		}
		if held {
			p.noteDeadline(d)
		}
	}
	if err == nil {
		p.answered(held)
	}
	return err
}

// noteDeadline has the next operation expire what is due if a deadline has been
// reached already.
func (p *Player) noteDeadline(deadline time.Duration) {
	if deadline <= p.reached {
		p.next = p.reached
	}
}

// follow moves the scheduler's clock on if that may help against err, and
// reports whether it did. A horizon is counted from the clock, which lags behind
// while nothing is due.
func (p *Player) follow(err error) bool {
	if !errors.Is(err, schedulers.ErrBeyondHorizon) || p.expired >= p.reached {
		return false
	}
	return p.expire(p.reached) == nil
}

// answered notes whether an operation was granted.
func (p *Player) answered(granted bool) {
	if !granted {
		p.refused++
		return
	}
	p.granted++
	p.hash += mixGrant(p.ops)
}

// advance expires what is due up to a time.
func (p *Player) advance(to time.Duration) error {
	if err := p.drain(to); err != nil {
		return err
	}
	p.reached = max(p.reached, p.floor(to))
	p.next = math.MaxInt64
	if p.reached < p.last {
		p.next = p.reached + p.tick
	}
	return nil
}

// drain expires every instant up to a time at which something may be due.
func (p *Player) drain(to time.Duration) error {
	fruitless := time.Duration(-1)
	for {
		wake, ok := p.s.Next()
		if !ok || wake > to {
			return nil
		}
		at := max(p.ceil(wake), p.reached)
		if at > to {
			return nil
		}
		if at == fruitless {
			return fmt.Errorf("replay: %w: Next says %v, and Expire(%v) had nothing to hand out", ErrContract, wake, at)
		}
		before := p.fired
		if err := p.expire(at); err != nil {
			return err
		}
		if p.fired == before {
			fruitless = at
		}
	}
}

// expire takes out what is due at an instant.
func (p *Player) expire(at time.Duration) error {
	p.wakeups++
	p.reached, p.expired = at, at
	for {
		n := p.s.Expire(at, p.due)
		if n < 0 || n > len(p.due) {
			return fmt.Errorf("replay: %w: Expire(%v) returned %d for %d places", ErrContract, at, n, len(p.due))
		}
		if n > 0 {
			p.take(p.due[:n])
		}
		if n < len(p.due) {
			return p.late(p.wakeups)
		}
		if p.fired > p.scheduled {
			return fmt.Errorf("replay: %w: Expire(%v) has handed out %d values of %d scheduled", ErrContract, at, p.fired, p.scheduled)
		}
	}
}

// take notes values that came out at the instant that is reached.
func (p *Player) take(values []uint64) {
	if tick := int64(p.reached / p.tick); tick != p.open {
		p.hash += mixTick(p.open, p.openSum)
		p.open, p.openSum = tick, 0
	}
	sum := uint64(0)
	for _, v := range values {
		sum += mix(v)
	}
	p.openSum += sum
	p.fired += uint64(len(values))
	if p.watch != nil {
		p.watch(values)
	}
}

// ErrContract means that a scheduler breaks its contract so badly that it cannot
// be driven on.
var ErrContract = errors.New("contract broken")
