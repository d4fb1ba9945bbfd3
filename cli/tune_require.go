package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/tune"
)

// requireFlags say what a configuration must meet.
type requireFlags struct {
	P50        *time.Duration `name:"p50" help:"Half of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	P99        *time.Duration `name:"p99" help:"99 % of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	P999       *time.Duration `name:"p999" help:"99.9 % of the timers at most this late." placeholder:"DURATION" group:"Requirements"`
	Percentile percentile     `help:"Another percentile at which to look, such as 99.5%." placeholder:"P" group:"Requirements"`
	Lateness   *time.Duration `help:"What --percentile of the timers may be late by." placeholder:"DURATION" group:"Requirements"`
	CPU        percent        `help:"Share of one core that the timers may take." placeholder:"SHARE" group:"Requirements"`
	Memory     memory         `help:"Memory that the pending timers may take, such as 64MiB." placeholder:"BYTES" group:"Requirements"`
	Worth      percent        `help:"Share of one core up to which a difference counts as none, since nobody would notice it; 0.1% by default." placeholder:"SHARE" group:"Requirements"`
	MustTick   bool           `help:"The driver has to wake up at every tick." group:"Requirements"`
	NoTick     bool           `help:"The driver must sleep until something is due." group:"Requirements"`
	NoPrecise  bool           `help:"Wait by the Go runtime's timers only, which end about a millisecond late on Linux." group:"Requirements"`
}

// requirements returns what the flags require, or what is wrong with them.
func (f *requireFlags) requirements() (tune.Requirements, error) {
	r := tune.Requirements{
		CPU: float64(f.CPU), Memory: int64(f.Memory), Worth: float64(f.Worth),
		MustTick: f.MustTick, MustNotTick: f.NoTick, NotPrecise: f.NoPrecise,
	}
	if f.MustTick && f.NoTick {
		return r, errors.New("--must-tick and --no-tick contradict each other")
	}
	given := f.limits()
	if len(given) > 1 {
		return r, fmt.Errorf("%s and %s are two requirements of lateness, want one of them", given[0].flag, given[1].flag)
	}
	for _, l := range given {
		if *l.late <= 0 {
			return r, fmt.Errorf("%s %v, want a positive duration", l.flag, *l.late)
		}
		r.Percentile, r.Lateness = l.share, *l.late
	}
	if f.Percentile != 0 && f.Lateness == nil {
		return r, fmt.Errorf("--percentile %v goes with --lateness, such as --lateness 5ms; --p50, --p99 and --p999 say both at once", f.Percentile)
	}
	return r, nil
}

// latenessLimit is a requirement of lateness, as given by a flag.
type latenessLimit struct {
	flag  string
	share float64
	late  *time.Duration
}

// limits returns the requirements of lateness that are given. A lateness alone is at
// 99 %.
func (f *requireFlags) limits() []latenessLimit {
	all := []latenessLimit{
		{"--p50", 0.5, f.P50}, {"--p99", 0.99, f.P99}, {"--p999", 0.999, f.P999},
		{"--lateness", float64(cmp.Or(f.Percentile, 0.99)), f.Lateness},
	}
	return slices.DeleteFunc(all, func(l latenessLimit) bool { return l.late == nil })
}

// explainFlags name a configuration to judge.
type explainFlags struct {
	Explain   string         `help:"Judge a known system instead of choosing, such as netty; or a scheduler with --tick and --slots; or run a contestant of the program, which has no model." placeholder:"SYSTEM" group:"To judge a configuration"`
	Scheduler string         `help:"Judge a scheduler with --tick and --slots: the same as --explain with its name." placeholder:"NAME" group:"To judge a configuration"`
	Tick      *time.Duration `help:"Tick of what is judged." placeholder:"DURATION" group:"To judge a configuration"`
	Slots     *int           `help:"Slots of what is judged, of each level if it has levels." placeholder:"N" group:"To judge a configuration"`
	Precise   bool           `help:"What is judged waits precisely." group:"To judge a configuration"`
}

// system returns the configuration to judge, or nil if there is none.
func (f *explainFlags) system(r requireFlags) (*catalog.System, error) {
	name := cmp.Or(f.Explain, f.Scheduler)
	switch {
	case name == "":
		return nil, f.alone()
	case f.Scheduler != "" && name != f.Scheduler:
		return nil, fmt.Errorf("--explain %s and --scheduler %s are two configurations, want one of them", name, f.Scheduler)
	}
	s, err := catalog.FindSystem(name)
	if err != nil {
		return nil, fmt.Errorf("--explain: %w", err)
	}
	f.change(&s, r.MustTick)
	if c := s.Config; (c.Tick == 0 || c.Slots == 0) && c.Wheel() {
		return nil, fmt.Errorf("%s needs --tick and --slots, such as --tick 10ms --slots 512", name)
	}
	if err := s.Config.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// alone returns an error if a flag is given that says how something is judged, and
// nothing is.
func (f *explainFlags) alone() error {
	switch {
	case f.Tick != nil:
		return fmt.Errorf("--tick %v: of what? Name it by --explain or --scheduler; without, the tick is chosen", *f.Tick)
	case f.Slots != nil:
		return fmt.Errorf("--slots %d: of what? Name it by --explain or --scheduler; without, they are chosen", *f.Slots)
	case f.Precise:
		return errors.New("--precise: name what is judged by --explain or --scheduler; without, waiting is chosen")
	}
	return nil
}

// change gives a system the tick, the slots and the waiting of the flags. A scheduler
// alone may be told to tick.
func (f *explainFlags) change(s *catalog.System, ticks bool) {
	if ticks && slices.Contains(catalog.Schedulers(), s.Name) {
		s.Config.Waking = catalog.Ticking
	}
	if f.Tick != nil {
		s.Config.Tick = *f.Tick
	}
	if f.Slots != nil {
		s.Config.Slots = *f.Slots
	}
	if f.Precise {
		s.Config.Waiting = catalog.Precise
	}
}
