package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"schedbench/harness"
	"schedbench/report"
)

// runCmd measures.
type runCmd struct {
	planFlags
	reportFlags
	Out string `help:"Folder for data and charts. By default a new one under results, or the one of an unfinished run of the same plan." placeholder:"DIR" type:"path"`
}

// Run measures the plan, or what an earlier run has left of it, and reports.
func (c *runCmd) Run(con *console) error {
	req, err := c.requirement()
	if err != nil {
		return err
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	dir := c.folder(plan)
	cells := plan.Cells()
	fmt.Fprintf(con.out, "plan: %d cells, %d contestants, about %v; data and charts go to %s\n",
		len(cells), len(plan.Contestants), round(harness.Time(cells)), dir)
	if slices.Contains(plan.Experiments, harness.Pause) && !harness.CanPause() {
		fmt.Fprintln(con.out, "the pause experiment is left out: this system has no signals that stop a process")
	}
	if len(cells) == 0 {
		return usageError(errors.New("nothing to measure: no cell fits these flags"))
	}
	progress := newProgress(con.err, cells)
	notes := []harness.Param{{Key: "command", Value: strings.TrimSpace("bench " + strings.Join(con.args, " "))}}
	data, err := harness.Run(con.ctx, plan, filepath.Join(dir, dataDir), notes, progress.cell)
	progress.end()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: %d of %d cells are kept in %s; the same command with --out %s goes on from there, and \"bench plot %s\" shows what there is (%w)",
			progress.kept, len(cells), dir, dir, dir, context.Canceled)
	case errors.Is(err, harness.ErrOtherPlan):
		return usageError(fmt.Errorf("--out: %w; choose another folder", err))
	case err != nil:
		return err
	}
	return c.report(con.out, data, dir, req)
}

// folder returns where to write: as told, or where an unfinished run of the
// same plan is, or a new folder.
func (c *runCmd) folder(plan *harness.Plan) string {
	const root = "results"
	if c.Out != "" {
		return c.Out
	}
	if dir := harness.Unfinished(filepath.Join(root, "*", dataDir), plan); dir != "" {
		return filepath.Dir(dir)
	}
	return filepath.Join(root, "run-"+time.Now().UTC().Format("20060102-150405"))
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

// report prints tables and verdict and draws the charts.
func (f *reportFlags) report(w io.Writer, data *harness.Data, dir string, req report.Requirement) error {
	if err := report.Tables(w, data); err != nil {
		return err
	}
	verdict := report.Verdict(data, req)
	fmt.Fprintln(w, "\nVERDICT")
	for _, l := range verdict.Lines {
		fmt.Fprintln(w, "-", l)
	}
	fmt.Fprintln(w, "\nRECOMMENDED TICK")
	fmt.Fprintln(w, verdict.Recommendation.Reason)
	charts, err := report.Charts(data, filepath.Join(dir, chartsDir), report.ChartOptions{
		SVG: f.SVG, Recommended: verdict.Recommendation.Waking, Requirement: req})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\ncharts: %s: %s\ndata:   %s (benchstat reads the .bench files)\n",
		filepath.Join(dir, chartsDir), strings.Join(charts, " "), filepath.Join(dir, dataDir))
	return nil
}
