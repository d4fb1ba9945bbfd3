package harness

import (
	"slices"
	"strconv"
	"time"

	"schedbench/driver"
)

// The values of the parameter running.
const (
	RunInline    = "inline"
	RunGoroutine = "goroutine"
	RunPool      = "pool-4"
	RunRuntime   = "runtime" // time.AfterFunc: a goroutine for each
	RunOwn       = "own"     // as a preset does
)

// The values of the parameter task: what a slow task does.
const (
	SlowSleeps = "sleep"
	SlowBurns  = "busy"
)

const (
	slowEvery = 100 * time.Millisecond // one task in each such time
	slowFor   = 10 * time.Millisecond  // takes so long

	// slowSlice is long enough for two slow tasks.
	slowSlice = 2 * slowEvery

	poolWorkers = 4
	poolQueue   = 1024
)

// running is a way for tasks to run.
type running struct {
	name string
	opts []driver.Option
}

// runnings returns the ways for a contestant's tasks to run.
func runnings(c Contestant) []running {
	switch {
	case c.Runtime:
		return []running{{RunRuntime, nil}}
	case c.Preset:
		return []running{{RunOwn, nil}}
	}
	return []running{
		{RunInline, []driver.Option{driver.WithRunning(driver.Inline{})}},
		{RunGoroutine, []driver.Option{driver.WithRunning(driver.Goroutine{})}},
		{RunPool, []driver.Option{driver.WithRunning(driver.Pool{Workers: poolWorkers, Queue: poolQueue})}},
	}
}

// slowCells returns the cells of what slow tasks do to the others: of tasks that
// sleep, and in a plan of everything of tasks that burn CPU time.
func (p *Plan) slowCells() (cells []Cell) {
	who := append(p.standIns(), p.presets()...)
	ways := 0
	for _, c := range who {
		ways += len(runnings(c))
	}
	kinds := []string{SlowSleeps}
	if p.Every {
		kinds = append(kinds, SlowBurns)
	}
	for _, kind := range kinds {
		if ways == 0 {
			break
		}
		cells = append(cells, Cell{
			Experiment: Slow,
			Name:       "slow-" + kind,
			Time:       time.Duration(ways*p.LiveRounds) * (slowSlice + maxDelay + 2*batchEvery),
			run: func(s *session) (series []*Series, err error) {
				withoutGC(func() { series, err = s.slow(who, kind) })
				return series, err
			},
		})
	}
	return cells
}

// presets returns the presets among the contestants.
func (p *Plan) presets() (list []Contestant) {
	for _, c := range p.Contestants {
		if c.Preset && c.Live() {
			list = append(list, c)
		}
	}
	return list
}

// slow runs a cell of slow tasks.
func (s *session) slow(who []Contestant, kind string) ([]*Series, error) {
	plan := *s.plan
	plan.Slice = slowSlice
	own := &session{ctx: s.ctx, plan: &plan}
	var entrants []*entrant
	for _, c := range who {
		for _, way := range runnings(c) {
			series := newLateSeries(Slow, Param{"impl", c.Name}, Param{"running", way.name},
				Param{"task", kind}, Param{"rate", strconv.Itoa(s.plan.Rate)})
			r := runner{Contestant: c, opts: way.opts}
			entrants = append(entrants, &entrant{series: series, turn: func() (int, map[string]float64, error) {
				a := own.arrive(len(series.Iterations))
				a.slow, a.hold = slowTasks(a.deadline), holdOf(kind)
				return own.jitterTurn(r, a, series)
			}})
		}
	}
	return interleave(s, s.plan.LiveRounds, entrants)
}

// slowTasks marks the first timer due in the middle of each slowEvery.
func slowTasks(deadline []time.Duration) []bool {
	order := make([]int, len(deadline))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(deadline[a] - deadline[b]) })
	slow := make([]bool, len(deadline))
	next := slowEvery / 2
	for _, i := range order {
		if deadline[i] >= next {
			slow[i] = true
			next += (deadline[i]-next)/slowEvery*slowEvery + slowEvery
		}
	}
	return slow
}

// holdOf returns what a slow task does.
func holdOf(kind string) func() {
	if kind == SlowSleeps {
		return func() { time.Sleep(slowFor) }
	}
	return func() {
		var sink uint64
		for start := time.Now(); time.Since(start) < slowFor; {
			sink += spin(1_000)
		}
	}
}
