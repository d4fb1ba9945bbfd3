package harness

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"schedbench/live"
)

// Idle asks what pending timers cost while nothing happens.
const Idle = "Idle"

// idleHorizon is how far ahead deadlines may lie.
const idleHorizon = 2*time.Hour + time.Minute

// leftAlone is how long a contestant is left alone before it is measured.
const leftAlone = 20 * time.Millisecond

// idleCells returns a cell for each pending count, and none where the system
// does not tell what the process uses.
func (p *Plan) idleCells() (cells []Cell) {
	if _, ok := live.ReadUsage(); !ok {
		return nil
	}
	for _, n := range p.idlePending() {
		runners := p.runners()
		cell := turnsCell(Idle, fmt.Sprintf("idle-%d", n), p.atMost(p.LiveBlocks, n), 1, p.idleTime(runners, n), func(s *session) []*competitor {
			list := each(runners, func(r runner) *competitor {
				return s.idleCompetitor(r, n, "impl", r.Name, "waking", r.waking, "pending", n)
			})
			process := newSeries(Idle, "impl", ProcessControl, "waking", NoWaking, "pending", n)
			return append(list, &competitor{series: process, turn: func(int) (int, sample, error) {
				return 1, watch(started{}.wakeups, WakeupsPerSecond, p.Slice), nil
			}})
		})
		cells = append(cells, cell.withoutGC())
	}
	if !p.compareWaiting() {
		return cells
	}
	n := slices.Max(p.others())
	turn := p.Slice + time.Duration(n)*400 + leftAlone
	return append(cells, p.runnersCell(Idle, fmt.Sprintf("idle-waiting-%d", n), p.waitingRunners(), turn, func(s *session, r runner) *competitor {
		return s.idleCompetitor(r, n, "impl", r.Name, "waking", r.waking, "pending", n, "waiting", r.name)
	}).withoutGC())
}

// idlePending returns the pending counts of idle cells: those asked for, or the
// largest, up to middling; and in a plan of everything none, one, middling and the
// largest.
func (p *Plan) idlePending() []int {
	if p.Asked || !p.Every {
		return p.counts(middling)
	}
	counts := append(p.counts(middling, math.MaxInt), 0, 1)
	slices.Sort(counts)
	return slices.Compact(counts)
}

// idleTime returns how long a round takes of runners with n timers each, and of the
// idle process.
func (p *Plan) idleTime(runners []runner, n int) time.Duration {
	around := time.Duration(n)*400 + leftAlone
	round := p.Slice + around
	for _, r := range runners {
		round += wholeTicks(p.Slice, r.tick) + around + r.launching() + r.quiet(n)
	}
	return round
}

// idleCompetitor has n timers pending and nothing happening.
func (s *session) idleCompetitor(r runner, n int, params ...any) *competitor {
	made := func() (population, error) {
		timers, err := r.start(time.Millisecond, idleHorizon)
		return timers.population(notYet), err
	}
	holds := burdenOf(r.Contestant, n, made)
	holds.besides = inOrderOf
	return &competitor{
		series: newSeries(Idle, params...), holds: holds,
		turn: func(int) (int, sample, error) { return s.idleTurn(r, n) },
	}
}

// idleTurn measures a contestant with n timers that are an hour away.
func (s *session) idleTurn(r runner, n int) (int, sample, error) {
	if r.Launch != nil {
		return s.idleElsewhere(r, n)
	}
	timers, err := r.start(time.Millisecond, idleHorizon)
	if err != nil {
		return 0, nil, err
	}
	pop := timers.population(notYet)
	defer runtime.GC() // or a cell of a million would keep all that its turns have made
	defer pop.close()
	draw, random := uniform(0, time.Hour), s.random(fmt.Sprint("idle", n))
	// A sorted list needs the order, and the others do not mind.
	if err := pop.fill(s.ctx, n, ascending(n, func() time.Duration { return draw(random) })); err != nil {
		return 0, nil, err
	}
	time.Sleep(r.quiet(n))
	values := watch(timers.wakeups, WakeupsPerSecond, wholeTicks(s.plan.Slice, r.tick))
	if timers.own != nil { // which nobody counts
		delete(values, WakeupsPerSecond)
	}
	return 1, values, nil
}

const (
	// presetQuiet is longer than the tick of any preset: those with a queue move their timers
	// into the scheduler tick by tick, movedPerTick of them at most.
	presetQuiet  = 150 * time.Millisecond
	movedPerTick = 100_000
)

// quiet returns how long a runner with n new timers takes to have nothing to do.
func (r runner) quiet(n int) time.Duration {
	if !r.asItIs() {
		return 0
	}
	return presetQuiet * time.Duration(1+n/movedPerTick)
}

// wholeTicks returns a slice that is made longer to hold whole ticks: of two and a
// half, a window would show now two wake-ups and now three. A tick that is longer than
// the slice leaves it as it is.
func wholeTicks(slice, tick time.Duration) time.Duration {
	if tick <= 0 || tick > slice {
		return slice
	}
	return (slice + tick - 1) / tick * tick
}

// watch measures what the process uses while it sleeps for a while, and how fast
// something grows meanwhile that is counted in a unit.
func watch(count func() float64, unit string, length time.Duration) sample {
	time.Sleep(leftAlone)
	counted, start := count(), time.Now()
	values := watchUsage(live.ReadUsage, length)
	values[unit] = (count() - counted) / time.Since(start).Seconds()
	return values
}

// watchUsage measures what a process uses while this one sleeps for a while.
func watchUsage(usage func() (live.Usage, bool), length time.Duration) sample {
	start := time.Now()
	before, _ := usage()
	time.Sleep(length)
	after, _ := usage()
	took := time.Since(start).Seconds()
	return sample{
		CPUPerSecond:      float64(after.CPU-before.CPU) / took,
		SwitchesPerSecond: float64(after.Switches-before.Switches) / took,
	}
}
