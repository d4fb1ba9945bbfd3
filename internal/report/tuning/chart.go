package tuning

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/report/chart"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// Chart draws CPU against lateness into a directory, which it makes if need be. It returns the names of the files: none
// if nothing was measured. svg asks for an SVG file beside the PNG.
func (a *Answer) Chart(dir string, svg bool) ([]string, error) {
	env := map[string]string{}
	for _, p := range rundata.Environment() {
		env[p.Key] = p.Value
	}
	f := a.figure()
	report.Sign(f, env, true)
	if !f.Prepare() {
		return nil, nil
	}
	return chart.SaveAll([]*chart.Figure{f}, dir, svg)
}

// figure draws a point with its intervals for each candidate, the limits as lines, and the frontier.
func (a *Answer) figure() *chart.Figure {
	p := &chart.Panel{
		X:        chart.Axis{Label: "CPU of the timers, share of a core, lower is better", Log: true, Format: words.Share},
		Y:        chart.Axis{Label: fmt.Sprintf("lateness of %s %% of the timers, lower is better", words.Number(100*a.Requirements.Share())), Log: true, Format: words.Time},
		Levels:   chart.AtMost(float64(a.Requirements.Lateness), words.Nanos),
		Uprights: chart.AtMost(a.Requirements.CPU, words.Percent),
	}
	drawn := lists.Only(a.rows(), drawable)
	if front := frontier(drawn); len(front) > 1 {
		style := chart.Style{Colour: chart.RGB(0x999999), Dashes: chart.Dash(4, 3)}
		p.Lines = append(p.Lines, chart.Line{Name: "frontier", Style: style, Points: lists.Each(front, middle)})
	}
	for _, same := range lists.Groups(drawn, shortName) {
		name := shortName(same[0])
		p.Lines = append(p.Lines, chart.Line{Name: name, Style: styleOf(name), Loose: true, Points: lists.Each(same, point)})
	}
	for _, c := range drawn {
		p.Lines = append(p.Lines, chart.Line{
			Style: styleOf(shortName(c)), Points: []chart.Point{middle(c)}, Marked: []chart.Point{},
			Captions: []string{a.caption(c)}, Dispensable: c != a.Pick,
		})
	}
	subtitle := "Measured on the real clock, side by side; bars: 95 % intervals"
	if a.ByHeat != "" {
		subtitle = "CPU from a replay in virtual time; lateness is taken from the tick and the way of waiting, not measured"
	}
	return &chart.Figure{
		Name: "tune", Title: "Which scheduler and tick for " + a.Segment.Source.Name + "?", Subtitle: subtitle,
		Rows: [][]*chart.Panel{{p}}, Width: chart.Inches(9), Height: chart.Inches(5.5),
	}
}

func shortName(c *tune.Candidate) string { return cmp.Or(c.Name, c.Config.Scheduler) }

// styleOf returns the style of a scheduler or a preset, and one for all else.
func styleOf(name string) chart.Style {
	if s := report.StyleOf(name); s.Glyph != nil {
		return s
	}
	return chart.Style{Colour: chart.RGB(0x000000), Glyph: draw.RingGlyph{}}
}

// caption names a point by how it wakes.
func (a *Answer) caption(c *tune.Candidate) string {
	said := "pick: "
	if c != a.Pick {
		said = ""
	}
	switch {
	case c.Name != "" || c.Config.Scheduler == catalog.RuntimeTimer:
		return said + shortName(c)
	case c.Config.Waking == catalog.Ticking:
		said += "every " + words.Span(float64(c.Config.Tick))
	case c.Config.Tick > 0:
		said += "until due, " + words.Span(float64(c.Config.Tick))
	default:
		said += "until due"
	}
	if c.Config.Waiting == catalog.Precise {
		said += ", precise"
	}
	return said
}

// drawable reports whether logarithmic axes can show a candidate.
func drawable(c *tune.Candidate) bool {
	f := c.Final
	return f != nil && f.CPU.Value > 0 && f.Lateness.Value > 0 && !math.IsNaN(f.Lateness.Value)
}

func middle(c *tune.Candidate) chart.Point {
	return chart.At(c.Best().CPU.Value, c.Best().Lateness.Value*1e9)
}

// point returns the middle of a candidate with its intervals.
func point(c *tune.Candidate) chart.Point {
	f, p := c.Best(), middle(c)
	if f.Lateness.Low > 0 && !math.IsInf(f.Lateness.High, 1) {
		p.Low, p.High = f.Lateness.Low*1e9, f.Lateness.High*1e9
	}
	if f.CPU.Low > 0 && !math.IsInf(f.CPU.High, 1) {
		p.Left, p.Right = f.CPU.Low, f.CPU.High
	}
	return p
}

// frontier returns the candidates that no other beats in CPU and lateness at once, by rising CPU.
func frontier(all []*tune.Candidate) (front []*tune.Candidate) {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *tune.Candidate) int {
		return cmp.Compare(a.Best().CPU.Value, b.Best().CPU.Value)
	})
	for _, c := range sorted {
		if len(front) == 0 || c.Best().Lateness.Value < front[len(front)-1].Best().Lateness.Value {
			front = append(front, c)
		}
	}
	return front
}
