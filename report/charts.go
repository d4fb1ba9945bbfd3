package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"schedbench/harness"
)

// resolution of the PNG files, in dots per inch.
const resolution = 192

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
		written, err := f.save(dir, opt.SVG)
		names = append(names, written...)
		if err != nil {
			return names, fmt.Errorf("chart %s: %w", f.name, err)
		}
	}
	return names, nil
}

// figures returns the charts that have something to show.
func (v *view) figures(opt ChartOptions) []*figure {
	var all []*figure
	for _, op := range v.ops() {
		all = append(all, v.costFigure(op))
	}
	all = append(all,
		v.heatFigure(), v.livePairFigure(), v.parallelFigure(), v.workFigure(),
		v.latenessFigure(), v.slowFigure(), v.burstFigure(), v.drainFigure(), v.pauseFigure(), v.tradeoffFigure(opt), v.systemsFigure(opt), v.waitingFigure(), v.slackFigure(), v.idleFigure(),
		v.memoryFigure(), v.horizonFigure(), v.gcFigure(), v.controlFigure())
	var kept []*figure
	for _, f := range all {
		if f.prepare() {
			f.subtitle = sentences(f.subtitle, v.machine())
			f.footer = v.provenance()
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

// save writes the figure into a directory, as PNG and as SVG if asked for.
func (f *figure) save(dir string, svg bool) ([]string, error) {
	if err := write(filepath.Join(dir, f.name+".png"), f.png); err != nil {
		return nil, err
	}
	if !svg {
		return []string{f.name + ".png"}, nil
	}
	err := write(filepath.Join(dir, f.name+".svg"), f.svg)
	return []string{f.name + ".png", f.name + ".svg"}, err
}

func (f *figure) png(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(resolution))
	f.draw(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// svg embeds its fonts, because text would overflow in any other.
func (f *figure) svg(w io.Writer) error {
	c := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height), vgsvg.EmbedFonts(true))
	f.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// write makes a file.
func write(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// inches of a figure's side.
func inches(n float64) vg.Length { return vg.Length(n) * vg.Inch }
