package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"schedbench/internal/report/tuning"
	"schedbench/internal/tune"
	"schedbench/internal/words"
	"schedbench/workload"
)

type tuneCmd struct {
	Workload string `arg:"" optional:"" help:"A profile, see workloads; or a file with a profile, .toml, or with a trace." placeholder:"PROFILE"`
	workloadFlags
	traceFlags `group:"Workload"`
	requireFlags
	explainFlags

	Time  time.Duration `help:"How long it may measure: more time, narrower intervals." default:"60s"`
	Why   bool          `help:"Print all candidates, and which rule excludes others."`
	Brute bool          `help:"Afterwards play every candidate that no rule excludes, and compare the pick with the best: long." hidden:""`
	Seed  uint64        `help:"Seed of the workload." default:"1"`

	// Match is the match that a process of the program plays: see playedMatch.
	Match string `hidden:""`
}

// Run measures, chooses and reports.
func (c *tuneCmd) Run(con *console) error {
	if c.Match != "" {
		return c.playMatch(con)
	}
	return c.run(con, tune.Choose)
}

type chooser func(context.Context, workload.Source, tune.Requirements, tune.Options) (*tune.Choice, error)

func (c *tuneCmd) run(con *console, choose chooser) error {
	src, req, explained, err := c.job(con)
	if err != nil {
		return usageError(err)
	}
	progress := newProgress(con.err)
	said := ""
	o := tune.Options{Time: c.Time, Explain: explained, Brute: c.Brute, Play: c.player(con), Progress: func(what string, done, all int) {
		switch { // a line for each step on a terminal, and one for each kind of step in a file
		case progress.terminal && all > 0:
			progress.step(what, done, all)
		case progress.terminal:
			progress.line(fmt.Sprintf("%s, block %d", what, done+1))
		case what != said:
			progress.line(what)
		}
		said = what
	}}
	chosen, err := choose(con.ctx, src, req, o)
	progress.end()
	if chosen == nil && errors.Is(err, context.Canceled) {
		return interruption("interrupted before anything could be chosen")
	}
	if chosen == nil {
		return err
	}
	a := &tuning.Answer{Choice: chosen, Explained: explained, Why: c.Why}
	if failed := a.Write(con.out); failed != nil {
		return failed
	}
	if !c.Why {
		fmt.Fprintln(con.out, "all candidates: the same with --why")
	}
	if err != nil {
		return interruption("interrupted: the answer is from what was measured until then")
	}
	return nil
}

// The bounds of --time.
const leastTune, mostTune = 10 * time.Second, 24 * time.Hour

// job reads the command line. Nothing is explained if explained is nil. All errors are the user's.
func (c *tuneCmd) job(con *console) (src workload.Source, req tune.Requirements, explained *tune.Candidate, err error) {
	if c.Time < leastTune || c.Time > mostTune {
		err = fmt.Errorf("--time %v, want %v to %s", c.Time, leastTune, words.Span(float64(mostTune)))
	}
	if err == nil {
		req, err = c.requirements()
	}
	if err == nil {
		explained, err = c.explained(c.requireFlags, con.Contestants)
	}
	if err == nil {
		open := func(o workload.Options) (workload.Source, error) { return c.workload(o, con.err) }
		src, err = tune.FromSteady(open, workload.Options{}, 0, nil)
	}
	return src, req, explained, err
}

// workload returns the named workload, or that of the flags. log is that of source.
func (c *tuneCmd) workload(o workload.Options, log io.Writer) (workload.Source, error) {
	o.Seed, o.Scale = c.Seed, 1
	switch {
	case c.Workload != "" && c.given():
		return workload.Source{}, fmt.Errorf("%s and %v are two workloads, want one of them", c.Workload, &c.workloadFlags)
	case c.Workload != "":
		if err := c.traceFlags.check(); err != nil {
			return workload.Source{}, err
		}
		return c.source(c.Workload, o, log)
	case !c.given():
		return workload.Source{}, errors.New("no workload: name a profile (\"bench workloads\" lists them), a trace or a file, or describe one by --pending, --rate and --delay")
	}
	p, err := c.profile()
	if err != nil {
		return workload.Source{}, err
	}
	return workload.SourceOf(p, o)
}
