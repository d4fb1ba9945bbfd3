package harness

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"schedbench/internal/words"
	"schedbench/workload"
)

// MostPending is how many timers may be pending in a cell at most. Schedulers have limits of
// their own.
const MostPending = 100_000_000

// Plan says what to measure.
type Plan struct {
	// Experiments are the experiments to run, by name, and Known are all that there are: see
	// package experiments.
	Experiments []string
	Known       []Experiment
	// About returns what else is to be known of a run, such as geometries. It may be nil.
	About func(*Plan) []Param
	// Outside are cells of the program's own, which follow those of the experiments.
	Outside []Outside
	// Contestants are measured in every cell that they can take part in.
	Contestants []Contestant
	// Pending are the pending counts of cost, idle and memory cells.
	Pending []int
	// Large are further pending counts, with which only memory is measured, above 10 million of
	// bare schedulers alone, and of costs pairs with the first distribution of delays: more takes
	// too long.
	Large []int
	// Asked says that the pending counts were asked for: every cell that has one is
	// measured with each of them, however long it takes. Without it the larger ones
	// are left to a plan of Every.
	Asked bool
	// Ticks are the tick durations of jitter and idle cells.
	Ticks []time.Duration
	// Delays are the delay distributions of cost cells.
	Delays []string
	// Ops are the operations of cost cells.
	Ops []string
	// Blocks is how many blocks each cell has, each measured by a process of its own if there is
	// a Start; 0 leaves that to the Budget.
	Blocks int
	// Budget is how long the run is to take. The first few blocks measure every cell, and show what
	// a block of it costs and how it scatters; the rest of the time goes where it narrows
	// intervals most. See Allocate.
	Budget time.Duration
	// Rounds is how many samples of an operation a block takes of each population.
	Rounds int
	// Epoch is the time that a contestant's turn in a cost cell is to take.
	Epoch time.Duration
	// Slice is the time of a contestant's turn in jitter cells.
	Slice time.Duration
	// Watch is how long a block of an idle cell is. Before the first its participants are left alone
	// for twice as long.
	Watch time.Duration
	// Goroutines are how many make and stop timers at once in parallel cells.
	Goroutines []int
	// Rate is how many timers a second arrive in jitter cells.
	Rate int
	// Burst is how many timers are due at once in a burst cell; 0 is no such cell.
	Burst int
	// Drain is how many timers run out on the real clock in a drain cell; 0 is no
	// such cell.
	Drain int
	// Flood is how many timers are armed and stopped in a flood cell; 0 is no such cell.
	Flood int
	// Profiles are the workloads of profile cells, and LiveProfiles those of live
	// cells. What of them happens before they are Steady, or at time 0, is not
	// measured; a scheduler that does not reach their Horizon is not either.
	Profiles, LiveProfiles []workload.Source
	// Whole says that workloads are replayed to their end, and run out. Without it
	// as many operations are that make an Epoch in each round, after what the
	// workload begins with.
	Whole bool
	// ReplayLimit is how long a contestant may take for one workload, with what it
	// begins with and the run-out; 0 is any length.
	ReplayLimit time.Duration
	// LiveSlice is the time of a contestant's turn in live cells; 0 is half a
	// Slice.
	LiveSlice time.Duration
	// Start starts the processes that measure; nil is to measure all in this one, without the
	// pause cells.
	Start Starter
	// Every says that every contestant takes part in every cell and with every
	// tick. Without it, jitter and idle cells try the ticks on one wheel and run
	// the others tickless, and what takes long is left out.
	Every bool
	// ListCell is the most time that a block of a cell may spend on a scheduler
	// with LinearInsert; beyond it the scheduler is left out.
	ListCell time.Duration
	// Memory is how many bytes the timers of a contestant may take in cells of very many;
	// 0 is what the system has available.
	Memory int64
	// Seed makes the delays and picks.
	Seed uint64
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
	return append(cells, each(p.Outside, Outside.cell)...)
}

// largest returns the largest pending count, and 0 if there is none.
func (p *Plan) largest() int { return slices.Max(append([]int{0}, p.Pending...)) }

// counts returns the pending counts of cells that do with a few: those asked for, or else
// the largest of the plan up to each of some limits.
func (p *Plan) counts(limits ...int) (counts []int) {
	if p.Asked {
		return p.Pending
	}
	for _, most := range limits {
		counts = append(counts, min(most, p.largest()))
	}
	return slices.Compact(counts)
}

// Time returns how long the plan is expected to take: its budget, or all its blocks.
func (p *Plan) Time() time.Duration {
	return max(p.Budget, p.Least())
}

// Least returns how long the blocks are expected to take that a plan has whatever its budget.
func (p *Plan) Least() time.Duration {
	s := newSchedule(p, nil)
	return p.times(s.wanted)
}

// times returns how long so many blocks of each cell are expected to take.
func (p *Plan) times(blocks func(*scheduled) int) (total time.Duration) {
	for _, c := range newSchedule(p, p.Cells()).cells {
		total += time.Duration(blocks(c)/c.pass()) * c.Time
	}
	return total
}

