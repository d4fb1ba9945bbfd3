package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/live"
)

// CustomCell is a cell of a program's own experiment. The harness interleaves, saves and resumes it; drawing and
// judging it is up to the program.
type CustomCell struct {
	Experiment   string // begins the names of its series. It differs from all experiments of this module
	Name         string // identifies the cell in the plan, and names its files
	Blocks       int    // of each participant
	Participants []Participant
}

// Participant takes turns in a custom cell.
type Participant struct {
	Params []rundata.Param // distinguish its series from the others of the plan; impl names the contestant
	Time   time.Duration   // it takes about as long
	// Take measures a block of something that it has just made. All participants of a block get the same randomness.
	Take func(ctx context.Context, block int, r *rand.Rand) (Sample, error)
}

// Sample is what a turn measured.
type Sample struct {
	Iterations int
	Values     map[string]float64 // by unit; each turn has the same units
	// Outcome is that of played timers, nil if there are none. Its percentiles and answers are added to the values.
	Outcome *live.Outcome
}

func (o CustomCell) cell() Cell {
	c := Cell{Experiment: o.Experiment, Name: o.Name, exactly: o.Blocks, Make: func(s *Session) ([]*Turns, error) {
		return lists.Each(o.Participants, func(t Participant) *Turns { return s.custom(o, t) }), nil
	}}
	for _, t := range o.Participants {
		c.Time += t.Time
	}
	return c
}

// series returns those of the participants, without samples.
func (o CustomCell) series() []*rundata.Series {
	return lists.Each(o.Participants, func(t Participant) *rundata.Series {
		return &rundata.Series{Experiment: o.Experiment, Params: t.Params}
	})
}

func (s *Session) custom(o CustomCell, t Participant) *Turns {
	series := &rundata.Series{Experiment: o.Experiment, Params: t.Params}
	return &Turns{Series: series, Turn: func(int) (int, rundata.Values, error) {
		taken, err := t.Take(s.Ctx, s.First, s.Random(fmt.Sprint(o.Name, s.First)))
		if err != nil {
			return 0, nil, err
		}
		values := rundata.Values{}
		if taken.Outcome != nil {
			if values, err = s.AddOutcome(series, taken.Outcome, nil); err != nil {
				return 0, nil, err
			}
		}
		maps.Copy(values, taken.Values)
		return taken.Iterations, values, nil
	}}
}

func (p *Plan) checkCustom() error {
	err := check.Repeated("cell", lists.Each(p.Custom, func(o CustomCell) string { return o.Name }))
	for _, o := range p.Custom {
		err = errors.Join(err,
			check.That(!slices.Contains(rundata.ExperimentNames(), o.Experiment), "cell %s is of %s, want a name that no experiment here has", o.Name, o.Experiment),
			check.That(o.Name != "" && o.Blocks >= 1 && len(o.Participants) > 0, "cell %q of %d blocks and %d turns, want a name and at least 1 of each", o.Name, o.Blocks, len(o.Participants)),
			check.Repeated("series", lists.Each(o.series(), (*rundata.Series).Name)))
	}
	return err
}
