package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
)

// explainFlags name a configuration to judge.
type explainFlags struct {
	Explain   string         `help:"Judge a known system instead of choosing, such as netty; or a scheduler with --tick and --slots." placeholder:"SYSTEM" group:"To judge a configuration"`
	Scheduler string         `help:"Judge a scheduler with --tick and --slots: the same as --explain with its name." placeholder:"NAME" group:"To judge a configuration"`
	Tick      *time.Duration `help:"Tick of what is judged." placeholder:"DURATION" group:"To judge a configuration"`
	Slots     *int           `help:"Slots of what is judged, of each level if it has levels." placeholder:"N" group:"To judge a configuration"`
	Precise   bool           `help:"What is judged waits precisely." group:"To judge a configuration"`
}

// system returns the configuration to judge, or nil if there is none. A scheduler
// by name ticks if --must-tick is given.
func (f *explainFlags) system(r requireFlags) (*catalog.System, error) {
	name := f.Explain
	switch {
	case name != "" && f.Scheduler != "" && name != f.Scheduler:
		return nil, fmt.Errorf("--explain %s and --scheduler %s are two configurations, want one of them", name, f.Scheduler)
	case name == "":
		name = f.Scheduler
	}
	if name == "" {
		return nil, f.alone()
	}
	waking := catalog.Tickless
	if r.MustTick {
		waking = catalog.Ticking
	}
	s, err := systemOf(name, waking)
	if err != nil {
		return nil, err
	}
	f.change(&s)
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

// systemOf returns a known system, or a scheduler with a driver of the usual kind.
func systemOf(name string, waking catalog.Waking) (catalog.System, error) {
	for _, c := range catalog.Contestants() {
		if c.Name == name {
			return catalog.System{Name: name, About: c.Family + ": " + c.About, Config: catalog.Config{Scheduler: name, Waking: waking}}, nil
		}
	}
	if s, err := catalog.FindSystem(name); err == nil {
		return s, nil
	}
	var known []string
	for _, s := range catalog.Systems() {
		known = append(known, s.Name)
	}
	for _, c := range catalog.Contestants() {
		known = append(known, c.Name)
	}
	known = slices.Compact(known)
	return catalog.System{}, fmt.Errorf("--explain: unknown system %q, want one of %s", name, strings.Join(known, ", "))
}

// change gives a system the tick, the slots and the waiting of the flags.
func (f *explainFlags) change(s *catalog.System) {
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
