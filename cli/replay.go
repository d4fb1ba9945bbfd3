package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/tune"
	"schedbench/workload"
	"schedbench/workload/trace"
)

type replayCmd struct {
	Workloads []string `arg:"" name:"workload" help:"Profiles by name (see workloads) or file (.toml), NAME@SCALE at a scale; or traces of any form."`
	sourceFlags
	Contestants []string      `help:"Contestants to measure; see list. By default all schedulers and baselines." placeholder:"NAME"`
	Limit       time.Duration `help:"How long a contestant may take for one workload." default:"20s"`
	Live        bool          `help:"Run each workload on the real clock too: lateness and CPU time."`
	LiveFor     time.Duration `name:"live-for" help:"How long each contestant plays on the real clock in each of six blocks." default:"2s"`
	Seed        uint64        `help:"Seed of profiles and of the order of turns." default:"1"`
	judgeFlags
	Out folder `help:"Folder for data and charts. By default a new one under results, or that of an unfinished replay with the same workloads, flags, build and environment, which goes on." placeholder:"DIR"`
}

// Run replays, and reports.
func (c *replayCmd) Run(con *console) error {
	plan, err := c.plan(con.Contestants, con.err)
	if err != nil {
		return usageError(err)
	}
	data, dir, err := measure(con, plan, c.Out, "replay", plotDir)
	if err != nil {
		return err
	}
	return c.show(con, data, c.options(), dir, false)
}

// plan returns the plan that the flags ask for. All its errors are the user's. It logs what is left out of a damaged trace.
func (c *replayCmd) plan(own []harness.Contestant, log io.Writer) (*harness.Plan, error) {
	p := &harness.Plan{
		Known:       experiments.All(),
		Experiments: []string{rundata.Profiles},
		Blocks:      6,  // turns of a contestant on the real clock
		Rounds:      12, // the fewest slices of a stream for significant differences over a dozen workloads
		Epoch:       8 * time.Millisecond,
		Slice:       300 * time.Millisecond,
		Watch:       time.Second,
		Rate:        1000,
		ReplayAll:   true,
		ReplayLimit: c.Limit,
		LiveSlice:   c.LiveFor,
		Seed:        c.Seed,
	}
	if c.Live {
		p.Experiments = append(p.Experiments, rundata.Live)
	}
	if c.LiveFor < 10*time.Millisecond {
		return nil, fmt.Errorf("--live-for %v, want at least 10ms", c.LiveFor)
	}
	var err error
	if p.Contestants, err = contestantsOf(c.Contestants, own, append(catalog.All(), own...)); err != nil {
		return nil, err
	}
	if !c.Live && !slices.ContainsFunc(p.Contestants, func(c harness.Contestant) bool { return c.New != nil }) {
		return nil, fmt.Errorf("--contestants: %s: without a scheduler there is nothing to replay in virtual time, want --live", strings.Join(c.Contestants, ", "))
	}
	if p.Profiles, err = c.sources(c.Workloads, c.Seed, log); err != nil {
		return nil, err
	}
	if c.Live {
		p.LiveProfiles = p.Profiles
	}
	p.About = asGiven(c.Workloads, p.Profiles)
	return p, p.Check()
}

// asGiven returns facts of a plan, with what was typed for each workload that has another name, such as a trace.
func asGiven(given []string, all []workload.Source) func(*harness.Plan) []rundata.Param {
	var more []rundata.Param
	for i, s := range all {
		if name := typed(given[i]); name != s.Name {
			more = append(more, rundata.Param{Key: rundata.WorkloadKey + s.Name, Value: name})
		}
	}
	return func(p *harness.Plan) []rundata.Param { return append(experiments.Geometries(p), more...) }
}

