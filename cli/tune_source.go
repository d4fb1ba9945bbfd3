package cli

import (
	"cmp"
	"fmt"

	"schedbench/tune"
	"schedbench/workload"
)

// traceReading says how traces are read.
type traceReading struct {
	SkipBad bool `name:"skip-bad" help:"Leave out what is damaged in a trace." group:"Workload"`
	HZ      int  `name:"hz" help:"Jiffies a second of the kernel that a trace was recorded on. By default it is found out." placeholder:"N" group:"Workload"`
}

// profileSource returns a profile as a workload to choose for.
func profileSource(p *workload.Profile) tune.Source {
	return tune.Source{Name: p.Name, Open: p.Stream, Scalable: true}
}

// source returns the workload of a name: a profile that comes with the program, a
// file with one, or a trace of any form. What is left out of a damaged trace is told
// to tell.
func (f traceReading) source(name string, tell func(string)) (tune.Source, error) {
	flags := sourceFlags{Scale: 1, SkipBad: f.SkipBad, HZ: f.HZ}
	if err := flags.check(); err != nil {
		return tune.Source{}, err
	}
	found, err := flags.workload(name, 1, tell)
	if err != nil {
		return tune.Source{}, err
	}
	open := func(o workload.Options) (workload.Stream, error) {
		flags := flags
		flags.Scale, flags.For = cmp.Or(o.Scale, 1), o.For
		if found.Fixed && flags.Scale != 1 {
			return nil, fmt.Errorf("%s: a trace cannot be scaled by %v", name, o.Scale)
		}
		w, err := flags.workload(name, o.Seed, func(string) {})
		if err != nil {
			return nil, err
		}
		return w.Open(1)
	}
	return tune.Source{Name: found.Name, Open: open, Scalable: !found.Fixed}, nil
}
