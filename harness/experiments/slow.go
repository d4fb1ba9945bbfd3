package experiments

import (
	"cmp"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/live"
)

const (
	slowEvery = 100 * time.Millisecond // one task in each such time
	slowFor   = 10 * time.Millisecond  // takes so long

	// slowSlice is long enough for four slow tasks.
	slowSlice = 4 * slowEvery

	poolWorkers = 4
	poolQueue   = 1024
)

// runnings returns the ways in which a contestant's tasks can run.
func runnings(c harness.Contestant) []policy {
	switch {
	case c.Runtime:
		return []policy{{rundata.RunRuntime, nil}}
	case c.AsItIs():
		return []policy{{rundata.RunPreset, nil}}
	}
	return []policy{
		{rundata.RunInline, []driver.Option{driver.WithRunning(driver.Inline{})}},
		{rundata.RunGoroutine, []driver.Option{driver.WithRunning(driver.Goroutine{})}},
		{rundata.RunPool, []driver.Option{driver.WithRunning(driver.Pool{Workers: poolWorkers, Queue: poolQueue})}},
	}
}

// slowCells returns the cells of slow tasks that sleep, and in a full plan also of those that burn CPU time.
func slowCells(p *harness.Plan) (cells []harness.Cell) {
	variants := harness.WithAA(variantsOf(append(representatives(p), asTheyAre(p)...), runnings))
	kinds := []string{rundata.SlowSleeps, rundata.SlowBurns}
	if !p.Full {
		kinds = kinds[:1]
	}
	for _, kind := range kinds {
		arrivals := arrivingIn(p, "jitter", slowSlice, minDelay)
		arrivals.slow = kind
		cells = append(cells, arrivals.played(rundata.Slow, "slow-"+kind, variants, func(r variant) []any {
			return []any{"running", r.name, "task", kind, "rate", p.Rate}
		}).cells(p)...)
	}
	return cells
}

// slowOf returns, by timer, whether its task is slow: the first due in the middle of each slowEvery is.
func slowOf(arrivals *live.Slice) []bool {
	slow, next := make([]bool, arrivals.Timers), slowEvery/2
	byDeadline := slices.SortedStableFunc(slices.Values(arrivals.Ops), func(a, b live.Op) int {
		return cmp.Compare(a.Deadline, b.Deadline)
	})
	for _, op := range byDeadline {
		if op.Deadline >= next {
			slow[op.Timer] = true
			next += (op.Deadline-next)/slowEvery*slowEvery + slowEvery
		}
	}
	return slow
}

func holdOf(kind string) func() {
	if kind == rundata.SlowSleeps {
		return func() { time.Sleep(slowFor) }
	}
	return func() {
		var sink uint64
		for start := time.Now(); time.Since(start) < slowFor; {
			sink += spin(1_000)
		}
	}
}
