package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// burstPerTimer is the time allowed for scheduling each timer of a burst
	// before all are due, and burstLead what is added to it.
	burstPerTimer = 2 * time.Microsecond
	burstLead     = 30 * time.Millisecond
	// burstStill is how long before the deadline nothing else is done any more.
	burstStill = 5 * time.Millisecond
	// burstTries is how often a burst is tried again when the machine was too
	// slow to schedule it before it was due.
	burstTries = 4
	// burstPatience is how long after the last deadline timers are waited for that
	// come in masses: time.AfterFunc has been seen to take more than ten seconds
	// for a million.
	burstPatience = 2 * time.Minute
)

// burstCells returns the cell of timers that are all due at once.
func (p *Plan) burstCells() []Cell {
	runners := slices.DeleteFunc(p.tickless(), func(r runner) bool {
		return r.LinearInsert && p.fillTooSlow(p.Burst, p.LiveRounds) // clocks are read so finely that no two deadlines are the same
	})
	if p.Burst == 0 || len(runners) == 0 {
		return nil
	}
	turn := time.Duration(p.Burst)*3*burstPerTimer/2 + burstLead + 5*time.Millisecond
	return []Cell{{
		Experiment: Burst,
		Name:       fmt.Sprintf("burst-%d", p.Burst),
		Time:       time.Duration(len(runners)*p.LiveRounds) * turn,
		run:        func(s *session) ([]*Series, error) { return s.burst(runners, p.Burst) },
	}}
}

// tickless returns the contestants of a live cell that tries no ticks.
func (p *Plan) tickless() (list []runner) {
	for _, r := range p.runners() {
		if r.tick == 0 {
			list = append(list, r)
		}
	}
	return list
}

// burst runs a burst cell. Garbage is collected as usual: what the firing leaves
// behind is charged to it.
func (s *session) burst(runners []runner, n int) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := newLateSeries(Burst, Param{"impl", r.Name}, Param{"waking", r.waking}, Param{"pending", strconv.Itoa(n)})
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			return s.burstTurn(r, series, n)
		}})
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// burstTurn has n timers fall due at once, with more time to schedule them
// before that if it was too short.
func (s *session) burstTurn(r runner, series *Series, n int) (int, map[string]float64, error) {
	ahead := time.Duration(n)*burstPerTimer + burstLead
	for range burstTries {
		b := newVolley(n)
		values, err := b.fireAll(s.ctx, r, series, ahead)
		if !errors.Is(err, errTooSlow) {
			if err != nil {
				err = fmt.Errorf("%s: %w", series.Name(), err)
			}
			return n, values, err
		}
		ahead *= 2
	}
	return 0, nil, fmt.Errorf("%s: the machine did not schedule %d timers in %v", series.Name(), n, ahead/2)
}

// errTooSlow means that timers were due before all were scheduled.
var errTooSlow = errors.New("the timers were due too soon")

// volley is a number of timers, and what becomes of them.
type volley struct {
	arrivals
	fired []firing
	tasks []func()
	left  atomic.Int64
	start time.Time
	done  chan struct{} // closed when all have fired
}

func newVolley(n int) *volley {
	v := &volley{
		arrivals: arrivals{at: make([]time.Duration, n), deadline: make([]time.Duration, n)},
		fired:    make([]firing, n), tasks: make([]func(), n), done: make(chan struct{}),
	}
	v.left.Store(int64(n))
	for i := range v.tasks {
		v.tasks[i] = func() {
			if v.fired[i].fire(time.Since(v.start)) && v.left.Add(-1) == 0 {
				close(v.done)
			}
		}
	}
	return v
}

// fireAll schedules the timers, all for one instant, and watches them fire.
func (v *volley) fireAll(ctx context.Context, r runner, series *Series, ahead time.Duration) (map[string]float64, error) {
	d, err := r.start(costTick, 2*ahead+jitterHorizon)
	if err != nil {
		return nil, err
	}
	if d != nil {
		defer func() { _ = closeDriver(d) }()
	}
	collectGarbage()
	v.start = time.Now()
	if err := v.schedule(ctx, starterOf(d), ahead); err != nil {
		return nil, err
	}
	collectGarbage()
	if time.Since(v.start) > ahead-burstStill {
		return nil, cmp.Or(v.wait(ctx, ahead+burstPatience), errTooSlow)
	}
	rest(ctx, ahead-burstStill-time.Since(v.start))
	before, metered := readUsage()
	if err := v.wait(ctx, ahead+burstPatience); err != nil {
		return nil, err
	}
	after, _ := readUsage()

	values := judge(v.arrivals, v.fired, series)
	values[DoneNs], values[GapNs] = v.course(ahead)
	if metered {
		values[CPUPerTimer] = float64(after.cpu-before.cpu) / float64(len(v.tasks))
	}
	return values, nil
}

// schedule starts the timers for the instant ahead from the start.
func (v *volley) schedule(ctx context.Context, after starter, ahead time.Duration) error {
	for i := range v.deadline {
		v.deadline[i] = ahead
	}
	return v.arm(ctx, after)
}

// arm starts the timers. The error may be that of ctx, if it ends meanwhile.
func (v *volley) arm(ctx context.Context, after starter) error {
	for i, f := range v.tasks {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := after(v.deadline[i]-time.Since(v.start), f); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until all timers have fired, or for long enough. The error is that
// of ctx, if it ends meanwhile.
func (v *volley) wait(ctx context.Context, patience time.Duration) error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-v.done:
	case <-timeout.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// rest sleeps, but not beyond the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	select {
	case <-timeout.C:
	case <-ctx.Done():
	}
}

// course returns how long after an instant the last timer fired, and the longest
// time in which none did, from the first that fired to the last.
func (v *volley) course(from time.Duration) (done, gap float64) {
	var at []int64
	for i := range v.fired {
		if v.fired[i].times.Load() > 0 {
			at = append(at, v.fired[i].at.Load())
		}
	}
	if len(at) == 0 {
		return 0, 0
	}
	slices.Sort(at)
	for i := 1; i < len(at); i++ {
		gap = max(gap, float64(at[i]-at[i-1]))
	}
	return float64(at[len(at)-1] - int64(from)), gap
}