// source returns the workload of a name: a profile of the program, a file with one, either with @SCALE after it, or a trace
// of any form. Of the options only For concerns a trace. It logs what is left out of a damaged trace.
func (f *traceFlags) source(name string, o workload.Options, log io.Writer) (workload.Source, error) {
	bare, scale, err := scaleOf(name)
	if err != nil {
		return workload.Source{}, err
	}
	p, err := workload.Find(bare)
	if err == nil {
		o.Scale *= scale
		return workload.SourceOf(p, o)
	}
	switch {
	case errors.As(err, new(*workload.ParseError)) && strings.EqualFold(filepath.Ext(bare), ".toml"), errors.Is(err, fs.ErrNotExist):
		return workload.Source{}, err
	case scale != 1:
		return workload.Source{}, fmt.Errorf("%s: a trace has no scale, want the name of a profile before @", name)
	}
	return f.trace(bare, o.For, log)
}

// scaleOf splits NAME@SCALE; the scale of a name without one is 1. A file may have such a name too.
func scaleOf(name string) (bare string, scale float64, err error) {
	at := strings.LastIndex(name, "@")
	if at < 0 || isThere(name) {
		return name, 1, nil
	}
	scale, err = strconv.ParseFloat(name[at+1:], 64)
	if err != nil || !(scale > 0) || scale > 1e9 {
		return "", 0, fmt.Errorf("%s: scale %q, want a positive number after @", name, name[at+1:])
	}
	return name[:at], scale, nil
}

// trace returns a trace as a workload. It reads the whole trace once, to say how much of it is damaged.
func (f *traceFlags) trace(path string, length time.Duration, log io.Writer) (workload.Source, error) {
	o := f.options()
	s, err := trace.SourceOf(path, o, length)
	if errors.Is(err, trace.ErrFormat) {
		err = fmt.Errorf("%w; want a trace, or a profile in a file that ends in .toml", err)
	}
	if err == nil {
		if err = reportDamage(path, o, log); err != nil && !f.SkipBad {
			err = fmt.Errorf("%w (--skip-bad leaves out what is damaged)", err)
		}
	}
	return s, err
}

// reportDamage reads a trace to its end, and logs what is left out.
func reportDamage(path string, o trace.Options, log io.Writer) (err error) {
	file, err := trace.Open(path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for events := make([]trace.Event, 4096); err == nil; {
		_, err = file.Read(events)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if counts := file.Counts(); counts.AllSkipped() > 0 {
		reasons := lists.Each(slices.Sorted(maps.Keys(counts.Skipped)), func(reason trace.Reason) string { return fmt.Sprintf("%s: %d", reason, counts.Skipped[reason]) })
		fmt.Fprintf(log, "%s: %d of %d lines are left out (%s)\n", file.Name(), counts.AllSkipped(), counts.Lines, strings.Join(reasons, ", "))
	}
	return nil
}

// sourceFlags say how profiles and traces are read.
type sourceFlags struct {
	Tick  time.Duration `help:"Tick of the schedulers. By default that of the profile, and 1ms for a trace." placeholder:"DURATION"`
	Scale float64       `help:"Multiply the rates and numbers of timers of profiles." default:"1"`
	For   time.Duration `help:"How much of a workload's own time to replay. By default the length of the profile, and all of a trace." placeholder:"DURATION"`
	traceFlags
	least int // operations of the steady state of a profile at least, unless For gives its length
}

// sources returns the workloads of names, each with its steady instant, and long enough. log is that of source.
func (f *sourceFlags) sources(names []string, seed uint64, log io.Writer) (list []workload.Source, err error) {
	if !(f.Scale > 0) {
		return nil, fmt.Errorf("--scale %v, want a positive number", f.Scale)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	known, _ := blocks.Ordered()
	for _, name := range names {
		o := workload.Options{Seed: seed, Scale: f.Scale, For: f.For}
		s, err := tune.FromSteady(func(o workload.Options) (workload.Source, error) { return f.source(name, o, log) }, o, f.least, known.Steady)
		if err != nil {
			return nil, err
		}
		if f.Tick > 0 {
			s.Tick = f.Tick
		}
		list = append(list, s)
	}
	return list, nil
}
