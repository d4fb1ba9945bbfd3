package page

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"schedbench/internal/report"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// pageSection is one of the sections of a page.
type pageSection struct {
	Name, Title, Command string
	Parts                []part
}

// part is what is under a heading in a section.
type part struct {
	Name, Heading string
	// Sentences are read without being asked for; Further and Tables are folded.
	Sentences, Further []string
	Drawings           []pageChart
	Tables             []table
	Shown              *table
	// Broad parts have the width of the page.
	Broad bool
}

// Folded says what is folded, "" if nothing is.
func (p part) Folded() string {
	var said []string
	for _, n := range []struct {
		of   int
		what string
	}{{len(p.Further), "sentence"}, {len(p.Tables), "table"}} {
		if n.of > 0 {
			said = append(said, words.Many(n.of, n.what))
		}
	}
	return strings.Join(said, ", ")
}

// pageChart is a chart as elements, with what is written around them. Panels beyond a few are
// folded.
type pageChart struct {
	Title, Subtitle string
	Keys            []key
	Panels, Further []drawing
	Alone           bool
}

type key struct {
	Sample template.HTML
	Name   string
}

// drawing is an element. Least is how many pixels wide it has to be for its letters to be read.
type drawing struct {
	SVG   template.HTML
	Least int
}

// mostPanels is how many panels of a chart are not folded.
const mostPanels = 1

// mostRows is how many rows of a table are not folded.
const mostRows = 8

// broadFrom is the width in pixels from which on a drawing has the width of the page.
const broadFrom = 600

func sectionsOf(all []report.Section, classes *classes) (list []pageSection, err error) {
	for _, s := range all {
		of := pageSection{Name: s.Name, Title: s.Title, Command: s.Command}
		for _, p := range s.Parts {
			to, err := partOf(p, classes)
			if err != nil {
				return nil, err
			}
			of.Parts = append(of.Parts, to)
		}
		list = append(list, of)
	}
	return list, nil
}

func partOf(p report.Part, classes *classes) (part, error) {
	most := min(len(p.Sentences), 1)
	to := part{Name: p.Name, Heading: p.Heading, Sentences: p.Sentences[:most], Further: p.Sentences[most:]}
	for _, f := range p.Figures {
		d, err := drawingOf(f, p, classes)
		if err != nil {
			return to, err
		}
		to.Drawings = append(to.Drawings, d)
		to.Broad = to.Broad || len(d.Panels) == 1 && d.Panels[0].Least > broadFrom
	}
	for _, t := range p.Tables {
		to.Tables = append(to.Tables, tableOf(t))
	}
	if p.Shown != nil {
		shown := tableOf(p.Shown)
		if to.Shown, to.Broad = &shown, true; len(shown.Groups) > mostRows {
			to.Tables = append(to.Tables, shown)
			shown.Groups = shown.Groups[:mostRows]
		}
	}
	return to, nil
}

// drawingOf draws a chart. Its title is written where it is not the heading.
func drawingOf(f *chart.Figure, p report.Part, classes *classes) (pageChart, error) {
	in, err := f.Inline(alt(f, p))
	d := pageChart{Subtitle: f.Subtitle, Alone: len(in.Panels) == 1}
	for _, k := range in.Keys { // the texts of elements are escaped
		d.Keys = append(d.Keys, key{template.HTML(classes.of(k.Sample)), k.Name})
	}
	for i, panel := range in.Panels {
		one := drawing{SVG: template.HTML(classes.of(panel.SVG))}
		if f.Heat != nil {
			one.Least = panel.Width * 85 / 100
		}
		if i < mostPanels {
			d.Panels = append(d.Panels, one)
		} else {
			d.Further = append(d.Further, one)
		}
	}
	if f.Title != p.Heading {
		d.Title = f.Title
	}
	return d, err
}

// classes are the styles of elements, each once.
type classes struct {
	names map[string]string
	rules strings.Builder
}

var styleAttribute = regexp.MustCompile(` style="([^"]*)"`)

// of returns an element with classes in place of its styles.
func (c *classes) of(svg string) string {
	return styleAttribute.ReplaceAllStringFunc(svg, func(attribute string) string {
		of := styleAttribute.FindStringSubmatch(attribute)[1]
		name, known := c.names[of]
		if !known {
			if c.names == nil {
				c.names = map[string]string{}
			}
			name = fmt.Sprintf("c%d", len(c.names))
			c.names[of] = name
			fmt.Fprintf(&c.rules, ".%s{%s}", name, of)
		}
		return ` class="` + name + `"`
	})
}

// altLength is how long an alternative text should be at most, in bytes: those who hear it
// have the sentences beside the chart too.
const altLength = 300

// alt says what a chart shows: its question, and what it comes to, in whole sentences.
// Where nothing was said of it, it is described.
func alt(f *chart.Figure, p report.Part) string {
	said := f.Title
	for i, s := range p.Sentences {
		if i > 0 && len(said)+len(s) > altLength {
			break
		}
		said += " " + s
	}
	if len(p.Sentences) == 0 {
		said += " " + f.Describe()
	}
	return said
}
