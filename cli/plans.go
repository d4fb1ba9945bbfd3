package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
)

// planFlags choose what is measured.
type planFlags struct {
	Quick       bool            `help:"Tiny sizes, to see that all works; the figures say little." xor:"size"`
	Full        bool            `help:"Every cell: see the plan for the time it takes." xor:"size"`
	Experiments []string        `help:"Experiments to run: ${experiments}." placeholder:"NAME"`
	Contestants []string        `help:"Contestants to measure; see list." placeholder:"NAME"`
	Only        string          `help:"Measure one group only: presets, which are known systems, beside time.AfterFunc." enum:",presets" default:"" placeholder:"GROUP"`
	Pending     []int           `help:"Pending counts." placeholder:"N"`
	Goroutines  []int           `help:"Numbers of goroutines of the parallel experiment." placeholder:"N"`
	Burst       *int            `help:"How many timers the burst experiment has due at once; 0 leaves it out." placeholder:"N"`
	Drain       *int            `help:"How many timers the drain experiment lets run out within two seconds; 0 leaves it out." placeholder:"N"`
	Ticks       []time.Duration `help:"Tick durations." placeholder:"DURATION"`
	Delays      []string        `help:"Delay distributions: ${delays}." placeholder:"NAME"`
	Ops         []string        `help:"Operations of the cost experiment; see list." placeholder:"NAME"`
	Profiles    []string        `help:"Workloads of the experiments profiles and live: profiles by name or file, NAME@SCALE at a scale, or traces." placeholder:"WORKLOAD"`
	Seed        uint64          `help:"Seed of delays and picks." default:"1"`
	Budget      *time.Duration  `help:"Shorten the epochs so that the run takes about this long." placeholder:"DURATION"`
}

// sizes returns the plan of a size, for all contestants.
func (f *planFlags) sizes(own []harness.Contestant) *harness.Plan {
	p := &harness.Plan{
		Experiments: f.experiments(),
		Contestants: f.contestants(own),
		Pending:     []int{100, 1_000, 10_000, 100_000, 1_000_000},
		Ticks:       []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Delays:      harness.Delays(),
		Ops:         harness.Ops(),
		Goroutines:  []int{1, 2},
		Rounds:      10,
		LiveRounds:  6,
		Epoch:       7 * time.Millisecond,
		Slice:       240 * time.Millisecond,
		Rate:        1000,
		Burst:       100_000,
		Drain:       100_000,
		ListCell:    time.Second,
		ReplayLimit: 4 * time.Second,
		Seed:        f.Seed,
		Child:       pausedChild,
	}
	switch {
	case f.Quick:
		p.Pending = []int{100, 1_000, 10_000}
		p.Ticks = p.Ticks[:3]
		p.Delays = p.Delays[:1]
		p.Rounds, p.LiveRounds = 6, 2
		p.Epoch, p.Slice = time.Millisecond, 150*time.Millisecond
		p.ListCell = 100 * time.Millisecond
		p.Burst, p.Drain = 10_000, 10_000
	case f.Full:
		p.Every = true
		p.Goroutines = []int{1, 2, 4, 8}
		p.Drain = 1_000_000
		p.Rounds = 12
		p.Epoch, p.Slice = 20*time.Millisecond, 600*time.Millisecond
		p.ListCell = 20 * time.Second
		p.ReplayLimit = 20 * time.Second
	}
	return p
}

// experiments returns what is measured unless it is named: some of it takes long
// and is left to a plan of everything.
func (f *planFlags) experiments() []string {
	if f.Full {
		return harness.Experiments()
	}
	return slices.DeleteFunc(harness.Experiments(), func(e string) bool { return harness.ExperimentOf(e).OnlyFull })
}

// contestants returns who is measured unless they are named: all schedulers and
// baselines, those of the program, in a plan of everything the presets too, or only
// these.
func (f *planFlags) contestants(own []harness.Contestant) []harness.Contestant {
	switch {
	case f.Only == onlyPresets:
		beside, _ := catalog.Find([]string{catalog.RuntimeTimer}) // which is there
		return append(catalog.Presets(), beside...)
	case f.Full:
		return slices.Concat(catalog.All(), own, catalog.Presets())
	}
	return append(catalog.All(), own...)
}

