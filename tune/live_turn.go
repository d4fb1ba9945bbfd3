package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/workload"
)

// reading is what was measured in a turn.
type reading struct {
	length time.Duration
	// cpu is what all but the program's thread used, and what that used for
	// operations.
	cpu     time.Duration
	wakeups uint64
	late    []float64 // of the timers due within the turn, in seconds
	fired   int
}

// share returns the CPU share of one core.
func (r reading) share() float64 { return r.cpu.Seconds() / r.length.Seconds() }

// ErrBehind means that operations could not be done in time.
var ErrBehind = errors.New("operations fell behind the clock")

// ErrWrong means that timers did not fire as they should.
var ErrWrong = errors.New("wrong answer")

// player plays a scene with a driver, or as a control with none.
type player struct {
	*thread
	ctx      context.Context
	sc       *scene
	d        *driver.Driver // nil: control
	start    time.Duration
	timers   []driver.Timer
	tasks    []func()
	task     func()          // last armed, of a control, which reaches for what a driver is given too
	deadline []time.Duration // that holds, by timer
	gone     []bool          // taken back
	noted    []noted         // by the worker alone
	fired    atomic.Int64
}

// noted is when a task ran.
type noted struct {
	at    time.Duration
	timer int32
}

func newPlayer(ctx context.Context, t *thread, sc *scene) *player {
	p := &player{
		thread: t, ctx: ctx, sc: sc,
		timers: make([]driver.Timer, sc.count), tasks: make([]func(), sc.count),
		deadline: make([]time.Duration, sc.count), gone: make([]bool, sc.count),
		noted: make([]noted, 0, sc.count+1),
	}
	for i := range p.tasks {
		p.deadline[i] = never
		p.tasks[i] = func() {
			p.noted = append(p.noted, noted{p.now() - p.start, int32(i)})
			p.fired.Add(1)
		}
	}
	return p
}

// playScene plays a scene with a configuration, or as a control with none. What
// falls behind the clock, as a machine does that stands still for a while, is played
// again, twice at most, with more time to arm what is pending.
func playScene(ctx context.Context, t *thread, sc *scene, cfg *catalog.Config) (r reading, err error) {
	runtime.GC()
	for perArming := time.Microsecond; ; perArming *= 8 {
		p := newPlayer(ctx, t, sc)
		if cfg != nil {
			if p.d, err = cfg.Start(); err != nil {
				return r, err
			}
		}
		r, err = p.play(cfg, perArming)
		if p.d != nil {
			err = errors.Join(err, stop(p.d))
		}
		if err == nil && cfg != nil {
			err = p.judge(&r)
		}
		if !errors.Is(err, ErrBehind) || perArming > 50*time.Microsecond {
			return r, err
		}
	}
}

// play plays the scene.
func (p *player) play(cfg *catalog.Config, perArming time.Duration) (r reading, err error) {
	p.start = p.now() + settling + time.Duration(len(p.sc.initial))*perArming
	if err := p.begin(cfg); err != nil {
		return r, err
	}
	p.sleepUntil(p.start)
	woken, began, used := p.wakeups(), p.now(), readUsage()
	ops, err := p.program()
	if err != nil {
		return r, err
	}
	p.sleepUntil(p.start + p.sc.length)
	r = reading{length: p.now() - began, cpu: used.others() + ops, wakeups: p.wakeups() - woken}
	if cfg != nil {
		p.wait(cfg.Tick)
	}
	return r, nil
}

// begin arms what is pending at the beginning: for a sorted list in the order of
// deadlines, since it would take too long otherwise.
func (p *player) begin(cfg *catalog.Config) error {
	order := make([]int, len(p.sc.initial))
	for i := range order {
		order[i] = i
	}
	if cfg != nil && cfg.Scheduler == catalog.List {
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(p.sc.initial[a].deadline, p.sc.initial[b].deadline)
		})
	}
	for _, i := range order {
		p.deadline[i] = p.sc.initial[i].deadline
		if err := p.arm(int32(i), p.deadline[i]); err != nil {
			return err
		}
	}
	if p.now() > p.start {
		return fmt.Errorf("%w: arming what is pending took too long", ErrBehind)
	}
	return nil
}

