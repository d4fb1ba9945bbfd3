package harness

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"schedbench/driver"
	"schedbench/schedulers"
)

// Parallel asks what operations cost that many goroutines do at once.
const Parallel = "Parallel"

func parallelExperiment() Experiment {
	return Experiment{Name: Parallel, Unit: NsPerOp, cells: (*Plan).parallelCells}
}

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
func inboxes(c Contestant, g Geometry) []policy {
	if c.Runtime {
		return []policy{{InboxRuntime, nil}}
	}
	list := []policy{{InboxLocked, []driver.Option{driver.WithInbox(driver.Locked{})}}}
	if c.Shard != nil {
		list = append(list, policy{InboxSharded, []driver.Option{driver.WithInbox(driver.Sharded{
			Shards: shardsPerProcessor * runtime.GOMAXPROCS(0),
			New:    func() (schedulers.Scheduler[driver.Task], error) { return c.Shard(g) },
		})}})
	}
	return append(list, policy{InboxQueued, []driver.Option{driver.WithInbox(driver.Queued{})}})
}

// parallelPending returns the pending counts of parallel cells.
func (p *Plan) parallelPending() []int {
	if len(p.Pending) == 0 {
		return nil
	}
	if p.Asked {
		return p.Pending
	}
	few, many := min(1_000, slices.Max(p.Pending)), min(middling, slices.Max(p.Pending))
	if !p.Every || few == many {
		return []int{few}
	}
	return []int{few, many}
}

// parallelCells returns a cell for each pending count and number of goroutines:
// the same pairs as OpLivePair, by goroutines that each have timers of their own,
// through every kind of inbox of one contestant, beside time.AfterFunc.
func (p *Plan) parallelCells() (cells []Cell) {
	who := p.standIns()
	if len(who) == 0 {
		return nil
	}
	competitors := 0
	for _, c := range who {
		competitors += len(inboxes(c, Geometry{}))
	}
	for _, n := range p.parallelPending() {
		for _, goroutines := range p.Goroutines {
			if n < goroutines {
				continue
			}
			name := fmt.Sprintf("parallel-%d-%d", n, goroutines)
			cells = append(cells, p.pairsCell(Parallel, name, competitors, n, goroutines, func(s *session) []*competitor {
				return s.parallel(who, n, goroutines)
			}))
		}
	}
	return cells
}

// parallel returns the competitors of a parallel cell.
func (s *session) parallel(who []Contestant, n, goroutines int) (list []*competitor) {
	for _, c := range who {
		for _, in := range inboxes(c, costGeometry(OpLivePair)) {
			series := &Series{Experiment: Parallel, Params: []Param{
				{"impl", c.Name}, {"inbox", in.name}, {"pending", strconv.Itoa(n)},
				{"goroutines", strconv.Itoa(goroutines)}}}
			list = append(list, s.pairsCompetitor(c, in.opts, series, n, goroutines))
		}
	}
	return list
}