// onlyPresets is the value of --only for known systems.
const onlyPresets = "presets"

// plan returns the plan that the flags ask for. All its errors are the user's.
func (f *planFlags) plan(own []harness.Contestant) (*harness.Plan, error) {
	p := f.sizes(own)
	if err := f.choose(p, own); err != nil {
		return nil, usageError(err)
	}
	f.replace(p)
	if err := p.Check(); err != nil { // before workloads are read, which takes a while
		return nil, usageError(err)
	}
	if err := f.workloads(p); err != nil {
		return nil, usageError(fmt.Errorf("--profiles: %w", err))
	}
	if err := p.Check(); err != nil {
		return nil, usageError(err)
	}
	if f.Budget != nil {
		return p, fit(p, *f.Budget)
	}
	return p, nil
}

// choose leaves a plan the experiments and contestants that are named, if any.
func (f *planFlags) choose(p *harness.Plan, own []harness.Contestant) (err error) {
	if len(f.Experiments) > 0 {
		if p.Experiments, err = experimentsOf(f.Experiments); err != nil {
			return fmt.Errorf("--experiments: %w", err)
		}
	}
	if len(f.Contestants) > 0 {
		if f.Only != "" {
			return errors.New("--contestants and --only say different things, want one of them")
		}
		if p.Contestants, err = contestantsOf(f.Contestants, own); err != nil {
			return fmt.Errorf("--contestants: %w", err)
		}
	}
	return nil
}

// replace puts the values that are given in place of those of a plan.
func (f *planFlags) replace(p *harness.Plan) {
	setIf(&p.Pending, f.Pending)
	p.Asked = len(f.Pending) > 0
	setIf(&p.Goroutines, f.Goroutines)
	setIf(&p.Ticks, f.Ticks)
	setIf(&p.Delays, f.Delays)
	setIf(&p.Ops, f.Ops)
	if f.Burst != nil {
		p.Burst = *f.Burst
	}
	if f.Drain != nil {
		p.Drain = *f.Drain
	}
}

// experimentsOf returns the experiments of the names on a command line, which
// are in lower case there, as in experimentNames; capitals do no harm.
func experimentsOf(names []string) (found []string, err error) {
	for _, name := range names {
		i := slices.IndexFunc(harness.Experiments(), func(e string) bool { return strings.EqualFold(e, name) })
		if i < 0 {
			return nil, fmt.Errorf("unknown experiment %q, want some of %s", name, experimentNames())
		}
		e := harness.Experiments()[i]
		if slices.Contains(found, e) {
			return nil, fmt.Errorf("experiment %s is given twice, want each once", name)
		}
		found = append(found, e)
	}
	return found, nil
}

// experimentNames lists the experiments as the command line has them.
func experimentNames() string { return strings.ToLower(strings.Join(harness.Experiments(), ", ")) }

// contestantsOf returns the contestants of the names on a command line.
func contestantsOf(names []string, own []harness.Contestant) ([]harness.Contestant, error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("contestant %s is given twice, want each once", name)
		}
	}
	return catalog.Find(names, own...)
}

// fit shortens epochs and slices until the plan takes no longer than a budget.
func fit(p *harness.Plan, budget time.Duration) error {
	for harness.Time(p.Cells()) > budget {
		if p.Epoch <= time.Millisecond && p.Slice <= 50*time.Millisecond {
			return usageError(fmt.Errorf("--budget %v: the plan takes %v at least; choose fewer experiments, contestants or pending counts",
				budget, harness.Time(p.Cells()).Round(time.Second)))
		}
		p.Epoch = max(p.Epoch*9/10, time.Millisecond)
		p.Slice = max(p.Slice*9/10, 50*time.Millisecond)
	}
	return nil
}

func setIf[T any](to *[]T, from []T) {
	if len(from) > 0 {
		*to = from
	}
}

// percent is a share given as 1% or 0.01.
type percent float64

// UnmarshalText reads a share.
func (p *percent) UnmarshalText(text []byte) error {
	number, isPercent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("%q, want a share such as 1%% or 0.01", text)
	}
	*p = percent(v)
	return nil
}
