package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/report"
)

// runCmd measures.
type runCmd struct {
	planFlags
	reportFlags
	Out folder `help:"Folder for data and charts. By default a new one under results, or the one of an unfinished run of the same plan by the same build in the same environment." placeholder:"DIR"`
}

// Run measures the plan, or what an earlier run has left of it, and reports.
func (c *runCmd) Run(con *console) error {
	req, err := c.requirement()
	if err != nil {
		return err
	}
	plan, err := c.plan(con.own)
	if err != nil {
		return usageError(err)
	}
	data, dir, err := measure(con, plan, c.Out, "run")
	if err != nil {
		return err
	}
	return show(con.out, data, dir, req, c.SVG)
}

// measure measures a plan, or what an earlier run has left of it, and tells of it. It
// returns the folder of the run too, which is out, or one named after the kind of run.
func measure(con *console, plan *harness.Plan, out folder, kind string) (*harness.Data, string, error) {
	cells := plan.Cells()
	if slices.Contains(plan.Experiments, harness.Pause) && !harness.CanPause() {
		fmt.Fprintln(con.out, "the pause experiment is left out: this system has no signals that stop a process")
	}
	if len(cells) == 0 {
		return nil, "", usageError(errors.New("nothing to measure: no cell fits these flags"))
	}
	dir, err := runFolder(con.out, out, kind, plan)
	if err != nil {
		return nil, "", err
	}
	fmt.Fprintf(con.out, "plan: %d cells, %d contestants, about %v; data and charts go to %s\n",
		len(cells), len(plan.Contestants), round(harness.Time(cells)), dir)
	progress := newProgress(con.err, cells)
	notes := []harness.Param{{Key: "command", Value: strings.TrimSpace("bench " + strings.Join(con.args, " "))}}
	data, err := harness.Run(con.ctx, plan, filepath.Join(dir, dataDir), notes, progress.cell)
	progress.end()
	switch {
	case errors.Is(err, context.Canceled):
		err = interruption(fmt.Sprintf("interrupted: %d of %d cells are kept in %s; the same command with --out %s goes on from there, and \"bench plot %s\" shows what there is",
			progress.kept, len(cells), dir, dir, dir))
	case errors.Is(err, harness.ErrOtherPlan):
		err = usageError(fmt.Errorf("--out: %w; choose another folder", err))
	}
	return data, dir, err
}

// runFolder returns where to write, and says if that is not what one may expect: as told,
// with room made where there is a run of the same plan by another build or in another
// environment; or where an unfinished run is that can go on; or a new folder named after
// the kind of run and the time.
func runFolder(w io.Writer, out folder, kind string, plan *harness.Plan) (string, error) {
	const root = "results"
	if out != "" {
		to, changed, err := harness.SetAside(filepath.Join(string(out), dataDir), plan)
		if to != "" && err == nil {
			fmt.Fprintf(w, "%s holds a run by another build or in another environment (%s): it is kept in %s, and this one starts anew\n",
				out, strings.Join(changed, ", "), filepath.Dir(to))
		}
		return string(out), err
	}
	begun := harness.Unfinished(filepath.Join(root, "*", dataDir), plan)
	for _, b := range begun {
		if len(b.Changed) == 0 {
			return filepath.Dir(b.Dir), nil
		}
	}
	if len(begun) > 0 {
		fmt.Fprintf(w, "the unfinished run in %s cannot go on, since it was begun by another build or in another environment (%s): this one starts anew\n",
			filepath.Dir(begun[0].Dir), strings.Join(begun[0].Changed, ", "))
	}
	return harness.NewFolder(filepath.Join(root, kind+"-"+time.Now().UTC().Format("20060102-150405")))
}

const (
	dataDir   = "data"   // measurements, in a run's folder
	chartsDir = "charts" // what is drawn of them
)

// reportFlags say how to judge and draw.
type reportFlags struct {
	P99 time.Duration `name:"p99" help:"Requirement: lateness at the 99th percentile at most this." default:"20ms"`
	CPU percent       `help:"Requirement: share of a core that idle ticks may use at most." default:"2%"`
	SVG bool          `help:"Also draw the charts as SVG."`
}

// requirement returns what the recommended tick must meet.
func (f *reportFlags) requirement() (report.Requirement, error) {
	if f.P99 <= 0 {
		return report.Requirement{}, usageError(fmt.Errorf("--p99 %v, want a positive duration", f.P99))
	}
	return report.Requirement{P99: f.P99, CPUShare: float64(f.CPU)}, nil
}

// show prints tables and verdict, and a recommended tick if there is a requirement,
// and draws the charts.
func show(w io.Writer, data *harness.Data, dir string, req report.Requirement, svg bool) error {
	if err := report.Tables(w, data); err != nil {
		return err
	}
	verdict := report.Verdict(data, req)
	fmt.Fprintln(w, "\nVERDICT")
	for _, l := range verdict.Lines {
		fmt.Fprintln(w, "-", l)
	}
	if req != (report.Requirement{}) {
		fmt.Fprintln(w, "\nRECOMMENDED TICK")
		fmt.Fprintln(w, verdict.Recommendation.Reason)
	}
	names, err := report.Charts(data, filepath.Join(dir, chartsDir), report.ChartOptions{
		SVG: svg, Recommended: verdict.Recommendation.Waking, Requirement: req})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\ncharts: %s: %s\ndata:   %s (benchstat reads the .bench files)\n",
		filepath.Join(dir, chartsDir), strings.Join(names, " "), filepath.Join(dir, dataDir))
	return err
}

// saySaved says where charts are, if there are any.
func saySaved(w io.Writer, what, dir string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s: %s: %s\n", what, dir, strings.Join(names, " "))
	return err
}

// plotCmd draws again.
type plotCmd struct {
	reportFlags
	Dir folder `arg:"" help:"Folder of a run."`
}

// Run loads the data of a run and reports it.
func (c *plotCmd) Run(con *console) error {
	req, err := c.requirement()
	if err != nil {
		return err
	}
	dir := string(c.Dir)
	data, err := harness.Load(filepath.Join(dir, dataDir))
	if err != nil {
		return err
	}
	if !data.Complete {
		fmt.Fprintf(con.out, "the run in %s is not complete%s: what there is follows\n", dir, missing(data))
	}
	return show(con.out, data, dir, req, c.SVG)
}

// missing says which cells a run lacks: the first few by name.
func missing(data *harness.Data) string {
	const few = 3
	n := len(data.Missing)
	if n == 0 {
		return ""
	}
	text := "; it lacks " + strings.Join(data.Missing[:min(n, few)], ", ")
	if n > few {
		text += fmt.Sprintf(" and %d more", n-few)
	}
	return text
}

// pausedCmd is the process that the pause experiment stops.
type pausedCmd struct {
	Contestant string `arg:""`
}

// Run runs the contestant's timers and writes what became of them.
func (c *pausedCmd) Run(con *console) error {
	found, err := catalog.Find([]string{c.Contestant}, con.own...)
	if err != nil {
		return usageError(err)
	}
	return harness.RunPaused(con.out, found[0])
}

// pausedEnv marks the processes that are started to be stopped, so that the
// program of the tests knows that it is one.
const pausedEnv = "SCHEDBENCH_PAUSED"

// pausedChild makes the command of a process that runs pausedCmd.
func pausedChild(ctx context.Context, contestant string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, "paused", contestant)
	cmd.Env = append(os.Environ(), pausedEnv+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}
