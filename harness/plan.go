package harness

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/workload"
)

// MostPending is the largest number of pending timers in a cell. Schedulers have limits of their own.
const MostPending = 100_000_000

// Plan says what to measure.
type Plan struct {
	Experiments []string                    // to run, by name
	Known       []Experiment                // all that there are: see package experiments
	About       func(*Plan) []rundata.Param // further facts about a run, such as geometries; it may be nil
	Custom      []CustomCell                // cells of the program's own, after those of the experiments
	Contestants []Contestant                // each is measured in every cell that it can take part in

	Pending []int // counts of cost, idle and memory cells
	// Large are further pending counts: for memory, and for the costs of pairs with the first distribution of delays.
	// More takes too long. Above 10 million only bare schedulers have them.
	Large []int
	// PendingGiven says that the pending counts were asked for: every cell has them then, however long it takes.
	// Otherwise only a Full plan has the larger ones.
	PendingGiven bool

	Blocks int // of each cell; 0 leaves it to the Budget. With Start each has its own process
	// Budget is the time of the whole run. The first few blocks measure every cell; they show what a block costs and
	// how it scatters. The remaining time goes to the cells where it is expected to decide most comparisons. See blocks.Allocate.
	Budget time.Duration
	Rounds int           // samples of an operation that a block takes of each population
	Epoch  time.Duration // of a contestant's turn in a cost cell
	Slice  time.Duration // of a contestant's turn in a jitter cell
	Watch  time.Duration // of a block of an idle cell; participants rest four times as long before the first

	Ticks  []time.Duration // of jitter and idle cells
	Delays []string        // distributions of cost cells
	Ops    []string        // operations of cost cells
	Short  bool            // adds a jitter cell with delays of 5 ms at most
	Rate   int             // timers a second that arrive in jitter cells
	Burst  int             // timers that are due at once in a burst cell; 0 is no such cell
	Drain  int             // timers that run out on the real clock in a drain cell; 0 is no such cell
	Flood  int             // timers that are armed and stopped in a flood cell; 0 is no such cell

	// Profiles are the workloads of profile cells, and LiveProfiles those of live cells. Operations before a workload is
	// Steady, or at time 0, are not measured. A scheduler whose horizon is shorter than that of the workload is left out.
	Profiles, LiveProfiles []workload.Source
	ReplayAll              bool          // replays workloads to their end and runs them out, not an Epoch of operations a round
	ReplayLimit            time.Duration // of a contestant for one whole workload; 0 is any length
	LiveSlice              time.Duration // of a contestant's turn in live cells; 0 is half a Slice

	// Start starts the processes that measure; nil measures all in this one.
	Start blocks.Starter
	// Full says that every contestant takes part in every cell and with every tick. Otherwise jitter and idle cells
	// try the ticks on one wheel and run the others tickless, and what takes long is left out.
	Full bool
	// Rough is for tests, which read no figures: a process touches little memory, and only memory cells collect garbage.
	Rough bool
	// ListCell is the most time of a block for a scheduler with LinearInsert: beyond it a cell leaves the scheduler out.
	ListCell time.Duration
	Memory   int64  // bytes that very many timers of a contestant may take; 0 is what the system has available
	Seed     uint64 // of delays and picks
}

// Cells returns the cells of a plan, in the order in which they are run.
func (p *Plan) Cells() []Cell {
	var cells []Cell
	for _, name := range p.Experiments {
		for _, e := range p.Known {
			if e.Name == name {
				cells = append(cells, e.Cells(p)...)
			}
		}
	}
	return append(cells, lists.Each(p.Custom, CustomCell.cell)...)
}

// Largest returns the largest pending count, and 0 if there is none.
func (p *Plan) Largest() int { return slices.Max(append([]int{0}, p.Pending...)) }

// Counts returns the pending counts of cells that need few: those asked for, or the plan's largest up to each limit.
func (p *Plan) Counts(limits ...int) []int {
	if p.PendingGiven {
		return p.Pending
	}
	return slices.Compact(lists.Each(limits, func(most int) int { return min(most, p.Largest()) }))
}

// Time returns how long the plan is expected to take: its budget, or all its blocks.
func (p *Plan) Time() time.Duration { return max(p.Budget, p.Least()) }

// Least returns the expected time of the blocks that a plan has whatever its budget.
func (p *Plan) Least() time.Duration {
	s := newSchedule(p, p.Cells())
	return s.first()
}

