package harness

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"schedbench/driver"
)

// waiting is a way for the driver's worker to sleep.
type waiting struct {
	name string
	opts []driver.Option
}

// waitings returns the ways of sleeping that this system has: where it is not
// Linux, Precise is Runtime.
func waitings() []waiting {
	list := []waiting{{WaitRuntime, []driver.Option{driver.WithWaiting(driver.Runtime{})}}}
	if runtime.GOOS == "linux" {
		list = append(list, waiting{WaitPrecise, []driver.Option{driver.WithWaiting(driver.Precise{})}})
	}
	return list
}

// The values of the parameter waiting.
const (
	WaitRuntime = "runtime" // on a timer of the Go runtime, time.AfterFunc's own too
	WaitPrecise = "precise" // on a clock of the system
)

// leastPrecise is the shortest delay where ways of sleeping are compared.
const leastPrecise = 200 * time.Microsecond

// waitingRunners returns who is measured with every way of sleeping, and as it
// is: one wheel, a contestant without ticks, and time.AfterFunc.
func (p *Plan) waitingRunners() (list []runner) {
	for _, c := range p.sleepers() {
		if c.Runtime {
			list = append(list, runner{Contestant: c, waking: RuntimeWaking, waiting: WaitRuntime})
			continue
		}
		for _, w := range waitings() {
			list = append(list, runner{Contestant: c, waking: Tickless, waiting: w.name, opts: w.opts})
		}
	}
	return list
}

// sleepers returns the contestants that stand for all when it comes to sleeping.
func (p *Plan) sleepers() []Contestant {
	list := p.standIns()
	for _, c := range p.Contestants {
		exact := c.Live() && !c.Runtime && !c.Preset && !c.HasTick && !c.LinearInsert
		if exact && !slices.ContainsFunc(list, func(have Contestant) bool { return have.Name == c.Name }) {
			return append(list, c)
		}
	}
	return list
}

// compareWaiting reports whether a plan compares ways of sleeping: one of
// everything does, where there is more than one.
func (p *Plan) compareWaiting() bool { return p.Every && len(waitings()) > 1 }

// others returns how many other timers are pending while lateness is measured:
// none, and many.
func (p *Plan) others() []int {
	if len(p.Pending) == 0 {
		return []int{0}
	}
	return []int{0, min(middling, slices.Max(p.Pending))}
}

// waitingJitterCells returns the cells of lateness by way of sleeping.
func (p *Plan) waitingJitterCells() (cells []Cell) {
	if !p.compareWaiting() {
		return nil
	}
	runners := p.waitingRunners()
	for _, others := range p.others() {
		turn := p.Slice + maxDelay + 2*batchEvery + time.Duration(others)*400
		cells = append(cells, Cell{
			Experiment: Jitter,
			Name:       fmt.Sprintf("jitter-waiting-%d", others),
			Time:       time.Duration(len(runners)*p.LiveRounds) * turn,
			run: func(s *session) (series []*Series, err error) {
				withoutGC(func() { series, err = s.waitingJitter(runners, others) })
				return series, err
			},
		})
	}
	return cells
}

// waitingJitter runs a cell of lateness by way of sleeping.
func (s *session) waitingJitter(runners []runner, others int) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		r.others = others
		series := newLateSeries(Jitter, Param{"impl", r.Name}, Param{"waking", r.waking}, Param{"waiting", r.waiting},
			Param{"rate", strconv.Itoa(s.plan.Rate)}, Param{"pending", strconv.Itoa(others)})
		entrants = append(entrants, s.preciseEntrant(r, series))
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// preciseEntrant returns an entrant of lateness with short delays too.
func (s *session) preciseEntrant(r runner, series *Series) *entrant {
	return &entrant{series: series, turn: func() (int, map[string]float64, error) {
		a := s.arriveBetween(fmt.Sprint("waiting", len(series.Iterations)), leastPrecise, maxDelay)
		return s.jitterTurn(r, a, series)
	}}
}

// waitingIdleCells returns the cell of idle costs by way of sleeping.
func (p *Plan) waitingIdleCells() []Cell {
	if !p.compareWaiting() {
		return nil
	}
	runners, n := p.waitingRunners(), slices.Max(p.others())
	return []Cell{{
		Experiment: Idle,
		Name:       fmt.Sprintf("idle-waiting-%d", n),
		Time:       time.Duration(len(runners)*p.LiveRounds) * (p.Slice + time.Duration(n)*400 + settling),
		run: func(s *session) (series []*Series, err error) {
			withoutGC(func() { series, err = s.waitingIdle(runners, n) })
			return series, err
		},
	}}
}

// waitingIdle runs a cell of idle costs by way of sleeping.
func (s *session) waitingIdle(runners []runner, n int) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := idleSeries(r.Name, r.waking, n)
		series.Params = append(series.Params, Param{"waiting", r.waiting})
		entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
			return s.idleTurn(r, n)
		}})
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// slacks are the slacks whose lateness and CPU time are weighed.
var slacks = []time.Duration{0, 100 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}

// slackCells returns the cell of what it saves to let timers be late, so that one
// wake-up serves several.
func (p *Plan) slackCells() []Cell {
	c, ok := p.standIn()
	if !ok {
		return nil
	}
	var runners []runner
	for _, w := range waitings() {
		for _, slack := range slacks {
			runners = append(runners, runner{
				Contestant: c, waking: Tickless, waiting: w.name, slack: slack,
				opts: append([]driver.Option{driver.WithSlack(slack)}, w.opts...)})
		}
	}
	return []Cell{{
		Experiment: Slack,
		Name:       "slack",
		Time:       time.Duration(len(runners)*p.LiveRounds) * (p.Slice + maxDelay + 2*batchEvery),
		run: func(s *session) (series []*Series, err error) {
			withoutGC(func() { series, err = s.slack(runners) })
			return series, err
		},
	}}
}

// slack runs a cell of slacks.
func (s *session) slack(runners []runner) ([]*Series, error) {
	var entrants []*entrant
	for _, r := range runners {
		series := newLateSeries(Slack, Param{"impl", r.Name}, Param{"waiting", r.waiting},
			Param{"slack", r.slack.String()}, Param{"rate", strconv.Itoa(s.plan.Rate)})
		entrants = append(entrants, s.preciseEntrant(r, series))
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}
