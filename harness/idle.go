package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"schedbench/driver"
)

// settling is how long a contestant is left alone before it is measured.
const settling = 20 * time.Millisecond

// idleCells returns a cell for each pending count, and none where the system
// does not tell what the process uses.
func (p *Plan) idleCells() []Cell {
	var cells []Cell
	if _, ok := readUsage(); !ok {
		return nil
	}
	for _, n := range p.idlePending() {
		runners := p.runners()
		fill := time.Duration(n) * 400 * time.Nanosecond
		cells = append(cells, Cell{
			Experiment: Idle,
			Name:       fmt.Sprintf("idle-%d", n),
			Time:       p.idleTime(runners, fill),
			run: func(s *session) (series []*Series, err error) {
				withoutGC(func() { series, err = s.idle(runners, n) })
				return series, err
			},
		})
	}
	return append(cells, p.waitingIdleCells()...)
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
	round := p.Slice + fill + settling // of the idle process
	for _, r := range runners {
		round += wholeTicks(p.Slice, r.tick) + fill + settling
	}
	return time.Duration(p.LiveRounds) * round
}

// idle runs an idle cell.
func (s *session) idle(runners []runner, n int) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		entrants = append(entrants, &entrant{series: idleSeries(r.Name, r.waking, n), turn: func() (int, map[string]float64, error) {
			return s.idleTurn(r, n)
		}})
	}
	entrants = append(entrants, &entrant{series: idleSeries(ProcessControl, NoWaking, n), turn: func() (int, map[string]float64, error) {
		values := s.watch(nil, s.plan.Slice)
		return 1, values, nil
	}})
	return interleave(s, s.plan.LiveRounds, entrants)
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
		return 0, nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	if r.Preset {
		time.Sleep(presetSettling)
	}
	return 1, s.watch(d, wholeTicks(s.plan.Slice, r.tick)), nil
}

// presetSettling is longer than the tick of any preset: those with a queue move
// their timers into the scheduler with the first tick.
const presetSettling = 150 * time.Millisecond

// wholeTicks returns a slice that is made longer to hold whole ticks: of two and a
// half, a window would show now two wake-ups and now three. A tick that is longer than
// the slice leaves it as it is.
func wholeTicks(slice, tick time.Duration) time.Duration {
	if tick <= 0 || tick > slice {
		return slice
	}
	return (slice + tick - 1) / tick * tick
}

// watch measures what the process uses while it sleeps for a while, and how often
// the worker of d, if there is one, wakes up.
func (s *session) watch(d *driver.Driver, length time.Duration) map[string]float64 {
	time.Sleep(settling)
	woken, start := wakeupsOf(d), time.Now()
	before, _ := readUsage()
	time.Sleep(length)
	after, _ := readUsage()
	took := time.Since(start).Seconds()
	return map[string]float64{
		CPUPerSecond:      float64(after.cpu-before.cpu) / took,
		SwitchesPerSecond: float64(after.switches-before.switches) / took,
		WakeupsPerSecond:  (wakeupsOf(d) - woken) / took,
	}
}