// mostBehind is how late a batch may be.
const mostBehind = 500 * time.Millisecond

// program does the operations, batch by batch, and returns the CPU time that they
// took.
func (p *player) program() (cpu time.Duration, err error) {
	for ops := p.sc.ops; len(ops) > 0; {
		at := ops[0].at
		p.sleepUntil(p.start + at)
		if late := p.now() - p.start - at; late > mostBehind {
			return 0, fmt.Errorf("%w by %v", ErrBehind, late.Round(time.Millisecond))
		}
		if err := p.ctx.Err(); err != nil {
			return 0, err
		}
		before := threadTime()
		for len(ops) > 0 && ops[0].at == at {
			if err := p.do(&ops[0]); err != nil {
				return 0, err
			}
			ops = ops[1:]
		}
		cpu += threadTime() - before
	}
	return cpu, nil
}

// do does an operation.
func (p *player) do(op *planned) error {
	switch op.kind {
	case workload.Schedule:
		p.deadline[op.timer] = op.deadline
		return p.arm(op.timer, op.deadline)
	case workload.Cancel:
		if p.timers[op.timer].Stop() {
			p.gone[op.timer] = true
		}
	default:
		// Without a driver this is a zero Timer, which refuses.
		t, moved, err := p.timers[op.timer].Reset(p.start + op.deadline - p.now())
		if moved {
			p.timers[op.timer], p.deadline[op.timer] = t, op.deadline
		}
		return err
	}
	return nil
}

// arm arms a timer for a deadline, however late that is done.
func (p *player) arm(timer int32, deadline time.Duration) (err error) {
	delay := p.start + deadline - p.now()
	if deadline == never {
		delay = never
	}
	if p.d == nil {
		p.task, p.timers[timer] = p.tasks[timer], driver.Timer{}
		return nil
	}
	p.timers[timer], err = p.d.AfterFunc(delay, p.tasks[timer])
	return err
}

// wakeups returns how often the worker has woken.
func (p *player) wakeups() uint64 {
	if p.d == nil {
		return 0
	}
	return p.d.Stats().Wakeups
}

// lost is how long after its tick a timer is waited for before it is lost.
const lost = time.Second

// wait waits for the timers that are due within the scene.
func (p *player) wait(tick time.Duration) {
	due := int64(0)
	for i := range p.deadline {
		if !p.gone[i] && p.deadline[i] < p.sc.length {
			due++
		}
	}
	for end := p.start + p.sc.length + tick + lost; p.fired.Load() < due && p.now() < end; {
		p.sleepUntil(p.now() + settling)
	}
}

// judge checks that timers fired once and not early, and notes how late those
// were that were due within the turn. The driver has ended.
func (p *player) judge(r *reading) error {
	seen := make([]bool, p.sc.count)
	early, doubled, missing := 0, 0, 0
	for _, n := range p.noted {
		late := n.at - p.deadline[n.timer]
		switch {
		case seen[n.timer] || p.gone[n.timer]:
			doubled++
		case late < 0:
			early++
		}
		seen[n.timer] = true
		if p.deadline[n.timer] < p.sc.length {
			r.late = append(r.late, late.Seconds())
		}
	}
	for i, d := range p.deadline {
		if d < p.sc.length && !p.gone[i] && !seen[i] {
			missing++
		}
	}
	r.fired = len(r.late)
	if early+doubled+missing > 0 {
		return fmt.Errorf("%w: of %d timers %d fired early, %d more than once or after they were stopped, and %d never",
			ErrWrong, p.sc.count, early, doubled, missing)
	}
	return nil
}
