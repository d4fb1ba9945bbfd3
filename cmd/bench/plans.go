package main

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
	Experiments []string        `help:"Experiments to run: control, cost, parallel, jitter, slow, burst, drain, pause, slack, idle, memory." placeholder:"NAME,..."`
	Contestants []string        `help:"Contestants to measure; see list." placeholder:"NAME,..."`
	Only        string          `help:"Measure one group only: presets, which are known systems, beside time.AfterFunc." enum:",presets" default:"" placeholder:"GROUP"`
	Pending     []int           `help:"Pending counts." placeholder:"N,..."`
	Goroutines  []int           `help:"Numbers of goroutines of the parallel experiment." placeholder:"N,..."`
	Burst       int             `help:"How many timers the burst experiment has due at once." placeholder:"N"`
	Drain       int             `help:"How many timers the drain experiment lets run out within two seconds." placeholder:"N"`
	Ticks       []time.Duration `help:"Tick durations." placeholder:"DURATION,..."`
	Delays      []string        `help:"Delay distributions: uniform, exponential, constant, bimodal." placeholder:"NAME,..."`
	Ops         []string        `help:"Operations of the cost experiment; see list." placeholder:"NAME,..."`
	Seed        uint64          `help:"Seed of delays and picks." default:"1"`
	Budget      time.Duration   `help:"Shorten the epochs so that the run takes about this long." placeholder:"DURATION"`
}

// sizes returns the plan of a size, for all contestants.
func (f *planFlags) sizes() *harness.Plan {
	p := &harness.Plan{
		Experiments: f.experiments(),
		Contestants: f.contestants(),
		Pending:     []int{100, 1_000, 10_000, 100_000, 1_000_000},
		Ticks:       []time.Duration{time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond},
		Delays:      harness.Delays(),
		Ops:         harness.Ops(),
		Goroutines:  []int{1, 2},
		Rounds:      10,
		LiveRounds:  6,
		Epoch:       8 * time.Millisecond,
		Slice:       300 * time.Millisecond,
		Rate:        1000,
		Burst:       100_000,
		Drain:       100_000,
		ListCell:    time.Second,
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
	}
	return p
}

// experiments returns what is measured unless it is named: some of it takes long
// and is left to a plan of everything.
func (f *planFlags) experiments() []string {
	if f.Full {
		return harness.Experiments()
	}
	return slices.DeleteFunc(harness.Experiments(), func(e string) bool { return slices.Contains(onlyFull, e) })
}

// onlyFull are the experiments that only a plan of everything has by itself.
var onlyFull = []string{harness.Drain, harness.Pause, harness.Slack}

// contestants returns who is measured unless they are named: all schedulers and
// baselines, in a plan of everything the presets too, or only these.
func (f *planFlags) contestants() []harness.Contestant {
	switch {
	case f.Only == onlyPresets:
		beside, _ := catalog.Find([]string{"time.AfterFunc"}) // which is there
		return append(catalog.Presets(), beside...)
	case f.Full:
		return append(catalog.All(), catalog.Presets()...)
	}
	return catalog.All()
}

// onlyPresets is the value of --only for known systems.
const onlyPresets = "presets"

// plan returns the plan that the flags ask for. All its errors are the user's.
func (f *planFlags) plan() (*harness.Plan, error) {
	p := f.sizes()
	if len(f.Experiments) > 0 {
		p.Experiments = nil
		for _, e := range f.Experiments {
			p.Experiments = append(p.Experiments, strings.ToUpper(e[:min(1, len(e))])+e[min(1, len(e)):])
		}
	}
	if len(f.Contestants) > 0 {
		if f.Only != "" {
			return nil, usageError(errors.New("--contestants and --only say different things, want one of them"))
		}
		found, err := catalog.Find(f.Contestants)
		if err != nil {
			return nil, usageError(fmt.Errorf("--contestants: %w", err))
		}
		p.Contestants = found
	}
	setIf(&p.Pending, f.Pending)
	setIf(&p.Goroutines, f.Goroutines)
	setIf(&p.Ticks, f.Ticks)
	if f.Burst != 0 {
		p.Burst = f.Burst
	}
	if f.Drain != 0 {
		p.Drain = f.Drain
	}
	setIf(&p.Delays, f.Delays)
	setIf(&p.Ops, f.Ops)
	if err := p.Check(); err != nil {
		return nil, usageError(err)
	}
	if f.Budget != 0 {
		return p, f.fit(p)
	}
	return p, nil
}

// fit shortens epochs and slices until the plan takes the time of the budget.
func (f *planFlags) fit(p *harness.Plan) error {
	for harness.Time(p.Cells()) > f.Budget {
		if p.Epoch <= time.Millisecond && p.Slice <= 50*time.Millisecond {
			return usageError(fmt.Errorf("--budget %v: the plan takes %v at least; choose fewer experiments, contestants or pending counts",
				f.Budget, harness.Time(p.Cells()).Round(time.Second)))
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