// Check returns an error with a line for each value of the plan that cannot be measured.
// Nothing may be asked for twice: cells and series are told apart by these values. A plan
// that is not made by hand begins as DefaultPlan or QuickPlan, which are sound.
func (p *Plan) Check() error {
	return errors.Join(
		p.checkContestants(),
		repeated("experiment", p.Experiments),
		repeated("pending count", slices.Concat(p.Pending, p.Large)), repeated("number of goroutines", p.Goroutines), repeated("tick", p.Ticks),
		repeated("delay distribution", p.Delays), repeated("operation", p.Ops),
		p.checkExperiments(),
		p.checkOutside(),
		within("pending count %v, want %v to %v", 1, MostPending, slices.Concat(p.Pending, p.Large)...),
		within("%v goroutines, want %v to %v", 1, 256, p.Goroutines...),
		within("tick %v, want %v to %v", 100*time.Microsecond, 10*time.Second, p.Ticks...),
		within("burst of %v timers, want %v to %v", 0, 10_000_000, p.Burst),
		within("drain of %v timers, want %v to %v", 0, 10_000_000, p.Drain),
		within("flood of %v timers, want %v to %v", 0, 100_000_000, p.Flood),
		within("rate %v, want %v to %v timers a second", 1, 100_000, p.Rate),
		unless(p.Memory >= 0, "memory of %d bytes, want 0, for what there is, or more", p.Memory),
		unless(p.Blocks >= 0 && (p.Blocks > 0) != (p.Budget > 0) && p.Rounds >= 1,
			"Blocks %d, Budget %v and Rounds %d, want either blocks or a budget, and at least 1 round", p.Blocks, p.Budget, p.Rounds),
		unless(p.Epoch >= 100*time.Microsecond && p.Slice >= 10*time.Millisecond && p.Watch >= 10*time.Millisecond,
			"Epoch %v, Slice %v and Watch %v, want at least 100µs, 10ms and 10ms", p.Epoch, p.Slice, p.Watch),
	)
}

// checkExperiments returns an error with what the experiments of the plan cannot measure.
func (p *Plan) checkExperiments() error {
	err := known("experiment", p.Experiments, each(p.Known, func(e Experiment) string { return e.Name }))
	for _, e := range p.Known {
		if e.Check != nil {
			err = errors.Join(err, e.Check(p))
		}
	}
	return err
}

// unless returns an error if something does not hold.
func unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// within returns an error, of a format that takes three, that names those of some values
// that are not from low to high.
func within[T cmp.Ordered](format string, low, high T, values ...T) (err error) {
	for _, v := range values {
		err = errors.Join(err, unless(low <= v && v <= high, format, v, low, high))
	}
	return err
}

// known returns an error that names those of some names that are not among those there
// are.
func known(what string, names, all []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, unless(slices.Contains(all, name), "unknown %s %q, want some of %s", what, name, strings.Join(all, ", ")))
	}
	return err
}

// repeated returns an error that names the values that are in list more than once.
func repeated[T comparable](what string, list []T) (err error) {
	for i, v := range list {
		err = errors.Join(err, unless(!slices.Contains(list[:i], v), "%s %v is given twice, want each once", what, v))
	}
	return err
}

// names returns the names of the contestants.
func (p *Plan) names() []string {
	return each(p.Contestants, func(c Contestant) string { return c.Name })
}

// BesideKey is the key in the environment of a run that says who is drawn beside whom:
// original=preset, separated by blanks.
const BesideKey = "beside"

// notes returns what contestants have to be known of the run, each thing once.
func (p *Plan) notes() (all []Param) {
	var beside []string
	for _, c := range p.Contestants {
		if c.Beside != "" && slices.Contains(p.names(), c.Beside) {
			beside = append(beside, c.Name+"="+c.Beside)
		}
	}
	if len(beside) > 0 {
		all = append(all, Param{BesideKey, strings.Join(beside, " ")})
	}
	if p.About != nil {
		all = append(all, p.About(p)...)
	}
	for _, c := range p.Contestants {
		if c.Notes == nil {
			continue
		}
		for _, n := range c.Notes() {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// GeometryKey is the beginning of the keys in the environment of a run that say with which geometry a
// contestant is measured, and Wheels is in place of its name where that is said of all that have ticks.
const GeometryKey, Wheels = "geometry-", "wheels"

// fitted says with which geometry contestants are measured: what is the same for all, and what is
// not of each. Lateness is measured without ticks, and rounding up to a tick is not to show there.
func (p *Plan) fitted() (all []Param) {
	g := costGeometry(OpPair, 0, longest)
	for _, c := range p.Contestants {
		if c.Fitted == nil || c.Fitted(g) == "" {
			continue
		}
		if len(all) == 0 {
			same := fmt.Sprintf("tick %v, horizon %s", g.Tick, words.Span(float64(g.Horizon)))
			if p.measures(Jitter) {
				same += fmt.Sprintf(" (lateness: tick %v)", finestTick)
			}
			all = append(all, Param{GeometryKey + Wheels, same})
		}
		all = append(all, Param{GeometryKey + c.Name, c.Fitted(g)})
	}
	return all
}

// each returns what of returns for each of a list.
func each[T, R any](list []T, of func(T) R) (results []R) {
	for _, v := range list {
		results = append(results, of(v))
	}
	return results
}

// Fingerprint returns a text that is the same for plans that measure the same
// cells in the same way, so that one may resume the other.
func (p *Plan) Fingerprint() string {
	h := fnv.New64a()
	fmt.Fprint(h, p.Experiments, p.names(), p.Pending, p.Large, p.Ticks, p.Delays, p.Ops,
		p.Goroutines, p.Blocks, p.Budget, p.Rounds, p.Epoch, p.Slice, p.Watch, p.Rate, p.Burst, p.Drain, p.Flood, p.Every, p.Asked, p.ListCell, p.Memory, p.Seed,
		p.workloads(), p.Whole, p.ReplayLimit, p.LiveSlice)
	fmt.Fprint(h, p.outside()...)
	return fmt.Sprintf("%016x", h.Sum64())
}
