package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"schedbench/catalog"
	"schedbench/live"
	"schedbench/report/choice"
	"schedbench/tune"
	"schedbench/tune/costs"
	"schedbench/workload"
)

// tuneCmd chooses for a workload.
type tuneCmd struct {
	Workload string `arg:"" optional:"" help:"A profile, see workloads; or a file with a profile, .toml, or with a trace." placeholder:"PROFILE"`
	workloadFlags
	traceFlags `group:"Workload"`
	requireFlags
	explainFlags

	For         *time.Duration `help:"How long each candidate is run to prove it: the longer, the more rounds there are to tell by." placeholder:"DURATION"`
	NoProof     bool           `help:"Predict only; measure nothing but the costs of this machine."`
	Why         bool           `help:"Print the reasons too: the workload in numbers, the alternatives, closed forms, the costs of this machine."`
	Calibration folder         `help:"Folder that keeps the costs of this machine; by default schedbench in the user's cache folder." placeholder:"DIR"`
	Recalibrate bool           `help:"Measure the costs of this machine again."`
	Terms       bool           `help:"With --why, print each of the costs, not only a line for each kind."`
	Seed        uint64         `help:"Seed of the workload." default:"1"`
	Out         folder         `help:"Folder for charts. By default results/tune-NAME." placeholder:"DIR"`
	SVG         bool           `help:"Also draw the charts as SVG."`
}

// tuneSteps are the steps that measure.
type tuneSteps struct {
	calibrate func(ctx context.Context, dir string, again bool, progress costs.Progress) (costs.Cached, error)
	prove     func(context.Context, *tune.Choice, *costs.Calibration, workload.Source, tune.ProveOptions) (*tune.Proof, error)
	try       func(context.Context, *tune.Explanation, *costs.Calibration, workload.Source, tune.ProveOptions) ([]tune.Proved, error)
}

// Run chooses, proves and reports.
func (c *tuneCmd) Run(con *console) error {
	return c.run(con, tuneSteps{calibrate: costs.LoadOrCalibrate, prove: tune.ProveChoice, try: tune.TryExplained})
}

// job is what a command line of tune asks for.
type job struct {
	src    workload.Source
	req    tune.Requirements
	system *catalog.System // to explain, or nil
	dir    string
}

func (c *tuneCmd) run(con *console, steps tuneSteps) error {
	if own, is := c.ownNamed(con.own); is {
		return c.explainOwn(con, own)
	}
	j, err := c.job(func(s string) { fmt.Fprintln(con.err, s) })
	if err != nil {
		return usageError(err)
	}
	if err := os.MkdirAll(j.dir, 0o777); err != nil { // before a minute is spent on measuring
		return err
	}
	load, err := tune.LoadOfSource(con.ctx, j.src, workload.Options{}, tune.LoadOptions{Warm: tune.FindWarm})
	if err != nil {
		return err
	}
	cached, err := c.calibrate(con, steps)
	if err != nil {
		return err
	}
	if j.system != nil {
		return c.explain(con, steps, j, load, cached)
	}
	return c.choose(con, steps, j, load, cached)
}

// job returns what is asked for. All its errors are the user's.
func (c *tuneCmd) job(tell func(string)) (j job, err error) {
	if err = c.proofFlags(); err != nil {
		return j, err
	}
	if c.Terms && !c.Why {
		return j, errors.New("--terms goes with --why, which prints the costs of this machine")
	}
	if j.req, err = c.requirements(); err != nil {
		return j, err
	}
	if j.system, err = c.system(c.requireFlags); err != nil {
		return j, err
	}
	if j.src, err = c.workload(tell); err != nil {
		return j, err
	}
	j.dir = cmp.Or(string(c.Out), filepath.Join("results", "tune-"+workload.TidyName(j.src.Name)))
	return j, j.req.Check()
}

// proofFlags checks what the flags say about the proof.
func (c *tuneCmd) proofFlags() error {
	const least, most = time.Second, 10 * time.Minute
	switch {
	case c.For == nil:
		return nil
	case *c.For < least || *c.For > most:
		return fmt.Errorf("--for %v, want %v to %v", *c.For, least, most)
	case c.NoProof:
		return fmt.Errorf("--for %v and --no-proof contradict each other", *c.For)
	}
	return nil
}

// workload returns the workload: one that is named, or one of the flags.
func (c *tuneCmd) workload(tell func(string)) (workload.Source, error) {
	switch {
	case c.Workload != "" && c.given():
		return workload.Source{}, fmt.Errorf("%s and %v are two workloads, want one of them", c.Workload, &c.workloadFlags)
	case c.Workload != "":
		if err := c.traceFlags.check(); err != nil {
			return workload.Source{}, err
		}
		if _, err := workload.Find(c.Workload); err == nil && c.traceFlags != (traceFlags{}) {
			return workload.Source{}, fmt.Errorf("%s is a profile: --hz and --skip-bad have no effect, since they are for traces", c.Workload)
		}
		return c.source(c.Workload, workload.Options{Seed: c.Seed, Scale: 1}, tell)
	case !c.given():
		return workload.Source{}, errors.New("no workload: name a profile (bench workloads lists them), a trace or a file, or describe one by --pending, --rate and --delay")
	}
	p, err := c.profile()
	if err != nil {
		return workload.Source{}, err
	}
	return workload.SourceOf(p, workload.Options{Seed: c.Seed})
}

