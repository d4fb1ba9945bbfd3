package harness

import (
	"context"
	"fmt"
	"time"

	"schedbench/driver"
	"schedbench/live"
	"schedbench/schedulers"
)

// population is a number of pending timers, named by index, of which a cost
// cell replaces some. Its methods make many replacements, so that what the
// harness adds is a loop, the same for all. They count wrong answers.
type population interface {
	// fill schedules a timer for each delay.
	fill(ctx context.Context, delays []time.Duration) error
	// pairs cancels the timers picked and schedules others in their place.
	pairs(rs *replacements) (wrong int)
	// resets gives the timers picked other deadlines.
	resets(rs *replacements) (wrong int)
	// add schedules timers beside the population, and drop cancels them.
	add(delays []time.Duration) (wrong int)
	drop() (wrong int)
	// work returns the work counters, and ok false if there are none.
	work() (w schedulers.Work, ok bool)
	// len returns how many are pending.
	len() int
	close()
}

// livePopulation is a population on the real clock, of which a goroutine can replace
// timers at random.
type livePopulation interface {
	population
	// churn cancels ops timers, one by one, and schedules others in their place.
	churn(source *splitMix, ops int) (wrong int)
}

// lookEvery is how many timers are scheduled between two looks at whether the run
// was interrupted: few, since in a long list each may take a millisecond.
const lookEvery = 256

// fill inserts timers with some delays. The error is that of ctx if it ends meanwhile,
// or says how many were refused.
func fill(ctx context.Context, delays []time.Duration, insert func(i int, delay time.Duration) error) error {
	wrong := 0
	for i, d := range delays {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if insert(i, d) != nil {
			wrong++
		}
	}
	return unless(wrong == 0, "%d of %d insertions failed", wrong, len(delays))
}

// virtual is a population of a bare scheduler, whose clock stands still.
type virtual struct {
	s       schedulers.Scheduler[uint64]
	ids     []schedulers.ID
	more    []schedulers.ID
	arrived time.Duration // when the last timer arrived
}

func (v *virtual) fill(ctx context.Context, delays []time.Duration) error {
	v.ids = make([]schedulers.ID, len(delays))
	return fill(ctx, delays, func(i int, d time.Duration) (err error) {
		v.arrived += arrival
		v.ids[i], err = v.s.Schedule(v.arrived+d, uint64(i))
		return err
	})
}

func (v *virtual) pairs(rs *replacements) (wrong int) {
	at, ids, sched := v.arrived, v.ids, v.s
	for i, p := range rs.picks {
		at += arrival
		if !sched.Cancel(ids[p]) {
			wrong++
		}
		id, err := sched.Schedule(at+rs.delays[i], uint64(p))
		if err != nil {
			wrong++
		}
		ids[p] = id
	}
	v.arrived = at
	return wrong
}

// resets uses Reset where the scheduler has it. Where it has not, cancelling
// and scheduling again is what a caller does.
func (v *virtual) resets(rs *replacements) (wrong int) {
	resetter, ok := v.s.(schedulers.Resetter)
	if !ok {
		return v.pairs(rs)
	}
	at := v.arrived
	for i, p := range rs.picks {
		at += arrival
		if ok, err := resetter.Reset(v.ids[p], at+rs.delays[i]); !ok || err != nil {
			wrong++
		}
	}
	v.arrived = at
	return wrong
}

func (v *virtual) add(delays []time.Duration) (wrong int) {
	v.more = v.more[:0]
	at := v.arrived
	for i, d := range delays {
		at += arrival
		id, err := v.s.Schedule(at+d, uint64(i))
		if err != nil {
			wrong++
		}
		v.more = append(v.more, id)
	}
	return wrong
}

func (v *virtual) drop() (wrong int) {
	for _, id := range v.more {
		if !v.s.Cancel(id) {
			wrong++
		}
	}
	return wrong
}

