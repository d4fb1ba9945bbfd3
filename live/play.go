package live

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"schedbench/workload"
)

const (
	// quiet is how long a target is left alone before the clock starts, and how often the player looks for late timers.
	quiet = 5 * time.Millisecond
	// perArming is the time allowed for arming each timer that is pending at the beginning. When that and quiet were too
	// little, moreTime multiplies both, at most mostReplays times.
	perArming   = 2 * time.Microsecond
	moreTime    = 8
	mostReplays = 2
	// mostBehind is how late a batch may be handed over.
	mostBehind = 500 * time.Millisecond
	// patience is how long after its deadline the player waits for a timer before that is lost.
	patience = time.Second
	// checkEvery is how many timers are armed between two looks for an interruption, and checkWithin the longest sleep.
	checkEvery  = 256
	checkWithin = 100 * time.Millisecond
)

// ErrBehind means that operations could not be done in time.
var ErrBehind = errors.New("operations fell behind the clock")

// Options say how a slice is played.
type Options struct {
	// Sorted arms the timers pending at the beginning in the order of their places: a sorted list needs that.
	Sorted bool
	// Patience is how much longer than a second the player waits for timers: a tick, say.
	Patience time.Duration
	// ToTheLast measures CPU time and wake-ups until the last timer has fired, not until the end of the slice.
	ToTheLast bool
	// Armed is called before the clock starts, once the timers pending then are armed in time. It is called again
	// only if operations fall behind later. It may be nil.
	Armed func() error
	// Before delays the clock after the target was made: the slice begins at another time of the target's ticks.
	Before time.Duration
	// Task is called by each timer that fires, after the firing was noted. It may be nil.
	Task func(timer int32)
	// Uncollected leaves garbage as it is before the slice. What is measured pays for it.
	Uncollected bool
}

// Play plays a slice with the target that start makes for delays up to a horizon. It closes the target. When operations
// fall behind the clock, for instance because the machine stood still, it plays the slice again, with another target and
// more time to arm the pending timers: twice at most, and then it returns ErrBehind. Other errors are those of ctx, of the
// target and of o.Armed.
func Play(ctx context.Context, c *Clock, s *Slice, start func(horizon time.Duration) (Target, error), o Options) (out *Outcome, err error) {
	wait := quiet + time.Duration(len(s.Pending)+len(s.Places))*perArming
	for replays := 0; ; replays++ {
		p := newPlayer(ctx, c, s, o)
		before := wait + o.Before
		if p.target, err = start(s.longest(before)); err != nil {
			return nil, err
		}
		out, err = p.play(before)
		err = errors.Join(err, p.target.Close())
		if err == nil {
			return out, nil
		}
		if !errors.Is(err, ErrBehind) || replays == mostReplays {
			return nil, err
		}
		wait *= moreTime
	}
}

// player plays a slice once.
type player struct {
	*Slice
	*Clock
	ctx      context.Context
	o        Options
	target   Target
	start    time.Duration // of the slice, on the clock
	tasks    []func()
	deadline []time.Duration // that holds, by timer
	stopped  []bool
	notes    notes
	late     []time.Duration // by operation, of a Punctual slice
}

func newPlayer(ctx context.Context, c *Clock, s *Slice, o Options) *player {
	p := &player{
		Slice: s, Clock: c, ctx: ctx, o: o,
		tasks: make([]func(), s.Timers), deadline: make([]time.Duration, s.Timers), stopped: make([]bool, s.Timers),
		notes: newNotes(s.Timers),
	}
	for i := range p.tasks {
		p.deadline[i] = never
		p.tasks[i] = p.task(int32(i))
	}
	return p
}

func (p *player) task(timer int32) func() {
	if p.o.Task != nil {
		return func() {
			p.notes.add(timer, p.Now()-p.start)
			p.o.Task(timer)
		}
	}
	return func() { p.notes.add(timer, p.Now()-p.start) }
}

// play plays the slice. Its clock starts later by before.
func (p *player) play(before time.Duration) (*Outcome, error) {
	if !p.o.Uncollected {
		runtime.GC()
	}
	used := p.OthersCPU()
	p.start = p.Now() + before
	armed, err := p.arming()
	if err == nil {
		err = p.sleepUntil(p.start)
	}
	if err != nil {
		return nil, err
	}
	armed += p.OthersCPUSince(used)
	stats, own, began, used := p.target.Stats(), p.OwnCPU(), p.Now(), p.OthersCPU()
	ops, err := p.handOver()
	if err == nil {
		err = p.sleepUntil(p.start + p.Length)
	}
	if err == nil && p.o.ToTheLast {
		err = p.wait()
	}
	if err != nil {
		return nil, err
	}
	after := p.target.Stats()
	out := &Outcome{
		Took: p.Now() - began, CPU: p.OthersCPUSince(used) + ops, ArmingCPU: armed, PlayerCPU: p.OwnCPU() - own - ops,
		Wakeups: after.Wakeups - stats.Wakeups, Kicks: after.Kicks - stats.Kicks, HandedLate: p.late,
	}
	_, out.Metered = ReadUsage()
	if p.own {
		out.Began = p.zero + int64(p.start)
	}
	if err := p.wait(); err != nil {
		return nil, err
	}
	p.judge(out)
	return out, nil
}

