package report

import (
	"fmt"
	"os"
	"strings"

	"schedbench/harness"
	"schedbench/report/chart"
)

// ChartOptions says what the charts show besides the data.
type ChartOptions struct {
	// SVG asks for an SVG file beside each PNG.
	SVG bool
	// Recommended is the waking label of the tick to mark, such as 5ms, and ""
	// for none.
	Recommended string
	// Requirement is drawn on the chart of the trade-off.
	Requirement Requirement
}

// Charts writes all charts that the data allow into a directory, which it
// makes if need be, and returns the names of the files.
func Charts(d *harness.Data, dir string, opt ChartOptions) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range newView(d).figures(opt) {
		written, err := f.Save(dir, opt.SVG)
		names = append(names, written...)
		if err != nil {
			return names, fmt.Errorf("chart %s: %w", f.Name, err)
		}
	}
	return names, nil
}

// figures returns the charts that have something to show.
func (v *view) figures(opt ChartOptions) []*chart.Figure {
	var all []*chart.Figure
	for _, op := range v.ops() {
		all = append(all, v.costFigure(op))
	}
	all = append(all,
		v.heatFigure(), v.livePairFigure(), v.parallelFigure(), v.workFigure(),
		v.latenessFigure(), v.slowFigure(), v.burstFigure(), v.drainFigure(), v.pauseFigure(), v.tradeoffFigure(opt), v.systemsFigure(opt), v.waitingFigure(), v.slackFigure(), v.idleFigure(),
		v.memoryFigure(), v.horizonFigure(), v.gcFigure(), v.controlFigure())
	var kept []*chart.Figure
	for _, f := range all {
		if f.Prepare() {
			f.Subtitle = sentences(f.Subtitle, v.machine())
			f.Footer = v.provenance()
			kept = append(kept, f)
		}
	}
	return kept
}

// sentences puts a full stop between texts that are not empty.
func sentences(texts ...string) string {
	var said []string
	for _, t := range texts {
		if t != "" {
			said = append(said, strings.TrimSuffix(t, ".")+".")
		}
	}
	return strings.Join(said, " ")
}

// machine says what the run was made on.
func (v *view) machine() string {
	env := v.data.Env
	var parts []string
	add := func(format, key string) {
		if env[key] != "" {
			parts = append(parts, fmt.Sprintf(format, env[key]))
		}
	}
	add("%s", "cpu")
	add("GOMAXPROCS %s", "gomaxprocs")
	if env["goos"] != "" && env["goarch"] != "" {
		parts = append(parts, env["goos"]+"/"+env["goarch"])
	}
	add("kernel %s", "kernel")
	return strings.Join(parts, ", ")
}

// provenance says how to make the same run again.
func (v *view) provenance() string {
	env := v.data.Env
	parts := []string{"schedbench"}
	for _, key := range []string{"commit", "seed", "date"} {
		if env[key] != "" {
			parts = append(parts, key+" "+env[key])
		}
	}
	for _, key := range []string{"go-version", "command"} {
		if env[key] != "" {
			parts = append(parts, env[key])
		}
	}
	if !v.data.Complete {
		parts = append(parts, "run not complete")
	}
	return strings.Join(parts, "  ·  ")
}