// Check returns an error with a line for each value that cannot be measured, or comes twice: cells differ by them.
func (p *Plan) Check() error {
	var contestants error
	if len(p.Contestants) > 0 || len(p.Custom) == 0 {
		contestants = CheckContestants(p.Contestants)
	}
	experiments := check.Known("experiment", p.Experiments, lists.Each(p.Known, func(e Experiment) string { return e.Name }))
	for _, e := range p.Known {
		if e.Check != nil {
			experiments = errors.Join(experiments, e.Check(p))
		}
	}
	return errors.Join(
		contestants,
		check.Repeated("experiment", p.Experiments),
		experiments,
		p.checkCustom(),
		check.In("Pending", check.Repeated("pending count", slices.Concat(p.Pending, p.Large)),
			check.Within("pending count %v, want %v to %v", 1, MostPending, slices.Concat(p.Pending, p.Large)...)),
		check.In("Ticks", check.Repeated("tick", p.Ticks), check.Within("tick %v, want %v to %v", 100*time.Microsecond, 10*time.Second, p.Ticks...)),
		check.In("Delays", check.Repeated("delay distribution", p.Delays)),
		check.In("Ops", check.Repeated("operation", p.Ops)),
		check.In("Burst", check.Within("%v timers, want %v to %v", 0, 10_000_000, p.Burst)),
		check.In("Drain", check.Within("%v timers, want %v to %v", 0, 10_000_000, p.Drain)),
		check.In("Flood", check.Within("%v timers, want %v to %v", 0, 100_000_000, p.Flood)),
		check.Within("rate %v, want %v to %v timers a second", 1, 100_000, p.Rate),
		check.In("Memory", check.That(p.Memory >= 0, "%d bytes, want 0, for what there is, or more", p.Memory)),
		check.That(p.Blocks >= 0 && (p.Blocks > 0) != (p.Budget > 0), "Blocks %d and Budget %v, want one of them to be positive", p.Blocks, p.Budget),
		check.That(p.Rounds >= 1, "Rounds %d, want at least 1", p.Rounds),
		check.That(p.Epoch >= 100*time.Microsecond && p.Slice >= 10*time.Millisecond && p.Watch >= 10*time.Millisecond,
			"Epoch %v, Slice %v and Watch %v, want at least 100µs, 10ms and 10ms", p.Epoch, p.Slice, p.Watch),
	)
}

func (p *Plan) names() []string { return lists.Each(p.Contestants, contestantName) }

// notes returns the facts about the run that About and the contestants give, each once.
func (p *Plan) notes() (all []rundata.Param) {
	var beside []string
	var own []rundata.Param
	for _, c := range p.Contestants {
		if c.Beside != "" && slices.Contains(p.names(), c.Beside) {
			beside = append(beside, c.Name+"="+c.Beside)
		}
		if c.Notes != nil {
			own = append(own, c.Notes()...)
		}
	}
	if len(beside) > 0 {
		all = append(all, rundata.Param{Key: rundata.BesideKey, Value: strings.Join(beside, " ")})
	}
	if p.About != nil {
		all = append(all, p.About(p)...)
	}
	for _, n := range own {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// Fingerprint returns a text that is equal for plans that measure the same in the same way: one may resume the other.
func (p *Plan) Fingerprint() string {
	h := fnv.New64a()
	fmt.Fprint(h, p.Experiments, p.names(), p.Pending, p.Large, p.Ticks, p.Delays, p.Ops,
		p.Blocks, p.Budget, p.Rounds, p.Epoch, p.Slice, p.Watch, p.Short, p.Rate, p.Burst, p.Drain, p.Flood, p.Full, p.PendingGiven, p.ListCell, p.Memory, p.Seed,
		p.workloads(), p.ReplayAll, p.ReplayLimit, p.LiveSlice, p.Rough)
	for _, o := range p.Custom {
		fmt.Fprint(h, o.Name, o.Blocks, lists.Each(o.series(), (*rundata.Series).Name))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// MakeQuick makes the sizes of a plan tiny, and leaves its experiments as they are.
func (p *Plan) MakeQuick() {
	p.Pending = []int{100, 1_000, 10_000}
	p.Ticks = p.Ticks[:3]
	p.Delays = p.Delays[:1]
	p.Blocks, p.Budget, p.Rounds = 2, 0, 1
	p.Epoch, p.Slice, p.Watch = 300*time.Microsecond, 100*time.Millisecond, 100*time.Millisecond
	p.ListCell = 20 * time.Millisecond
	p.Burst, p.Drain, p.Flood = 10_000, 10_000, 10_000
}

// workloads returns what distinguishes the workloads of a plan from those of another.
func (p *Plan) workloads() []string {
	return append(lists.Each(p.Profiles, func(w workload.Source) string {
		return fmt.Sprint(w.Name, w.Tick, w.Horizon, w.Steady, w.Version)
	}), lists.Each(p.LiveProfiles, func(w workload.Source) string { return w.Name })...)
}
