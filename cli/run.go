package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/report/card"
	"schedbench/internal/report/page"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

type runCmd struct {
	planFlags
	reportFlags
	groupFlag
	DataOnly bool   `help:"Measure only: \"bench plot\" can draw and judge later."`
	Out      folder `help:"Folder for data and charts. By default a new one under results, or the one of an unfinished run of the same plan by the same build in the same environment." placeholder:"DIR"`
}

// Run measures the plan, or what an earlier run left of it, and reports.
func (c *runCmd) Run(con *console) error {
	c.group = c.Only
	plan, err := c.plan(con.Contestants)
	if err != nil {
		return usageError(err)
	}
	if rules, about := broken(con, plan.Contestants), plan.About; len(rules) > 0 {
		plan.About = func(p *harness.Plan) []rundata.Param { return append(about(p), rules...) }
	}
	data, dir, err := measure(con, plan, c.Out, "run", plotDir)
	if err != nil || c.DataOnly {
		return err
	}
	return c.show(con, data, c.options(), dir, c.Published)
}

// measure measures a plan, or what an earlier run left of it, and prints the plan. It also returns the folder: out, or one
// named after the kind of run. The error of an interruption names the command that shows the data.
func measure(con *console, plan *harness.Plan, out folder, kind, shows string) (*rundata.Data, string, error) {
	data, dir, kept, err := measureBlocks(con, plan, out, kind)
	switch {
	case errors.Is(err, context.Canceled):
		err = interruption(fmt.Sprintf("interrupted: %s in %s; the same command with --out %s goes on from there, and \"bench %s %s\" shows what there is",
			words.Verb(kept, "block is kept", "blocks are kept"), dir, typed(dir), shows, typed(dir)))
	case errors.Is(err, rundata.ErrOtherPlan), errors.Is(err, rundata.ErrOtherBuild):
		err = usageError(fmt.Errorf("--out: %w; choose another folder", err))
	}
	return data, dir, err
}

// measureBlocks is measure without its words on errors. kept is the number of blocks that are kept. A process that has
// an order only obeys it.
func measureBlocks(con *console, plan *harness.Plan, out folder, kind string) (data *rundata.Data, dir string, kept int, err error) {
	plan.Rough = plan.Rough || con.rough
	if con.processes {
		plan.Start = func(ctx context.Context, o blocks.Order) *exec.Cmd { return blocks.Command(ctx, o, con.args...) }
	}
	if o, ok := blocks.Ordered(); ok {
		return nil, "", 0, cmp.Or(harness.Obey(con.ctx, plan, o, os.Stdin, os.Stdout), error(answered(0)))
	}
	cells := plan.Cells()
	if len(cells) == 0 {
		said := "nothing to measure: no cell fits these flags"
		if slices.Contains(plan.Experiments, rundata.Tails) {
			said += "; tails has cells of " + experiments.TailsHold()
		}
		return nil, "", 0, usageError(errors.New(said))
	}
	if dir, err = runFolder(con.err, out, kind, plan); err != nil {
		return nil, "", 0, err
	}
	size := words.Many(len(cells), "cell")
	if n := len(plan.Contestants); n > 0 { // custom cells have their own
		size += ", " + words.Many(n, "contestant")
	}
	fmt.Fprintf(con.err, "plan: %s, about %v; data and charts go to %s\n", size, round(plan.Time()), dir)
	progress := newProgress(con.err)
	notes := []rundata.Param{{Key: "command", Value: strings.Join(append([]string{"bench"}, lists.Each(con.args, typed)...), " ")}}
	data, err = harness.Run(con.ctx, plan, filepath.Join(dir, dataDir), notes, progress.block)
	progress.end()
	if err == nil && !progress.begun {
		fmt.Fprintf(con.err, "%s holds the whole run already: nothing was measured\n", dir)
	}
	if err != nil {
		if d, _ := rundata.Load(filepath.Join(dir, dataDir)); d != nil {
			progress.kept = len(d.SystemLoad) // an interrupted block counts if some of its cells are complete
		}
	}
	return data, dir, progress.kept, err
}

// runFolder returns the folder to write into: the given one, that of an unfinished run that can go on, or a new one.
func runFolder(w io.Writer, out folder, kind string, plan *harness.Plan) (string, error) {
	if out != "" {
		_, err := rundata.CheckPlan(filepath.Join(string(out), dataDir), plan.Fingerprint())
		return string(out), err
	}
	begun := rundata.Unfinished(filepath.Join(resultsDir, "*", dataDir), plan.Fingerprint())
	for _, b := range begun {
		if len(b.Changed) == 0 {
			return filepath.Dir(b.Dir), nil
		}
	}
	if len(begun) > 0 {
		fmt.Fprintf(w, "starting a new run: the unfinished run in %s is of another build or environment (%s)\n",
			filepath.Dir(begun[0].Dir), strings.Join(begun[0].Changed, ", "))
	}
	return newFolder(kind)
}

