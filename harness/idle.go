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

// settling is for how many times as long as a block participants are left alone before the first.
const settling = 2

// idleCells returns a cell for each pending count, and none where the system does not tell what a
// process uses. All participants are watched at the same time, each in a process of its own, which
// has done nothing but make its timers; the idle process, which has none, is among them twice.
func (p *Plan) idleCells() (cells []Cell) {
	if _, ok := live.ReadUsage(); !ok {
		return nil
	}
	for _, n := range p.idlePending() {
		runners := p.runners()
		cells = append(cells, turnsCell(Idle, fmt.Sprintf("idle-%d", n), 1, p.idleTime(n), func(s *session) []*competitor {
			list := each(runners, func(r runner) *competitor {
				return s.idleCompetitor(r, n, "impl", r.Name, "waking", r.waking, "pending", n)
			})
			for _, name := range []string{ProcessControl, ProcessControl + AgainSuffix} {
				process := newSeries(Idle, "impl", name, "waking", NoWaking, "pending", n)
				list = append(list, &competitor{series: process, build: func(int) error { return s.settle() }, turn: func(int) (int, sample, error) {
					return 1, watch(started{}.wakeups, WakeupsPerSecond, p.Watch), nil
				}})
			}
			return list
		}).withoutGC().sideBySide(p, 0))
	}
	if !p.compareWaiting() {
		return cells
	}
	n := slices.Max(p.others())
	return append(cells, runnersCell(Idle, fmt.Sprintf("idle-waiting-%d", n), p.waitingRunners(), p.idleTime(n)/8, func(s *session, r runner) *competitor {
		return s.idleCompetitor(r, n, "impl", r.Name, "waking", r.waking, "pending", n, "waiting", r.name)
	}).withoutGC().sideBySide(p, 0))
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

// idleTime returns how long a block takes of participants that are watched at the same time.
func (p *Plan) idleTime(n int) time.Duration {
	return p.Watch*5/4 + time.Duration(n)*400/blocksBeside
}

// settle leaves the process alone until it is at rest.
func (s *session) settle() error {
	time.Sleep(settling * s.plan.Watch)
	return nil
}

// idleCompetitor has n timers pending, an hour away, and nothing happening.
func (s *session) idleCompetitor(r runner, n int, params ...any) *competitor {
	made := func() (population, error) {
		timers, err := r.start(time.Millisecond, idleHorizon)
		return timers.population(notYet), err
	}
	c := &competitor{series: newSeries(Idle, params...), holds: s.burdenOf(r.Contestant, n, inOrderOf, made)}
	if r.Launch != nil {
		c.turn = func(int) (int, sample, error) { return s.idleElsewhere(r, n) }
		return c
	}
	var timers started
	var pop livePopulation
	c.build = func(int) (err error) {
		if timers, err = r.start(time.Millisecond, idleHorizon); err != nil {
			return err
		}
		pop = timers.population(notYet)
		draw, random := uniform(0, time.Hour), s.random(fmt.Sprint("idle", n))
		// A sorted list needs the order, and the others do not mind.
		if err := pop.fill(s.ctx, n, ascending(n, func() time.Duration { return draw(random) })); err != nil {
			return err
		}
		runtime.GC() // of the list of delays
		time.Sleep(r.quiet(n))
		return s.settle()
	}
	c.turn = func(int) (int, sample, error) {
		values := watch(timers.wakeups, WakeupsPerSecond, wholeTicks(s.plan.Watch, r.tick))
		if timers.own != nil { // which nobody counts
			delete(values, WakeupsPerSecond)
		}
		return 1, values, nil
	}
	c.done = func() {
		if pop != nil {
			pop.close()
			pop = nil
			runtime.GC() // or the next would be measured beside what this one has left
		}
	}
	return c
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
