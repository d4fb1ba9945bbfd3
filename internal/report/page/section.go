package page

import (
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// pageSection is a section with its parts as a page shows them.
type pageSection struct {
	report.Section
	Parts []part
}

// part is what is under a heading in a section.
type part struct {
	Heading string
	// Sentences are read without being asked for; Further and Tables are folded.
	Sentences, Further []string
	Drawings           []pageChart
	Tables             []*text.Table
	// Broad parts have the width of the page.
	Broad bool
}

// Columns is in how many columns parts may flow: one for each that is neither broad nor folded altogether.
func (s pageSection) Columns() int {
	return max(1, len(lists.Only(s.Parts, func(p part) bool { return p.rank() == flows })))
}

// flows is the rank of parts in columns. Broad parts come before them, and those that are folded altogether after them:
// between columns each would leave one half empty.
const flows = 1

func (p part) rank() int {
	switch {
	case p.Broad:
		return flows - 1
	case p.Bare():
		return flows + 1
	}
	return flows
}

// Folded says what is folded, "" if nothing is.
func (p part) Folded() string {
	charts, rest := 0, ""
	for _, d := range p.Drawings {
		charts += len(d.Further)
		if d.Subtitle != "" {
			rest = "what is shown"
		}
	}
	some := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return words.Many(n, what)
	}
	said := words.Said(some(charts, "more chart"), some(len(p.Further), "sentence"), some(len(p.Tables), "table"))
	return cmp.Or(strings.Join(said, ", "), rest)
}

// Lone reports whether a table is all that is folded: a second click would only unfold its title.
func (p part) Lone() bool { return p.Folded() == words.Many(1, "table") }

// Bare reports whether a part has nothing to read before it is unfolded.
func (p part) Bare() bool {
	return len(p.Sentences) == 0 && len(p.Drawings) == 0 && p.Folded() != ""
}

// pageChart is a chart as elements, with what is written around them. All panels but the first are folded, but for those of
// a heat map.
type pageChart struct {
	Title, Subtitle string
	Note            string // how to read its cells
	Keys            []chart.Key
	Panels, Further []chart.Drawing
	Alone           bool
}

// broadFrom is the width in pixels from which on a drawing has the width of the page, narrow that of a phone without margins.
const broadFrom, narrow = 450, 368

// leastWidth returns how many pixels wide a drawing has to be for its letters to be read; 0 fits everywhere.
func leastWidth(d chart.Drawing) int {
	if d.Width <= broadFrom {
		return 0
	}
	return d.Width * 3 / 4
}

func sectionsOf(all []report.Section, classes *classes) (list []pageSection) {
	for _, s := range all {
		of := pageSection{Section: s}
		for _, p := range s.Parts {
			of.Parts = append(of.Parts, partOf(p, classes))
		}
		slices.SortStableFunc(of.Parts, func(a, b part) int { return a.rank() - b.rank() })
		list = append(list, of)
	}
	return list
}

func partOf(p report.Part, classes *classes) part {
	first := min(1, len(p.Sentences))
	to := part{Heading: p.Heading, Sentences: p.Sentences[:first], Further: p.Sentences[first:], Tables: p.Tables}
	for _, f := range p.Figures {
		d := drawingOf(f, p, classes)
		to.Drawings = append(to.Drawings, d)
		to.Broad = to.Broad || leastWidth(d.Panels[0]) > 0
	}
	if len(to.Drawings) == 1 { // which asks what the part answers
		d := &to.Drawings[0]
		to.Heading, d.Title = cmp.Or(d.Title, to.Heading), ""
	}
	return to
}

// drawingOf draws a chart. Its title is written where it is not the heading.
func drawingOf(f *chart.Figure, p report.Part, classes *classes) pageChart {
	in := f.Inline(f.Title + " (the tables have the figures of this chart)")
	for i, k := range in.Keys {
		in.Keys[i].Sample = classes.of(k.Sample)
	}
	for i, panel := range in.Panels {
		in.Panels[i].SVG = classes.of(panel.SVG)
	}
	d := pageChart{Subtitle: f.Subtitle, Keys: in.Keys, Panels: in.Panels[:1], Further: in.Panels[1:], Alone: len(in.Panels) == 1}
	if f.Title != p.Heading {
		d.Title = f.Title
	}
	if f.Heat != nil {
		d.Note, d.Subtitle, d.Panels, d.Further = f.Subtitle, "", in.Panels, nil
	}
	return d
}

// classes are the styles of elements, each once.
type classes struct{ styles []string }

// rules returns the classes as a style sheet: numbers and colours of the drawings.
func (c *classes) rules() (sheet template.CSS) {
	for i, style := range c.styles {
		sheet += template.CSS(fmt.Sprintf(".c%d{%s}", i, style))
	}
	return sheet
}

var styleAttribute = regexp.MustCompile(` style="([^"]*)"`)

// of returns an element with classes in place of its styles.
func (c *classes) of(svg string) string {
	return styleAttribute.ReplaceAllStringFunc(svg, func(attribute string) string {
		of := styleAttribute.FindStringSubmatch(attribute)[1]
		at := slices.Index(c.styles, of)
		if at < 0 {
			at, c.styles = len(c.styles), append(c.styles, of)
		}
		return fmt.Sprintf(` class="c%d"`, at)
	})
}