// calibrationFolder returns where the costs of this machine are kept.
func (c *tuneCmd) calibrationFolder() (string, error) {
	if c.Calibration != "" {
		return string(c.Calibration), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder to keep the costs of this machine in (%w): name a folder by --calibration", err)
	}
	return filepath.Join(cache, "schedbench"), nil
}

// calibrate returns the costs of this machine.
func (c *tuneCmd) calibrate(con *console, steps tuneSteps) (costs.Cached, error) {
	dir, err := c.calibrationFolder()
	if err != nil {
		return costs.Cached{}, err
	}
	progress := newProgress(con.err)
	cached, err := steps.calibrate(con.ctx, dir, c.Recalibrate, progress.step)
	progress.end()
	if errors.Is(err, context.Canceled) {
		return cached, interruption("interrupted while the costs of this machine were measured: nothing of that is kept")
	}
	if err != nil {
		return cached, err
	}
	if cached.Notice != "" {
		fmt.Fprintln(con.err, cached.Notice)
	}
	return cached, nil
}

// explain judges the system that is asked for, and tries it, unless that is not wanted. What
// was found out is reported even if that is interrupted.
func (c *tuneCmd) explain(con *console, steps tuneSteps, j job, load *tune.Load, cached costs.Cached) error {
	e, err := tune.Explain(*j.system, load, cached.Calibration, j.req)
	if err != nil {
		return err
	}
	x := &choice.Explained{Explanation: e, Load: load, Cached: cached}
	var failed error
	if !c.NoProof {
		progress := newProgress(con.err)
		x.Rows, failed = steps.try(con.ctx, e, cached.Calibration, j.src, c.proveOptions(progress))
		progress.end()
	}
	switch {
	case errors.Is(failed, live.ErrTooFast):
		x.Unproven, failed = failed.Error(), nil
	case failed != nil && !errors.Is(failed, context.Canceled):
		return failed
	}
	if err := x.Answer(con.out); err != nil {
		return err
	}
	charts, err := choice.ExplanationChart(e, load.Name, cached.Calibration, j.dir, c.SVG)
	if err == nil {
		err = saySaved(con.out, "chart", j.dir, charts)
	}
	if err == nil {
		err = c.reasons(con, x.Why)
	}
	if err == nil && failed != nil {
		err = interruption("interrupted before all was tried: the figures are predictions")
	}
	return err
}

// reasons prints them, or how to have them.
func (c *tuneCmd) reasons(con *console, why func(w io.Writer, eachCost bool) error) error {
	said := "\n"
	if !c.Why {
		said = "reasons: the same with --why\n"
	}
	if _, err := io.WriteString(con.out, said); err != nil || !c.Why {
		return err
	}
	return why(con.out, c.Terms)
}

// proveOptions returns how it is proved.
func (c *tuneCmd) proveOptions(p *progress) tune.ProveOptions {
	o := tune.ProveOptions{Progress: p.step}
	if c.For != nil {
		o.For = *c.For
	}
	return o
}

// choose chooses, proves and reports. What was chosen is reported even if its proof
// is interrupted.
func (c *tuneCmd) choose(con *console, steps tuneSteps, j job, load *tune.Load, cached costs.Cached) error {
	chosen, err := tune.Choose(load, cached.Calibration, j.req)
	if err != nil {
		return err
	}
	t := &choice.Tuning{Choice: chosen, Cached: cached}
	t.Proof, err = c.prove(con, steps, j, t)
	switch {
	case errors.Is(err, live.ErrTooFast):
		t.Unproven, err = err.Error(), nil
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	}
	if failed := c.report(con, j, t); failed != nil {
		return failed
	}
	if err != nil {
		return interruption("interrupted before the proof was complete: the choice is a prediction; the calibration is kept in " + cached.Path)
	}
	return nil
}

// prove runs the candidates, unless there are none or it is not wanted.
func (c *tuneCmd) prove(con *console, steps tuneSteps, j job, t *choice.Tuning) (*tune.Proof, error) {
	if c.NoProof || t.Choice.Infeasible != nil {
		return nil, nil
	}
	progress := newProgress(con.err)
	defer progress.end()
	return steps.prove(con.ctx, t.Choice, t.Cached.Calibration, j.src, c.proveOptions(progress))
}

// report prints what was chosen and draws it.
func (c *tuneCmd) report(con *console, j job, t *choice.Tuning) error {
	if err := t.Answer(con.out); err != nil {
		return err
	}
	charts, err := t.Chart(j.dir, c.SVG)
	if err != nil {
		return err
	}
	if err := saySaved(con.out, "chart", j.dir, charts); err != nil {
		return err
	}
	return c.reasons(con, t.Why)
}
