package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune"
	"schedbench/workload"
)

// ownNamed returns the contestant that is to be judged, if the model has no costs of it: one of
// the program, or queues.
func (f *explainFlags) ownNamed(own []harness.Contestant) (c harness.Contestant, ok bool) {
	name := cmp.Or(f.Explain, f.Scheduler)
	queues, err := catalog.Find([]string{catalog.FIFO})
	if err != nil {
		return c, false
	}
	own = append(queues, own...)
	i := slices.IndexFunc(own, func(c harness.Contestant) bool { return c.Name == name })
	if i < 0 {
		return c, false
	}
	return own[i], true
}

// explainOwn judges a contestant of the program. The model has no costs of it, so that it is
// not predicted but run: on the workload, beside time.AfterFunc.
func (c *tuneCmd) explainOwn(con *console, own harness.Contestant) error {
	plan, req, dir, err := c.ownPlan(con, own)
	if err != nil {
		return usageError(err)
	}
	fmt.Fprintf(con.out, "the model knows the costs of %[2]s only, and not those of %[1]s, so it is run on the workload instead\n",
		own.Name, words.List(catalog.Schedulers()))
	data, dir, err := measure(con, plan, folder(dir), "tune", plotDir)
	if err != nil {
		return err
	}
	flags := &judgeFlags{Margin: judge.Margin - 1, SVG: c.SVG}
	err = flags.show(con, data, dir, flags.options())
	return errors.Join(tellOwn(con.out, data, own, req), err)
}

// ownPlan returns the plan of it, what is required, and the folder. All its errors are the
// user's.
func (c *tuneCmd) ownPlan(con *console, own harness.Contestant) (plan *harness.Plan, req tune.Requirements, dir string, err error) {
	if c.Tick != nil || c.Slots != nil || c.Precise {
		return nil, req, "", fmt.Errorf("--tick, --slots and --precise are of the schedulers that the model knows: %s is run as it is", own.Name)
	}
	if err = c.proofFlags(); err == nil {
		req, err = c.requirements()
	}
	if err == nil {
		err = req.Check()
	}
	if err != nil {
		return nil, req, "", err
	}
	src, err := tune.FromSteady(func(workload.Options) (workload.Source, error) {
		return c.workload(func(s string) { fmt.Fprintln(con.err, s) })
	}, workload.Options{}, 0, nil)
	if err != nil {
		return nil, req, "", err
	}
	src.Name = workload.TidyName(src.Name)
	length := time.Second
	if c.For != nil {
		length = *c.For
	}
	replay := &replayCmd{
		sourceFlags: sourceFlags{Scale: 1}, Contestants: []string{own.Name, catalog.RuntimeTimer},
		Limit: 20 * time.Second, Live: own.Live(), LiveFor: length, Seed: c.Seed,
	}
	if plan, err = replay.plan(con.own, func(string) {}); err != nil {
		return nil, req, "", err
	}
	plan.Profiles = []workload.Source{src}
	if own.Live() {
		plan.LiveProfiles = plan.Profiles
	}
	return plan, req, cmp.Or(string(c.Out), filepath.Join("results", "tune-"+src.Name+"-"+own.Name)), plan.Check()
}

// measuredAt are the percentiles of lateness of which there is a sample in each round.
func measuredAt() map[float64]string {
	return map[float64]string{0.5: rundata.P50Late, 0.9: rundata.P90Late, 0.99: rundata.P99Late}
}

// tellOwn says whether a contestant has kept what is required of lateness and CPU time.
func tellOwn(w io.Writer, data *rundata.Data, own harness.Contestant, req tune.Requirements) error {
	live := data.Select(rundata.Live, "impl="+own.Name)
	if req.None() || len(live) == 0 {
		return nil
	}
	share := cmp.Or(req.Percentile, 0.99)
	unit, known := measuredAt()[share]
	if req.Lateness > 0 && !known {
		return usageError(errors.New("--percentile: of what is run there are 50%, 90% and 99%"))
	}
	fmt.Fprintln(w, "\nREQUIRED")
	if req.Lateness > 0 {
		late := judge.Median(live[0].Values[unit])
		fmt.Fprintf(w, "- at most %s late at %s: %s, with %s\n", words.Time(float64(req.Lateness)), words.Share(share),
			answerOf(req.InTime(late.Times(1e-9))), words.Interval(late.Value, late.Low, late.High, words.Nanos))
	}
	if req.CPU > 0 {
		cpu := judge.Median(live[0].Values[rundata.CPUPerSecond]).Times(1e-9)
		fmt.Fprintf(w, "- at most %s of a core: %s, with %s\n", words.Share(req.CPU),
			answerOf(req.Cheap(cpu)), words.Interval(cpu.Value, cpu.Low, cpu.High, words.Percent))
	}
	return nil
}

// answerOf says in words whether a requirement was kept.
func answerOf(f judge.Finding) string {
	switch f {
	case judge.Holds:
		return "kept"
	case judge.Fails:
		return "not kept"
	}
	return "cannot be told"
}
