package harness

import (
	"fmt"
	"runtime"

	"schedbench/driver"
	"schedbench/schedulers"
)

// Parallel asks what operations cost that many goroutines do at once.
const Parallel = "Parallel"

// The values of the parameter inbox.
const (
	InboxLocked  = "locked"
	InboxSharded = "sharded"
	InboxQueued  = "queued"
	InboxRuntime = "runtime" // time.AfterFunc: a heap for each processor
)

// shardsPerProcessor is how many shards a Sharded driver gets for each
// processor: with four, two goroutines at work are in the same one seldom, and a
// worker still looks at few.
const shardsPerProcessor = 4

// inboxes returns the inboxes that a contestant can be measured with.
func inboxes(c Contestant) []policy {
	if c.Runtime {
		return []policy{{InboxRuntime, nil}}
	}
	list := []policy{{InboxLocked, []driver.Option{driver.WithInbox(driver.Locked{})}}}
	if c.Shard != nil {
		list = append(list, policy{InboxSharded, []driver.Option{driver.WithInbox(driver.Sharded{
			Shards: shardsPerProcessor * runtime.GOMAXPROCS(0),
			New: func() (schedulers.Scheduler[driver.Task], error) {
				return c.Shard(costGeometry(OpLivePair, 0, longest))
			},
		})}})
	}
	return append(list, policy{InboxQueued, []driver.Option{driver.WithInbox(driver.Queued{})}})
}

// parallelPending returns the pending counts of parallel cells.
func (p *Plan) parallelPending() []int {
	switch {
	case len(p.Pending) == 0:
		return nil
	case p.Every:
		return p.counts(1_000, middling)
	}
	return p.counts(1_000)
}

// parallelCells returns a cell for each pending count and number of goroutines:
// the same pairs as OpLivePair, by goroutines that each have timers of their own,
// through every kind of inbox of one contestant, beside time.AfterFunc.
func (p *Plan) parallelCells() (cells []Cell) {
	runners := withRunnerAgain(runnersOf(p.standIns(), inboxes))
	if len(runners) == 0 {
		return nil
	}
	for _, n := range p.parallelPending() {
		for _, goroutines := range p.Goroutines {
			if n < goroutines {
				continue
			}
			name := fmt.Sprintf("parallel-%d-%d", n, goroutines)
			cells = append(cells, p.pairsCell(Parallel, name, n, runners, p.pairsTime(n), func(r runner) *pairsTurn {
				series := newSeries(Parallel, "impl", r.Name, "inbox", r.name, "pending", n, "goroutines", goroutines)
				return &pairsTurn{r: r, n: n, goroutines: goroutines, series: series}
			}))
		}
	}
	return cells
}
