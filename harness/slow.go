package harness

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/live"
)

// Slow asks what tasks that take long do to the others.
const Slow = "Slow"

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

// runnings returns the ways for a contestant's tasks to run.
func runnings(c Contestant) []policy {
	switch {
	case c.Runtime:
		return []policy{{RunRuntime, nil}}
	case c.asItIs():
		return []policy{{RunOwn, nil}}
	}
	return []policy{
		{RunInline, []driver.Option{driver.WithRunning(driver.Inline{})}},
		{RunGoroutine, []driver.Option{driver.WithRunning(driver.Goroutine{})}},
		{RunPool, []driver.Option{driver.WithRunning(driver.Pool{Workers: poolWorkers, Queue: poolQueue})}},
	}
}

// slowCells returns the cells of what slow tasks do to the others: of tasks that
// sleep, and in a plan of everything of tasks that burn CPU time.
func (p *Plan) slowCells() (cells []Cell) {
	runners := withRunnerAgain(runnersOf(append(p.standIns(), p.asTheyAre()...), runnings))
	if len(runners) == 0 {
		return nil
	}
	kinds := []string{SlowSleeps, SlowBurns}
	if !p.Every {
		kinds = kinds[:1]
	}
	turn := slowSlice + maxDelay + aroundPlay
	for _, kind := range kinds {
		cells = append(cells, runnersCell(Slow, "slow-"+kind, runners, turn, func(s *session, r runner) *competitor {
			series := newLateSeries(Slow, "impl", r.Name, "running", r.name, "task", kind, "rate", p.Rate)
			return &competitor{series: series, turn: func(round int) (int, sample, error) {
				arrivals := s.arrive(fmt.Sprint("jitter", round), slowSlice, p.Rate, minDelay)
				return s.jitterTurn(r, series, arrivals, slowOf(arrivals, kind))
			}}
		}).withoutGC().sideBySide(p, latenessAbreast))
	}
	return cells
}

// slowTasks are the tasks that take long.
type slowTasks struct {
	is   []bool // by timer
	hold func() // what they do
}

// slowOf makes the first task due in the middle of each slowEvery a slow one.
func slowOf(arrivals *live.Slice, kind string) *slowTasks {
	slow := &slowTasks{make([]bool, arrivals.Timers), holdOf(kind)}
	next := slowEvery / 2
	byDeadline := slices.SortedStableFunc(slices.Values(arrivals.Ops), func(a, b live.Op) int {
		return cmp.Compare(a.Deadline, b.Deadline)
	})
	for _, op := range byDeadline {
		if op.Deadline >= next {
			slow.is[op.Timer] = true
			next += (op.Deadline-next)/slowEvery*slowEvery + slowEvery
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
