package harness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/internal/quantile"
	"schedbench/judge"
	"schedbench/live"
)

// Param is a parameter of a series, such as pending=1000.
type Param struct{ Key, Value string }

// Series is what was measured of one contestant in one cell: for each unit, a
// sample for each round of each block.
type Series struct {
	Experiment string
	Params     []Param
	Iterations []int
	Values     map[string][]float64

	// Block is the block that each sample is of, ascending; nil: each is one. Two series of a cell
	// were measured side by side where their blocks have the same number.
	Block []int

	// Note is why there are no figures of the contestant, in one line, and empty
	// if there are. See State.
	Note string

	// Late and Early hold, where an experiment is about it, how late and how early timers fired
	// against their planned deadlines, in nanoseconds, over all rounds.
	Late, Early *hdrhistogram.Histogram

	// Took and Collecting hold, where an experiment is about it, how long single calls took, in
	// nanoseconds, over all rounds: those while no garbage was collected, and the others.
	Took, Collecting *hdrhistogram.Histogram
}

// newSeries returns a series without samples, of parameters that are given as keys and
// values by turns.
func newSeries(experiment string, params ...any) *Series {
	s := &Series{Experiment: experiment}
	for p := range slices.Chunk(params, 2) {
		s.Params = append(s.Params, Param{fmt.Sprint(p[0]), fmt.Sprint(p[1])})
	}
	return s
}

// newLateSeries returns a series with histograms of lateness.
func newLateSeries(experiment string, params ...any) *Series {
	s := newSeries(experiment, params...)
	s.Late, s.Early = newHistogram(), newHistogram()
	return s
}

// Get returns the value of a parameter, and "" if the series does not have it.
func (s *Series) Get(key string) string { return valueOf(s.Params, key) }

// Name returns the series' name in the form of the testing package's
// benchmarks: Cost/op=pair/impl=hierwheel/pending=1000.
func (s *Series) Name() string {
	var b strings.Builder
	b.WriteString(s.Experiment)
	for _, p := range s.Params {
		fmt.Fprintf(&b, "/%s=%s", p.Key, p.Value)
	}
	return b.String()
}

// add appends a sample of a block.
func (s *Series) add(block, iterations int, values sample) {
	if s.Values == nil {
		s.Values = map[string][]float64{}
	}
	s.Block = append(s.Block, block)
	s.Iterations = append(s.Iterations, iterations)
	for unit, v := range values {
		s.Values[unit] = append(s.Values[unit], v)
	}
}

// Blocks returns the medians of blocks of a unit, the independent samples of the series, by the
// number of the block: NaN where the series has none. A missing series has no blocks.
func (s *Series) Blocks(unit string) []float64 {
	if s == nil {
		return nil
	}
	return judge.Blocks(s.Values[unit], s.blocks())
}

// blocks returns the block of each sample.
func (s *Series) blocks() []int {
	if s.Block == nil {
		return InBlocks(most(sortedKeys(s.Values), func(unit string) int { return len(s.Values[unit]) }), 1)
	}
	return s.Block
}

// InBlocks returns the blocks of so many samples, of which each block has the same number.
func InBlocks(samples, each int) (blocks []int) {
	for i := range samples {
		blocks = append(blocks, i/each)
	}
	return blocks
}

// Identities returns a text for each block of the series, by its number: all its samples, ""
// where it has none. Two that are the same are of one measurement, since clocks never show the
// same twice.
func (s *Series) Identities() (ids []string) {
	if s == nil {
		return nil
	}
	for i, block := range s.blocks() {
		ids = append(ids, slices.Repeat([]string{""}, max(block+1-len(ids), 0))...)
		for _, unit := range sortedKeys(s.Values) {
			ids[block] += fmt.Sprint(unit, " ", s.Values[unit][i], " ")
		}
	}
	return ids
}

// newHistogram returns a histogram of durations up to a minute, exact to a
// thousandth.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute), 3)
}

// record adds a duration to a histogram. One beyond its range counts as the
// highest: the maximum is never trimmed away unseen.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(int64(d), 1), h.HighestTrackableValue()))
}

func addLateness(values sample, h *hdrhistogram.Histogram) {
	for unit, share := range map[string]float64{P50Late: 0.5, P90Late: 0.9, P99Late: 0.99, MaxLate: 1} {
		values[unit] = float64(quantile.Of(h, share))
	}
}

// addOutcome returns what is to be said of the timers of a round, and adds how late they
// were to the series: those that count, or all if counts is nil.
func (s *Series) addOutcome(out *live.Outcome, counts func(timer int32) bool) sample {
	values := sample{
		Fired: float64(out.Fired), Early: float64(out.Early), Lost: float64(out.Lost), Doubled: float64(out.Doubled),
	}
	round := newHistogram()
	for _, f := range out.Firings {
		switch late := f.Late(); {
		case late < 0:
			record(s.Early, -late)
		case counts == nil || counts(f.Timer):
			record(round, late)
		}
	}
	s.Late.Merge(round)
	addLateness(values, round)
	return values
}