// arming arms the timers that are pending at the beginning, and returns the CPU time that it took the thread.
func (p *player) arming() (cpu time.Duration, err error) {
	order := inOrder(len(p.Pending))
	if p.o.Sorted {
		order = byDeadline(p.places())
	}
	began := p.OwnCPU()
	for n, i := range order {
		if n%checkEvery == 0 && p.ctx.Err() != nil {
			return 0, p.ctx.Err()
		}
		if err := p.armPending(i); err != nil {
			return 0, err
		}
	}
	cpu = p.OwnCPU() - began
	switch {
	case p.Now() > p.start: // before Armed, which must not be called for a slice that is played again
		err = fmt.Errorf("%w: arming what is pending took too long", ErrBehind)
	case p.o.Armed != nil:
		err = p.o.Armed()
	}
	return cpu, errors.Join(p.ctx.Err(), err)
}

// places are where the timers that are pending at the beginning are armed first.
func (p *player) places() []time.Duration {
	if len(p.Places) > 0 {
		return p.Places
	}
	return p.Pending
}

// armPending arms a timer that is pending at the beginning at its place, and puts it off to its deadline.
func (p *player) armPending(i int32) error {
	place, deadline := p.places()[i], p.Pending[i]
	if _, drives := p.target.(*driverTarget); !drives && len(p.takenOver) > 0 && p.takenOver[i] {
		place = deadline
	}
	if err := p.arm(i, place); err != nil || place == deadline {
		return err
	}
	return p.do(&Op{Deadline: deadline, Timer: i, Kind: workload.Reset})
}

// handOver does the operations, batch by batch, and returns the CPU time that they took the thread.
func (p *player) handOver() (cpu time.Duration, err error) {
	wait := p.SleepUntil
	if p.Punctual {
		wait, p.late = p.SpinUntil, make([]time.Duration, 0, len(p.Ops))
	}
	for ops := p.Ops; len(ops) > 0; {
		at := ops[0].At
		if err := p.until(p.start+at, wait); err != nil {
			return 0, err
		}
		if late := p.Now() - p.start - at; late > mostBehind {
			return 0, fmt.Errorf("%w by %v", ErrBehind, late.Round(time.Millisecond))
		}
		before := p.OwnCPU()
		for len(ops) > 0 && ops[0].At == at {
			if p.Punctual {
				p.late = append(p.late, p.Now()-p.start-at)
			}
			if err := p.do(&ops[0]); err != nil {
				return 0, err
			}
			ops = ops[1:]
		}
		cpu += p.OwnCPU() - before
	}
	return cpu, nil
}

func (p *player) do(op *Op) (err error) {
	switch op.Kind {
	case workload.Schedule:
		return p.arm(op.Timer, op.Deadline)
	case workload.Cancel:
		p.stopped[op.Timer] = p.target.Stop(op.Timer) || p.stopped[op.Timer]
	default:
		var moved bool
		if moved, err = p.target.Move(op.Timer, p.delayUntil(op.Deadline)); moved {
			p.deadline[op.Timer] = op.Deadline
		}
	}
	return err
}

// arm arms a timer for a deadline, however late that is done.
func (p *player) arm(timer int32, deadline time.Duration) error {
	p.deadline[timer] = deadline
	return p.target.Arm(timer, p.delayUntil(deadline), p.tasks[timer])
}

func (p *player) delayUntil(deadline time.Duration) time.Duration {
	if deadline == never {
		return never
	}
	return p.start + deadline - p.Now()
}

func (p *player) sleepUntil(at time.Duration) error { return p.until(at, p.SleepUntil) }

// until waits until an instant or an interruption. wait does the last part of it.
func (p *player) until(at time.Duration, wait func(time.Duration)) error {
	for p.ctx.Err() == nil && at-p.Now() > checkWithin {
		p.SleepUntil(p.Now() + checkWithin)
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	wait(at)
	return nil
}

// wait waits for the timers that are due within the slice.
func (p *player) wait() error {
	due, seen := p.due(), int64(-1)
	end := p.start + p.Length + p.o.Patience + patience
	for p.Now() < end {
		if n := p.notes.count.Load(); n >= int64(due) && n != seen {
			if seen = n; p.allFired(due) {
				return nil
			}
		}
		if err := p.sleepUntil(p.Now() + quiet); err != nil {
			return err
		}
	}
	return nil
}

// NotingCPU calls the tasks of the timers that are pending when a slice begins, in the order of deadlines, and returns the
// CPU time that this took.
func NotingCPU(s *Slice) time.Duration {
	p := newPlayer(context.Background(), &Clock{began: time.Now()}, s, Options{})
	order := byDeadline(s.Pending)
	runtime.GC()
	before, _ := ReadUsage()
	for _, i := range order {
		p.tasks[i]()
	}
	after, _ := ReadUsage()
	return after.CPU - before.CPU
}
