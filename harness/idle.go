package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// Idle asks what pending timers cost while nothing happens.
const Idle = "Idle"

func idleExperiment() Experiment {
	return Experiment{Name: Idle, Unit: CPUPerSecond, Control: ProcessControl, cells: (*Plan).idleCells}
}

// leftAlone is how long a contestant is left alone before it is measured.
const leftAlone = 20 * time.Millisecond

// idleCells returns a cell for each pending count, and none where the system
// does not tell what the process uses.
func (p *Plan) idleCells() []Cell {
	var cells []Cell
	if _, ok := live.ReadUsage(); !ok {
		return nil
	}
	for _, n := range p.idlePending() {
		runners := p.runners()
		fill := time.Duration(n) * 400 * time.Nanosecond
		cell := p.liveCell(Idle, fmt.Sprintf("idle-%d", n), 0, 0, func(s *session) (list []*competitor) {
			for _, r := range runners {
				list = append(list, s.idleCompetitor(r, idleSeries(r.Name, r.waking, n), n))
			}
			return append(list, &competitor{series: idleSeries(ProcessControl, NoWaking, n), turn: func(int) (int, map[string]float64, error) {
				return 1, watch(nil, p.Slice), nil
			}})
		}).withoutGC()
		cell.Time = p.idleTime(runners, fill)
		cells = append(cells, cell)
	}
	return append(cells, p.waitingIdleCells()...)
}

// waitingIdleCells returns the cell of idle costs by way of sleeping.
func (p *Plan) waitingIdleCells() []Cell {
	if !p.compareWaiting() {
		return nil
	}
	n := slices.Max(p.others())
	turn := p.Slice + time.Duration(n)*400 + leftAlone
	return []Cell{p.runnersCell(Idle, fmt.Sprintf("idle-waiting-%d", n), p.waitingRunners(), turn, func(s *session, r runner) *competitor {
		series := idleSeries(r.Name, r.waking, n)
		series.Params = append(series.Params, Param{"waiting", r.waiting})
		return s.idleCompetitor(r, series, n)
	}).withoutGC()}
}

// idlePending returns the pending counts of idle cells: those asked for, or the
// largest, up to middling; and in a plan of everything none, one, middling and the
// largest.
func (p *Plan) idlePending() []int {
	largest := 0
	if len(p.Pending) > 0 {
		largest = slices.Max(p.Pending)
	}
	switch {
	case p.Asked:
		return p.Pending
	case !p.Every:
		return []int{min(largest, middling)}
	}
	counts := []int{0, 1, min(largest, middling), largest}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// idleTime returns how long an idle cell takes whose population is armed in the given
// time.
func (p *Plan) idleTime(runners []runner, fill time.Duration) time.Duration {
	round := p.Slice + fill + leftAlone // of the idle process
	for _, r := range runners {
		round += wholeTicks(p.Slice, r.tick) + fill + leftAlone
	}
	return time.Duration(p.LiveRounds) * round
}

// idleCompetitor has n timers pending and nothing happening.
func (s *session) idleCompetitor(r runner, series *Series, n int) *competitor {
	return &competitor{series: series, turn: func(int) (int, map[string]float64, error) { return s.idleTurn(r, n) }}
}

func idleSeries(impl, waking string, n int) *Series {
	return &Series{Experiment: Idle, Params: []Param{
		{"impl", impl}, {"waking", waking}, {"pending", strconv.Itoa(n)}}}
}

// idleTurn measures a contestant with n timers that are an hour away.
func (s *session) idleTurn(r runner, n int) (int, map[string]float64, error) {
	d, err := r.start(time.Millisecond, 2*time.Hour+time.Minute)
	if err != nil {
		return 0, nil, err
	}
	pop := newLiveTimers(d)
	defer pop.close()
	draw, random := uniform(0, time.Hour), s.random(fmt.Sprint("idle", n))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = draw(random)
	}
	slices.Sort(delays) // which a sorted list needs, and the others do not mind
	if err := pop.fill(s.ctx, delays); err != nil {
		return 0, nil, err
	}
	if r.Preset {
		time.Sleep(presetQuiet)
	}
	return 1, watch(d, wholeTicks(s.plan.Slice, r.tick)), nil
}

// presetQuiet is longer than the tick of any preset: those with a queue move
// their timers into the scheduler with the first tick.
const presetQuiet = 150 * time.Millisecond

// wholeTicks returns a slice that is made longer to hold whole ticks: of two and a
// half, a window would show now two wake-ups and now three. A tick that is longer than
// the slice leaves it as it is.
func wholeTicks(slice, tick time.Duration) time.Duration {
	if tick <= 0 || tick > slice {
		return slice
	}
	return (slice + tick - 1) / tick * tick
}

// wakeupsOf returns how often the worker of a driver has woken; without a driver
// never.
func wakeupsOf(d *driver.Driver) float64 {
	if d == nil {
		return 0
	}
	return float64(d.Stats().Wakeups)
}

// watch measures what the process uses while it sleeps for a while, and how often
// the worker of d, if there is one, wakes up.
func watch(d *driver.Driver, length time.Duration) map[string]float64 {
	time.Sleep(leftAlone)
	woken, start := wakeupsOf(d), time.Now()
	before, _ := live.ReadUsage()
	time.Sleep(length)
	after, _ := live.ReadUsage()
	took := time.Since(start).Seconds()
	return map[string]float64{
		CPUPerSecond:      float64(after.CPU-before.CPU) / took,
		SwitchesPerSecond: float64(after.Switches-before.Switches) / took,
		WakeupsPerSecond:  (wakeupsOf(d) - woken) / took,
	}
}
