package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/words"
	"schedbench/workload"
)

// planFlags choose what is measured.
type planFlags struct {
	Quick       bool            `help:"Tiny sizes, to see that all works; the figures say little." xor:"size"`
	Full        bool            `help:"Every cell and every workload; the plan says first how long that takes." xor:"size"`
	Published   bool            `help:"The plan of results/published: every experiment. Write README.md too." xor:"size"`
	Experiments []string        `help:"Experiments to run: ${experiments}." placeholder:"NAME"`
	Contestants []string        `help:"Contestants to measure; see list." placeholder:"NAME"`
	Pending     []number        `help:"Pending counts, such as 1k or 100M. Above 1M the contestants of a cell hold their timers one after the other. Above 10M there is one block unless --blocks says otherwise." placeholder:"N"`
	Burst       *int            `help:"How many timers the burst experiment has due at once; 0 leaves it out." placeholder:"N"`
	Drain       *int            `help:"How many timers the drain experiment lets run out, half a million a second; 0 leaves it out." placeholder:"N"`
	Flood       *int            `help:"How many timers the flood experiment arms and stops before the one whose lateness it measures; 0 leaves it out." placeholder:"N"`
	Ticks       []time.Duration `help:"Tick durations." placeholder:"DURATION"`
	Delays      []string        `help:"Delay distributions: ${delays}." placeholder:"NAME"`
	Ops         []string        `help:"Operations of the cost experiment; see list." placeholder:"NAME"`
	Profiles    []string        `help:"Workloads of the experiments profiles and live: profiles by name or file, NAME@SCALE at a scale, or traces." placeholder:"WORKLOAD"`
	Blocks      *int            `help:"Blocks of each cell, in place of a budget. More blocks, narrower intervals." placeholder:"N" xor:"blocks"`
	Memory      memory          `help:"Memory that more than 1M timers of a contestant may take; a contestant that would take more is left out. By default what the system has available." placeholder:"SIZE"`
	Seed        uint64          `help:"Seed of delays and picks." default:"1"`
	Budget      time.Duration   `help:"How long to measure. Time goes to the cells where it decides most comparisons. Twice the time narrows intervals by 1.4." placeholder:"DURATION" xor:"blocks"`

	group string // as groupFlag says
}

// groupFlag chooses a group of contestants.
type groupFlag struct {
	Only string `help:"Measure one group only: presets, which are known systems, beside time.AfterFunc." enum:",presets" default:"" placeholder:"GROUP"`
}

// sizes returns the plan of a size, without experiments and contestants.
func (f *planFlags) sizes() *harness.Plan {
	p := experiments.DefaultPlan()
	p.Seed = f.Seed
	if f.Published {
		f.publish(p)
	}
	if f.everything() {
		p.Full, p.Short, p.Delays = true, true, experiments.Delays()
		p.Pending = append(p.Pending, 1_000_000)
	}
	switch {
	case f.Quick:
		p.MakeQuick()
	case f.Full:
		p.Large = []int{10_000_000, 100_000_000}
		p.Burst, p.Drain = 100_000, 1_000_000
		p.Budget = 150 * time.Minute
		p.ListCell = 2 * time.Second
		p.ReplayLimit = 20 * time.Second
	}
	return p
}

// publish gives the default plan more time and sizes. Its workloads stay.
func (f *planFlags) publish(p *harness.Plan) {
	p.Pending = append([]int{100}, p.Pending...)
	p.Burst, p.Drain = 100_000, 250_000
	p.Budget = 36 * time.Minute
	p.ListCell = 400 * time.Millisecond
}

func (f *planFlags) everything() bool { return f.Full || f.Published }

// experiments returns the named experiments, or else all. Only a plan of everything has those that take long.
func (f *planFlags) experiments() ([]string, error) {
	switch {
	case len(f.Experiments) > 0:
		return experimentsOf(f.Experiments)
	case f.everything():
		return rundata.ExperimentNames(), nil
	}
	return slices.DeleteFunc(rundata.ExperimentNames(), func(e string) bool { return rundata.ExperimentOf(e).OnlyFull }), nil
}

// contestants returns the named contestants or the group, or else all. Only a plan of everything then has the presets.
func (f *planFlags) contestants(own []harness.Contestant) ([]harness.Contestant, error) {
	switch {
	case len(f.Contestants) > 0 && f.group != "":
		return nil, errors.New("--contestants and --only exclude each other, want one of them")
	case f.group == onlyPresets:
		beside, err := catalog.Find([]string{catalog.RuntimeTimer})
		return append(catalog.Presets(), beside...), err
	case f.everything():
		return contestantsOf(f.Contestants, own, slices.Concat(catalog.All(), own, catalog.Presets()))
	}
	return contestantsOf(f.Contestants, own, append(catalog.All(), own...))
}

const onlyPresets = "presets"

// plan returns the plan that the flags ask for. All its errors are the user's.
func (f *planFlags) plan(own []harness.Contestant) (p *harness.Plan, err error) {
	p = f.sizes()
	if p.Experiments, err = f.experiments(); err != nil {
		return nil, err
	}
	if p.Contestants, err = f.contestants(own); err != nil {
		return nil, err
	}
	if err := f.checkTicks(p.Contestants); err != nil {
		return nil, err
	}
	if f.Blocks != nil && *f.Blocks < 1 {
		return nil, fmt.Errorf("--blocks %d, want 1 or more", *f.Blocks)
	}
	p.Short = p.Short || len(f.Experiments) > 0
	f.replace(p)
	if err := p.Check(); err != nil { // before workloads are read, which takes a while
		return nil, ofFlags(err)
	}
	if err := f.workloads(p); err != nil {
		return nil, fmt.Errorf("--profiles: %w", err)
	}
	if err = ofFlags(p.Check()); err == nil {
		err = f.fits(p)
	}
	return p, err
}

