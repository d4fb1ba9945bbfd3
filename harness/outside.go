package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/live"
)

// Outside is a cell of an experiment that a program brings with it. It is interleaved, saved
// and resumed as all others are; what is drawn and said of it is the program's.
type Outside struct {
	// Experiment is the first part of the names of its series, and of none of this package.
	Experiment string
	// Name identifies the cell in the plan, and names its files.
	Name string
	// Blocks is how many turns each has.
	Blocks int
	Turns  []Turn
}

// Turn is who takes turns in a cell from outside.
type Turn struct {
	// Params tell its series from the others of the plan; impl is who it is.
	Params []Param
	// Time is about how long it takes.
	Time time.Duration
	// Take measures a block: what it measures, it has made afresh. All who take turns in a block
	// get the same randomness.
	Take func(ctx context.Context, block int, r *rand.Rand) (Taken, error)
}

// Taken is what was measured in a turn.
type Taken struct {
	Iterations int
	// Values are by unit; each turn has the same.
	Values map[string]float64
	// Outcome is what became of timers that were played, of which percentiles and answers are
	// added to the values; nil if none were.
	Outcome *live.Outcome
}

// cell returns it as one of the plan.
func (o Outside) cell() Cell {
	c := Cell{Experiment: o.Experiment, Name: o.Name, exactly: o.Blocks, of: func(s *session) ([]*competitor, error) {
		return each(o.Turns, func(t Turn) *competitor { return s.outside(o, t) }), nil
	}}
	for _, t := range o.Turns {
		c.Time += t.Time
	}
	return c
}

// outside is one who takes turns in a cell from outside.
func (s *session) outside(o Outside, t Turn) *competitor {
	series := &Series{Experiment: o.Experiment, Params: t.Params}
	return &competitor{series: series, turn: func(round int) (int, sample, error) {
		block := round / roundsApart
		taken, err := t.Take(s.ctx, block, s.random(fmt.Sprint(o.Name, block)))
		if err != nil {
			return 0, nil, err
		}
		values := sample{}
		if taken.Outcome != nil {
			if series.Late == nil {
				series.Late, series.Early = newHistogram(), newHistogram()
			}
			values = series.addOutcome(taken.Outcome, nil)
		}
		for unit, v := range taken.Values {
			values[unit] = v
		}
		return taken.Iterations, values, nil
	}}
}

// checkContestants is CheckContestants, but for a plan that has cells from outside only.
func (p *Plan) checkContestants() error {
	if len(p.Contestants) == 0 && len(p.Outside) > 0 {
		return nil
	}
	return CheckContestants(p.Contestants)
}

// checkOutside returns an error with all that is wrong with the cells from outside.
func (p *Plan) checkOutside() error {
	err := repeated("cell", each(p.Outside, func(o Outside) string { return o.Name }))
	for _, o := range p.Outside {
		err = errors.Join(err,
			unless(!slices.Contains(Experiments(), o.Experiment), "cell %s is of %s, want a name that no experiment here has", o.Name, o.Experiment),
			unless(o.Name != "" && o.Blocks >= 1 && len(o.Turns) > 0, "cell %q of %d blocks and %d turns, want a name and at least 1 of each", o.Name, o.Blocks, len(o.Turns)),
			repeated("series", each(o.Turns, func(t Turn) string { return (&Series{Experiment: o.Experiment, Params: t.Params}).Name() })))
	}
	return err
}

// outside returns what tells cells from outside apart.
func (p *Plan) outside() (told []any) {
	for _, o := range p.Outside {
		told = append(told, o.Experiment, o.Name, o.Blocks)
		for _, t := range o.Turns {
			told = append(told, t.Params)
		}
	}
	return told
}