// Data is what a run has measured.
type Data struct {
	// Env describes the machine and the run: cpu, kernel, go-version, seed,
	// commit and so on, by configuration key.
	Env map[string]string
	// Series are in the order they were measured.
	Series []*Series
	// Complete says that all blocks of the plan are here.
	Complete bool
	// Missing names the cells of the plan that are in none of them.
	Missing []string
	// Lost names the blocks whose processes died, and says how.
	Lost []string
	// Around is what the machine did around each block.
	Around []Around
}

// Select returns the series of an experiment that have all the given
// parameters, each written key=value. No experiment, "", means any.
func (d *Data) Select(experiment string, params ...string) []*Series {
	var found []*Series
	wanted := each(params, func(p string) Param {
		key, value, _ := strings.Cut(p, "=")
		return Param{key, value}
	})
	for _, s := range d.Series {
		other := slices.ContainsFunc(wanted, func(p Param) bool { return s.Get(p.Key) != p.Value })
		if !other && (experiment == "" || s.Experiment == experiment) {
			found = append(found, s)
		}
	}
	return found
}

// Distinct returns the values that a parameter takes in some series, in the
// order of their first appearance.
func Distinct(series []*Series, key string) []string {
	var values []string
	for _, s := range series {
		if v := s.Get(key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// The units of samples. They appear in the data files after each figure.
const (
	NsPerOp = "ns/op" // time of an operation, the loop's own included

	// CPU time of the whole process, garbage collection and the driver's worker
	// included. They are left out where the system does not tell.
	CPUPerOp    = "cpu-ns/op"    // of an operation
	CPUPerTimer = "cpu-ns/timer" // of a timer
	// NotingCPU is the part of CPUPerTimer that tasks take to note when they run.
	NotingCPU = "noting-cpu-ns/timer"

	// Work counts for an operation: see schedulers.Work.
	VisitsPerOp   = "visits/op"
	MovesPerOp    = "moves/op"
	LevelsPerOp   = "levels/op"
	SlotsPerOp    = "slots/op"
	CascadesPerOp = "cascades/op"
	SweptPerOp    = "swept/op"
	UpkeepPerOp   = "upkeep/op"

	// Lateness at a percentile, in nanoseconds after the planned deadline.
	P50Late = "p50-ns"
	P90Late = "p90-ns"
	P99Late = "p99-ns"
	MaxLate = "max-ns"

	// How long single calls took, at a percentile, in nanoseconds with one reading of the
	// clock, and how many garbage collections there were meanwhile.
	P50Took  = "took-p50-ns"
	P99Took  = "took-p99-ns"
	P999Took = "took-p99.9-ns"

	// How late timers were armed that arrive when they are planned to, and the CPU time that
	// the player took to be there in time, which is not in that of the process.
	ArmedP50Late = "armed-p50-ns"
	ArmedP99Late = "armed-p99-ns"
	ArmingCPU    = "arming-cpu-ns/s"

	// The course of a burst, in nanoseconds.
	DoneNs = "done-ns" // from the deadline until the last timer has fired
	GapNs  = "gap-ns"  // the longest time in between in which none fired

	// LateAfter is how late a timer was after very many were stopped.
	LateAfter = "late-after-ns"

	// What became of a process that was stopped. The figures of the hook are those
	// that the driver told of.
	PausedNs     = "paused-ns"    // the longest time in which no timer fired
	DueMeanwhile = "due"          // timers that came due in it
	CatchUpNs    = "catchup-ns"   // after it, until all those had fired
	HookLate     = "hook-late-ns" // how late the worker woke
	HookFired    = "hook-fired"   // timers that it then had to fire

	// Checks of the answers, counts for a round. All but Fired must be 0.
	Fired   = "fired"
	Early   = "early"
	Lost    = "lost"
	Doubled = "doubled"

	// EarlyByMake is Early of a contestant that is made so, of which Early is 0.
	EarlyByMake = "early-by-make"

	CPUPerSecond      = "cpu-ns/s"  // CPU time of the process for each second
	WakeupsPerSecond  = "wakeups/s" // wake-ups of the driver's worker
	KicksPerSecond    = "kicks/s"   // those for a deadline earlier than what it slept for
	SwitchesPerSecond = "ctxsw/s"   // context switches of the process

	// The same of a process of a contestant's own before it had timers.
	EmptyCPUPerSecond      = "empty-cpu-ns/s"
	EmptySwitchesPerSecond = "empty-ctxsw/s"

	BytesPerTimer   = "B/timer"         // after inserting
	NamePerTimer    = "name-B/timer"    // what a program keeps to stop one, not in the others
	ChurnedPerTimer = "churned-B/timer" // after cancelling and inserting as many again
	BytesPerWheel   = "B/wheel"         // empty
	GCNs            = "gc-ns"           // time of a forced garbage collection

	ToHold = "to-hold" // timers pending that were asked for, of a contestant that cannot hold them

	KnownNs = "known-ns" // what a control was built to cost
	ReadNs  = "read-ns"  // what the harness read
)
