package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// Chapter asks about a program's own experiment, see harness.CustomCell. It has the forms of all others: a chart with
// a panel for each measure, a table, and for each measure a sentence on the contestant that takes least.
type Chapter struct {
	// Experiment names the series, and Name the file of the chart.
	Experiment, Name string
	// Title is what is asked, and Subtitle how it was measured.
	Title, Subtitle string
	// Against is the parameter on the x axis, a number or a duration, with the label Axis. Without it a line is level.
	Against, Axis string
	// Where names values of the parameter in a sentence: "with %s held".
	Where    string
	Measures []Measure
	// Spectrum adds a panel with the whole distribution of lateness for each value.
	Spectrum bool
	// Apart are the contestants that are shown but left out of the sentence.
	Apart []string
	// Pairs are compared with each other by sentences of their own, at the last value that both have.
	Pairs [][2]string
}

// Measure is a figure of each series.
type Measure struct {
	// Unit is that of the samples, and Name heads panels, columns and sentences.
	Unit, Name string
	// Takes says how a ratio is read: so many times "as long".
	Takes  string
	Format words.Format
	// Negligible is the difference that counts as none, in the unit.
	Negligible float64
}

func (q Chapter) grid(v *Report, unit string) grid {
	return grid{v.data.Select(q.Experiment), q.Against, nil, unit, v.each(v.names)}
}

// of returns the blocks of a contestant, impl=name, at a value of the parameter; those without the parameter are everywhere.
func (q Chapter) of(v *Report, impl, unit, value string) []float64 {
	return blocksOf(cmp.Or(v.one(q.Experiment, impl, q.Against+"="+value), v.one(q.Experiment, impl, q.Against+"=")), unit)
}

// chapter returns it in the form of those of this package.
func (q Chapter) chapter() chapter {
	return chapter{
		section: whatIdlingCosts, heading: q.Title,
		figures:   func(v *Report) []*chart.Figure { return []*chart.Figure{q.figure(v)} },
		tables:    func(v *Report) []*text.Table { return []*text.Table{q.table(v)} },
		measures:  q.measures,
		sentences: q.pairs,
	}
}

// figure has a panel for each measure, and one for the lateness at each value of the parameter.
func (q Chapter) figure(v *Report) *chart.Figure {
	panels := lists.Each(q.Measures, func(m Measure) *chart.Panel { return q.panel(v, m) })
	if q.Spectrum {
		panels = append(panels, q.grid(v, "").spectra("lateness, "+q.Where)...)
	}
	columns := min(len(panels), 3)
	if len(panels) > 6 {
		columns = 4
	}
	rows := chart.InRows(panels, columns)
	return &chart.Figure{
		Name: q.Name, Title: q.Title, Subtitle: words.Sentences(q.Subtitle, "Median and 95 % interval"), Rows: rows,
		Width: chart.Inches(4.6 + 3.4*float64(columns-1)), Height: chart.Inches(2) + chart.Inches(3.4)*vg.Length(len(rows)),
	}
}

// panel shows a measure of each contestant against the parameter.
func (q Chapter) panel(v *Report, m Measure) *chart.Panel {
	c := q.grid(v, m.Unit)
	p := c.panel(m.Name, q.Axis, chart.Axis{Label: "lower is better", Log: true, WithZero: true, Format: words.Tidy(m.Format)})
	level := func(name, impl, params string, colour color.Color) {
		if s := summary(v.one(q.Experiment, "impl="+impl, params), m.Unit); s.N > 0 {
			p.Levels = append(p.Levels, chart.Rule{At: s.Median, Name: name, Colour: colour})
		}
	}
	for _, name := range v.names {
		level(name, name, q.Against+"=", v.styles[name].Colour)
	}
	if len(c.values()) > 0 {
		level("idle process", rundata.ProcessControl, "impl="+rundata.ProcessControl, chart.Ink)
	}
	return p
}

func (q Chapter) table(v *Report) *text.Table {
	axis := column{q.Axis, func(s *rundata.Series) string {
		if n := number(s.Get(q.Against)); n > 0 {
			return words.Count(n)
		}
		return s.Get(q.Against)
	}}
	measures := lists.Each(q.Measures, func(m Measure) column { return median(m.Name, m.Unit, m.Format) })
	if q.Spectrum {
		measures = append(append(measures, lateWorst), answers...)
	}
	return tableOf(q.Title, 2, v.ordered(v.data.Select(q.Experiment)), []column{contestant, axis}, measures)
}

// measures are who takes least of each measure.
func (q Chapter) measures(v *Report) (all []measure) {
	for _, m := range q.Measures {
		t := measure{name: m.Name, takes: m.Takes, where: q.Where}
		names := lists.Only(v.names, func(name string) bool { return !slices.Contains(q.Apart, name) })
		for _, value := range q.grid(v, "").values() {
			blocks := func(params []string) []float64 { return q.of(v, params[0], m.Unit, value) }
			t.add(valueWords(value), m.Negligible, v.each(names), blocks)
		}
		all = append(all, t)
	}
	return all
}

// pairs says how the contestants of each pair compare. What is said of a pair holds together.
func (q Chapter) pairs(v *Report) (sentences []string) {
	for _, pair := range q.Pairs {
		var asked []judge.Pair
		var said, takes []string
		for _, m := range q.Measures {
			for _, value := range slices.Backward(q.grid(v, "").values()) {
				a, b := q.of(v, "impl="+pair[0], m.Unit, value), q.of(v, "impl="+pair[1], m.Unit, value)
				if len(a) > 0 && len(b) > 0 {
					asked = append(asked, judge.Pair{A: a, B: b, Terms: judge.Terms{Margin: v.opt.Margin, Negligible: m.Negligible}})
					said, takes = append(said, m.Name+" "+fmt.Sprintf(q.Where, valueWords(value))+", "), append(takes, m.Takes)
					break
				}
			}
		}
		for i, c := range judge.CompareTogether(asked, len(asked)) {
			switch c.Answer {
			case judge.AsFast:
				said[i] += takes[i] + " (" + intervalOf(c) + ")"
			case judge.Unclear:
				more := words.Many(c.More(), "more block")
				if c.More() >= judge.TooMany {
					more = fmt.Sprintf("more than %d more blocks", judge.TooMany)
				}
				said[i] += fmt.Sprintf("unclear (%s; %s)", intervalOf(c), more)
			default:
				said[i] += factorOf(c) + " " + takes[i]
			}
		}
		switch {
		case len(said) == 0:
			continue
		case !slices.ContainsFunc(asked, func(p judge.Pair) bool { return min(len(p.A), len(p.B)) > 1 }):
			said = []string{"unclear, since one block has no interval"}
		}
		sentences = append(sentences, fmt.Sprintf("%s compared with %s: %s.", pair[0], pair[1], strings.Join(said, "; ")))
	}
	return sentences
}

// intervalOf writes a ratio with its interval, if that says something.
func intervalOf(c judge.Comparison) string {
	if c.Blocks < 2 || c.High > judge.BeyondSense*c.Low {
		return fmt.Sprintf("%s, too few or too different %s", words.Times(c.Value), words.Many(c.Blocks, "block"))
	}
	return fmt.Sprintf("%s, %s to %s", words.Times(c.Value), words.Times(c.Low), words.Times(c.High))
}

// own returns the contestants from outside: neither of the catalog nor a known system.
func (v *Report) own() []string {
	systems := v.systems(v.names)
	return lists.Only(v.names, func(name string) bool { return !standard(name) && !slices.Contains(systems, name) })
}