func newFolder(kind string) (string, error) {
	return rundata.NewFolder(filepath.Join(resultsDir, kind+"-"+time.Now().UTC().Format("20060102-150405")))
}

const (
	resultsDir = "results" // folders of runs
	plotDir    = "plot"    // the command that shows a folder of a run

	dataDir   = "data" // measurements, in a run's folder
	chartsDir = "charts"

	answersFile = "answers.csv" // every comparison behind the verdict
	reportFile  = "report.txt"  // the card, all tables and the verdict
	readmeFile  = "README.md"   // the card, the verdict and the charts
	pageFile    = "report.html" // the page
)

// reportFlags say how to judge and draw.
type reportFlags struct {
	P99 time.Duration `name:"p99" help:"Requirement: lateness at the 99th percentile at most this." default:"20ms"`
	CPU percent       `help:"Requirement: share of a core that idle ticks may use at most." default:"2%"`
	judgeFlags
}

// judgeFlags say how to judge and draw where no tick is recommended.
type judgeFlags struct {
	Margin percent `help:"Contestants that differ by no more than this are as fast." default:"10%"`
	Tables bool    `help:"Print all tables and the verdict too, after the card: what report.txt has." xor:"printed"`
	JSON   bool    `name:"json" help:"Print the facts of the card as JSON, and nothing else." xor:"printed"`
}

// options returns how to judge and draw without a requirement.
func (f *judgeFlags) options() report.Options {
	return report.Options{Margin: 1 + float64(f.Margin)}
}

func (f *reportFlags) options() report.Options {
	opt := f.judgeFlags.options()
	opt.Requirement = tune.Requirements{Lateness: f.P99, CPU: float64(f.CPU)}
	return opt
}

// show judges a run, writes its charts and answers, with README.md if asked for, and prints its card, tables or facts. Wrong
// answers are an error.
func (f *judgeFlags) show(con *console, data *rundata.Data, opt report.Options, dir string, readme bool) error {
	if con.rough { // the charts of tests are small
		opt.DPI = 24
	}
	r := report.Judge(data, opt)
	kept, err := keep(r, dir, readme), error(nil)
	switch {
	case f.JSON:
		e := json.NewEncoder(con.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(r.Card())
	case f.Tables:
		err = writeReport(commandWriter{con.out, con.called}, r)
	default:
		files := []string{pageFile, reportFile + " (tables)", chartsDir + "/", dataDir + "/*.bench.gz (benchstat)", answersFile}
		err = r.Card().Write(con.out, card.Style{Files: dir + ": " + strings.Join(files, " · "), Program: con.called})
	}
	return errors.Join(err, r.WrongAnswers(), kept)
}

func writeReport(w io.Writer, r *report.Report) error {
	if err := r.Card().Write(w, card.Style{}); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := r.Tables(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nVERDICT")
	for _, l := range r.Verdict() {
		fmt.Fprintln(w, "-", l)
	}
	return nil
}

// keep writes charts, tables, verdict and answers of a run into its folder.
func keep(r *report.Report, dir string, readme bool) error {
	files := map[string]func(io.Writer) error{
		answersFile: r.WriteAnswers,
		reportFile:  func(w io.Writer) error { return writeReport(w, r) },
		pageFile:    func(w io.Writer) error { return page.Write(w, r) },
	}
	if readme {
		files[readmeFile] = r.WriteReadme
	}
	_, err := r.Charts(filepath.Join(dir, chartsDir))
	for name, write := range files {
		var text bytes.Buffer
		if err = cmp.Or(err, write(&text)); err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644)
		}
	}
	return err
}

type plotCmd struct {
	reportFlags
	Readme bool   `help:"Also write README.md: the card, the verdict and the charts."`
	Dir    folder `arg:"" optional:"" help:"Folder of a run; by default the one under results that was measured last."`
}

// Run loads the data of a run and reports it.
func (c *plotCmd) Run(con *console) error {
	dir, err := c.Dir.orNewest(filepath.Join(dataDir, rundata.RunName))
	if err != nil {
		return err
	}
	data, err := rundata.Load(filepath.Join(dir, dataDir))
	if err != nil {
		return usageError(err)
	}
	if !data.Complete {
		fmt.Fprintf(con.err, "the run in %s is not complete%s: what there is follows\n", dir, missing(data))
	}
	return c.show(con, data, c.options(), dir, c.Readme)
}

// missing counts the cells that a run lacks, and names the first few.
func missing(data *rundata.Data) string {
	if len(data.Missing) == 0 {
		return ""
	}
	return "; it lacks " + words.Few(3, data.Missing)
}
