package experiments

import (
	"fmt"
	"runtime"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/schedulers"
)

// shardsPerProcessor is how many shards a Sharded driver gets for each
// processor: with four, two goroutines at work are in the same one seldom, and a
// worker still looks at few.
const shardsPerProcessor = 4

// inboxes returns the inboxes that a contestant can be measured with.
func inboxes(c harness.Contestant) []policy {
	if c.Runtime {
		return []policy{{rundata.InboxRuntime, nil}}
	}
	list := []policy{{rundata.InboxLocked, []driver.Option{driver.WithInbox(driver.Locked{})}}}
	if c.Shard != nil {
		list = append(list, policy{rundata.InboxSharded, []driver.Option{driver.WithInbox(driver.Sharded{
			Shards: shardsPerProcessor * runtime.GOMAXPROCS(0),
			New: func() (schedulers.Scheduler[driver.Task], error) {
				return c.Shard(costGeometry(rundata.OpLivePair, 0, longest))
			},
		})}})
	}
	return append(list, policy{rundata.InboxQueued, []driver.Option{driver.WithInbox(driver.Queued{})}})
}

// parallelPending returns the pending counts of parallel cells.
func parallelPending(p *harness.Plan) []int {
	switch {
	case len(p.Pending) == 0:
		return nil
	case p.Full:
		return p.Counts(1_000, middling)
	}
	return p.Counts(1_000)
}

// parallelCells returns a cell for each pending count and number of goroutines:
// the same pairs as OpLivePair, by goroutines that each have timers of their own,
// through every kind of inbox of one contestant, beside time.AfterFunc.
func parallelCells(p *harness.Plan) (cells []harness.Cell) {
	variants := harness.WithAA(variantsOf(representatives(p), inboxes))
	if len(variants) == 0 {
		return nil
	}
	for _, n := range parallelPending(p) {
		for _, goroutines := range p.Goroutines {
			if n < goroutines {
				continue
			}
			name := fmt.Sprintf("parallel-%d-%d", n, goroutines)
			cells = append(cells, pairsCell(p, rundata.Parallel, name, n, variants, pairsTime(p, n), func(r variant) *pairsTurn {
				series := rundata.NewSeries(rundata.Parallel, "impl", r.Name, "inbox", r.name, "pending", n, "goroutines", goroutines)
				return &pairsTurn{r: r, n: n, goroutines: goroutines, series: series}
			}))
		}
	}
	return cells
}