func (v *virtual) work() (schedulers.Work, bool) {
	if m, ok := v.s.(schedulers.Meter); ok {
		return m.Work(), true
	}
	return schedulers.Work{}, false
}

func (v *virtual) len() int { return v.s.Len() }
func (v *virtual) close()   {}

// timers is a population of live timers, of which stop stops one. Deadlines lie
// an hour further ahead than drawn, so that none is reached.
type timers[H any] struct {
	start   func(time.Duration, func()) (H, error)
	stop    func(H) bool
	reset   func(H, time.Duration) (H, bool)
	pending []H
	more    []H
	end     func() error
}

const notYet = time.Hour

func nothing() {}

func (t *timers[H]) fill(ctx context.Context, delays []time.Duration) error {
	t.pending = make([]H, 0, len(delays))
	return fill(ctx, delays, func(_ int, d time.Duration) error {
		h, err := t.start(notYet+d, nothing)
		t.pending = append(t.pending, h)
		return err
	})
}

func (t *timers[H]) pairs(rs *replacements) (wrong int) {
	for i, p := range rs.picks {
		if !t.stop(t.pending[p]) {
			wrong++
		}
		h, err := t.start(notYet+rs.delays[i], nothing)
		if err != nil {
			wrong++
		}
		t.pending[p] = h
	}
	return wrong
}

func (t *timers[H]) churn(source *splitMix, ops int) (wrong int) {
	n := len(t.pending)
	for range ops {
		p, delay := source.next(n)
		if !t.stop(t.pending[p]) {
			wrong++
		}
		h, err := t.start(notYet+delay, nothing)
		if err != nil {
			wrong++
		}
		t.pending[p] = h
	}
	return wrong
}

func (t *timers[H]) resets(rs *replacements) (wrong int) {
	for i, p := range rs.picks {
		h, ok := t.reset(t.pending[p], notYet+rs.delays[i])
		if !ok {
			wrong++
		}
		t.pending[p] = h
	}
	return wrong
}

func (t *timers[H]) add(delays []time.Duration) (wrong int) {
	t.more = t.more[:0]
	for _, d := range delays {
		h, err := t.start(notYet+d, nothing)
		if err != nil {
			wrong++
		}
		t.more = append(t.more, h)
	}
	return wrong
}

func (t *timers[H]) drop() (wrong int) {
	for _, h := range t.more {
		if !t.stop(h) {
			wrong++
		}
	}
	return wrong
}

func (t *timers[H]) work() (schedulers.Work, bool) { return schedulers.Work{}, false }
func (t *timers[H]) len() int                      { return len(t.pending) }

func (t *timers[H]) close() {
	for _, h := range t.pending {
		t.stop(h)
	}
	if t.end != nil {
		_ = t.end() // nothing is left to fail for
	}
}

// newLiveTimers returns a population of a driver's timers, which end with it, or of
// time.AfterFunc without one.
func newLiveTimers(d *driver.Driver) livePopulation {
	if d == nil {
		return &timers[*time.Timer]{
			start: func(d time.Duration, f func()) (*time.Timer, error) { return time.AfterFunc(d, f), nil },
			stop:  (*time.Timer).Stop,
			reset: func(t *time.Timer, delay time.Duration) (*time.Timer, bool) { return t, t.Reset(delay) },
		}
	}
	return &timers[driver.Timer]{
		start: d.AfterFunc,
		stop:  driver.Timer.Stop,
		reset: func(t driver.Timer, delay time.Duration) (driver.Timer, bool) {
			made, ok, err := t.Reset(delay)
			return made, ok && err == nil
		},
		end: live.On(d, 0).Close,
	}
}

// newVirtual returns a population of the contestant's own kind.
func newVirtual(c Contestant, g Geometry) (population, error) {
	if c.Runtime {
		return newLiveTimers(nil), nil
	}
	s, err := c.New(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return &virtual{s: s}, nil
}