func or[T any](p *T, otherwise T) T {
	if p != nil {
		return *p
	}
	return otherwise
}

// ofFlags turns errors in fields of a plan into errors of their flags.
func ofFlags(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return errors.Join(lists.Each(all.Unwrap(), ofFlags)...)
	}
	if field, ok := err.(*check.Field); ok {
		return fmt.Errorf("--%s: %w", strings.ToLower(field.Name), field.Err)
	}
	return err
}

func (f *planFlags) checkTicks(all []harness.Contestant) error {
	takes := func(c harness.Contestant) bool { return !c.Preset && !c.Runtime }
	if len(f.Ticks) == 0 || slices.ContainsFunc(all, takes) {
		return nil
	}
	return fmt.Errorf("--ticks %v has no effect on %s: each has its own tick or none; \"bench tune WORKLOAD --explain NAME --tick DURATION\" changes that of a preset",
		f.Ticks[0], words.List(lists.Each(all, func(c harness.Contestant) string { return c.Name })))
}

func (f *planFlags) replace(p *harness.Plan) {
	if p.PendingGiven = len(f.Pending) > 0; p.PendingGiven {
		p.Pending, p.Large = lists.Each(f.Pending, func(n number) int { return int(n) }), nil
	}
	p.Memory = int64(f.Memory)
	setIf(&p.Ticks, f.Ticks)
	setIf(&p.Delays, f.Delays)
	setIf(&p.Ops, f.Ops)
	p.Burst, p.Drain, p.Flood = or(f.Burst, p.Burst), or(f.Drain, p.Drain), or(f.Flood, p.Flood)
	if f.Budget > 0 {
		p.Blocks, p.Budget = 0, f.Budget
	}
	if f.Blocks != nil {
		p.Blocks, p.Budget = *f.Blocks, 0
	}
}

func setIf[T any](to *[]T, from []T) {
	if len(from) > 0 {
		*to = from
	}
}

// experimentsOf returns the experiments of the names on a command line, in any case.
func experimentsOf(names []string) ([]string, error) {
	names, all := lists.Each(names, strings.ToLower), lists.Each(rundata.ExperimentNames(), strings.ToLower)
	if err := cmp.Or(check.Known("experiment", names, all), check.Repeated("experiment", names)); err != nil {
		return nil, fmt.Errorf("--experiments: %w", err)
	}
	return lists.Each(names, func(name string) string { return rundata.ExperimentNames()[slices.Index(all, name)] }), nil
}

func experimentNames() string { return strings.ToLower(strings.Join(rundata.ExperimentNames(), ", ")) }

// contestantsOf returns the contestants of the names on a command line, or the usual ones if it has none.
func contestantsOf(names []string, own, usual []harness.Contestant) ([]harness.Contestant, error) {
	if len(names) == 0 {
		return usual, nil
	}
	found, err := catalog.Find(names, own...)
	if err := cmp.Or(check.Repeated("contestant", names), err); err != nil {
		return nil, fmt.Errorf("--contestants: %w", err)
	}
	return found, nil
}

// fits returns an error if the first blocks of a plan take longer than its budget.
func (f *planFlags) fits(p *harness.Plan) error {
	if least := p.Least(); f.Budget > 0 && f.Blocks == nil && least > f.Budget {
		return fmt.Errorf("--budget %v: the plan takes %v at least; choose fewer experiments, contestants or pending counts", f.Budget, round(least))
	}
	return nil
}

// By default a run has all profiles, each at a scale with at most so many pending timers. mainLive fires within a turn.
const fewOfProfile, manyOfProfile = 20_000, 200_000

var (
	mainLive      = []string{"kafka-purgatory", "heartbeat"}
	quickProfiles = []string{"rpc-timeout@0.1", "heartbeat"}
)

// scaled returns the names of all profiles, each at a scale of one digit with at most so many pending timers.
func scaled(most int) (names []string) {
	for _, p := range workload.Builtin() {
		name := p.Name
		if scale := float64(most) / math.Floor(p.Pending(p.Length())); scale < 1 {
			digit := math.Pow(10, math.Floor(math.Log10(scale)))
			name += "@" + strconv.FormatFloat(math.Floor(scale/digit)*digit, 'g', 1, 64)
		}
		names = append(names, name)
	}
	return names
}

// workloads gives a plan its workloads, if an experiment needs them.
func (f *planFlags) workloads(p *harness.Plan) (err error) {
	if !slices.Contains(p.Experiments, rundata.Profiles) && !slices.Contains(p.Experiments, rundata.Live) {
		return nil
	}
	names, live := f.profiles()
	p.Profiles, err = (&sourceFlags{Scale: 1, least: experiments.ReplayOps(p)}).sources(names, f.Seed, io.Discard)
	if err == nil {
		p.About = asGiven(names, p.Profiles)
	}
	for i, source := range p.Profiles {
		if live == nil || slices.Contains(live, names[i]) {
			p.LiveProfiles = append(p.LiveProfiles, source)
		}
	}
	return err
}

// profiles returns the names of the workloads of a run, and of those on the real clock; nil stands for all of them.
func (f *planFlags) profiles() (names, live []string) {
	most := fewOfProfile
	switch {
	case len(f.Profiles) > 0:
		return f.Profiles, nil
	case f.Quick:
		return quickProfiles, mainLive
	case f.Full:
		return scaled(math.MaxInt), nil
	case f.Published:
		most = manyOfProfile
	}
	return scaled(most), mainLive
}
