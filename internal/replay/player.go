package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
	"schedbench/workload"
)

// ErrContract means that a scheduler breaks its contract so badly that it cannot be driven on.
var ErrContract = errors.New("contract broken")

// CannotHold means that a scheduler refused an operation of the stream: its horizon is too short, or it is full.
type CannotHold struct {
	Op    workload.Op
	Index uint64 // of the operation in the stream, from 0
	Err   error  // what the scheduler said
}

// Error says which operation was refused, and why.
func (e *CannotHold) Error() string {
	return fmt.Sprintf("cannot hold operation %d, a %v at %v for %v ahead: %v", e.Index, e.Op.Kind, e.Op.At, e.Op.Delay, e.Err)
}

// Unwrap returns what the scheduler said.
func (e *CannotHold) Unwrap() error { return e.Err }

// Player drives one scheduler through a stream, block by block. It remembers 16 bytes for each timer number, whatever
// the length of the stream, and allocates only when a block brings higher numbers than any before.
type Player struct {
	walk[numberState]
	s     schedulers.Scheduler[uint64]
	reset schedulers.Resetter // nil: a reset is a cancellation and a schedule
	due   []uint64

	// reached is the instant up to which all has been expired. An operation before next has nothing to expire: next
	// is one tick after reached, or reached itself once a timer was scheduled that is due there. expired is the
	// scheduler's own clock, at or before reached.
	reached, next, expired time.Duration

	scheduled, wakeups uint64

	ctx   context.Context
	limit time.Duration // that the player may take, or 0
	took  time.Duration // by the blocks that are done
	began time.Time     // the block under way
	size  uint64        // operations of the next block
	mark  Mark
	err   error
}

type numberState struct {
	id   schedulers.ID // of its latest timer, stale or not
	used uint32        // how often the number was used
}

// dueLen is how many values one call of Expire takes out at most.
const dueLen = 256

// NewPlayer returns a player for a scheduler that is new, and whose tick, if it has one, is the given one.
func NewPlayer(s schedulers.Scheduler[uint64], tick time.Duration) (*Player, error) {
	w, err := newWalk[numberState](tick)
	if err != nil {
		return nil, err
	}
	p := &Player{walk: w, s: s, due: make([]uint64, dueLen), size: firstOps}
	p.reset, _ = s.(schedulers.Resetter)
	return p, nil
}

// Answer returns what the scheduler has answered so far.
func (p *Player) Answer() Answer {
	a := p.tally.Answer()
	a.Pending = p.s.Len()
	return a
}

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
		p.reply(p.s.Cancel(t.id))
	case workload.Reset:
		err = p.move(op, t)
	}
	if err != nil {
		return &CannotHold{Op: *op, Index: p.ops, Err: err}
	}
	p.ops++
	return nil
}

func (p *Player) schedule(op *workload.Op, value uint64) (schedulers.ID, error) {
	d := p.deadline(op.At, op.Delay)
	p.noteDeadline(d)
	id, err := p.s.Schedule(d, value)
	if err != nil && p.follow(err) {
		id, err = p.s.Schedule(d, value)
	}
	return id, err
}

// move resets a timer, or cancels it and schedules its value again where the scheduler cannot reset.
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
		p.reply(held)
	}
	return err
}

// noteDeadline makes the next operation expire what is due, if the deadline has been reached already.
func (p *Player) noteDeadline(deadline time.Duration) {
	if deadline <= p.reached {
		p.next = p.reached
	}
}

// follow moves the scheduler's clock up to reached if err is ErrBeyondHorizon. A horizon counts from that clock, which
// stays behind while nothing is due.
func (p *Player) follow(err error) bool {
	if !errors.Is(err, schedulers.ErrBeyondHorizon) || p.expired >= p.reached {
		return false
	}
	return p.expire(p.reached) == nil
}

// advance expires what is due up to a time.
func (p *Player) advance(to time.Duration) error {
	if err := p.drain(to); err != nil {
		return err
	}
	p.reached = max(p.reached, to-to%p.tick)
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
		before := p.answer.Fired
		if err := p.expire(at); err != nil {
			return err
		}
		if p.answer.Fired == before {
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
		if p.answer.Fired > p.scheduled {
			return fmt.Errorf("replay: %w: Expire(%v) has handed out %d values of %d scheduled", ErrContract, at, p.answer.Fired, p.scheduled)
		}
	}
}

// take notes values that came out at the instant that is reached.
func (p *Player) take(values []uint64) {
	sum := uint64(0)
	for _, v := range values {
		sum += mix(v)
	}
	p.fire(int64(p.reached/p.tick), sum, len(values))
}
