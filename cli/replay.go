package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/report"
)

// replayCmd replays profiles and traces.
type replayCmd struct {
	Workloads []string `arg:"" name:"workload" help:"Profiles by name (see workloads) or file (.toml), NAME@SCALE at a scale; or traces of any form."`
	sourceFlags
	Contestants []string      `help:"Contestants to measure; see list. By default all schedulers and baselines." placeholder:"NAME"`
	Limit       time.Duration `help:"How long a contestant may take for one workload." default:"20s" placeholder:"DURATION"`
	Live        bool          `help:"Run each workload on the real clock too: lateness and CPU time."`
	LiveFor     time.Duration `name:"live-for" help:"How long a contestant's turn on the real clock is; it has six." default:"1s" placeholder:"DURATION"`
	Seed        uint64        `help:"Seed of profiles." default:"1"`
	SVG         bool          `help:"Also draw the charts as SVG."`
	Out         folder        `help:"Folder for data and charts. By default a new one under results, or the one of an unfinished replay of the same." placeholder:"DIR"`
}

// replayRounds is into how many slices a stream is cut at least: enough to tell
// contestants apart over a dozen workloads.
const replayRounds = 12

// Run replays, and reports.
func (c *replayCmd) Run(con *console) error {
	plan, err := c.plan(con.own, func(s string) { fmt.Fprintln(con.out, s) })
	if err != nil {
		return usageError(err)
	}
	dir := runFolder(c.Out, "replay", plan)
	data, err := measure(con, plan, dir)
	if err != nil {
		return err
	}
	if err := show(con.out, data, dir, report.Requirement{}, c.SVG); err != nil {
		return err
	}
	return wrongAnswers(data)
}

// plan returns the plan that the flags ask for. All its errors are the user's. What
// is left out of a damaged trace is told to tell.
func (c *replayCmd) plan(own []harness.Contestant, tell func(string)) (*harness.Plan, error) {
	p := &harness.Plan{
		Experiments: []string{harness.Profiles},
		Rounds:      replayRounds,
		LiveRounds:  6,
		Epoch:       8 * time.Millisecond,
		Slice:       300 * time.Millisecond,
		Rate:        1000,
		Whole:       true,
		ReplayLimit: c.Limit,
		LiveSlice:   c.LiveFor,
		Seed:        c.Seed,
	}
	if c.Live {
		p.Experiments = append(p.Experiments, harness.Live)
	}
	if c.Limit <= 0 || c.LiveFor < 10*time.Millisecond {
		return nil, fmt.Errorf("--limit %v and --live-for %v, want a positive duration and at least 10ms", c.Limit, c.LiveFor)
	}
	var err error
	if p.Contestants, err = contestantsOf(c.Contestants, own, append(catalog.All(), own...)); err != nil {
		return nil, err
	}
	if p.Profiles, err = c.sources(c.Workloads, c.Seed, tell); err != nil {
		return nil, err
	}
	if c.Live {
		p.LiveProfiles = p.Profiles
	}
	return p, p.Check()
}

// wrongAnswers returns an error that names the contestants whose answers were not
// those of the model, or whose timers fired wrongly on the real clock.
func wrongAnswers(data *harness.Data) error {
	var wrong []string
	for _, s := range data.Series {
		faults := slices.Concat(s.Values[harness.Early], s.Values[harness.Lost], s.Values[harness.Doubled])
		bad := s.State() == harness.Wrong || slices.ContainsFunc(faults, func(n float64) bool { return n > 0 })
		if name := s.Get("impl") + " (" + s.Get("profile") + ")"; bad && !slices.Contains(wrong, name) {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New("wrong answers of " + strings.Join(wrong, ", "))
}
