package page

import (
	"cmp"
	"html/template"
	"strings"

	"schedbench/report"
	"schedbench/report/chart"
)

// pageSection is one of the sections of a page.
type pageSection struct {
	Name, Title, Command string
	Parts                []part
}

// part is what is under a heading in a section.
type part struct {
	Heading   string
	Sentences []string
	Drawings  []pageChart
	Tables    []table
}

// pageChart is a chart as an element, with what is written around it.
type pageChart struct {
	Title, Subtitle string
	SVG             template.HTML
}

func sectionsOf(all []report.Section) (list []pageSection, err error) {
	for _, s := range all {
		of := pageSection{Name: s.Name, Title: s.Title, Command: s.Command}
		for _, p := range s.Parts {
			to := part{Heading: p.Heading, Sentences: p.Sentences}
			for _, f := range p.Figures {
				d, err := drawingOf(f, p)
				if err != nil {
					return nil, err
				}
				to.Drawings = append(to.Drawings, d)
			}
			for _, t := range p.Tables {
				to.Tables = append(to.Tables, tableOf(t))
			}
			of.Parts = append(of.Parts, to)
		}
		list = append(list, of)
	}
	return list, nil
}

// drawingOf draws a chart. Its title is written where it is not the heading.
func drawingOf(f *chart.Figure, p report.Part) (pageChart, error) {
	svg, err := f.Inline(alt(f, p))
	d := pageChart{Subtitle: f.Subtitle, SVG: template.HTML(svg)} // whose texts are escaped
	if f.Title != p.Heading {
		d.Title = f.Title
	}
	return d, err
}

// alt says what a chart shows: its question, and what it comes to.
func alt(f *chart.Figure, p report.Part) string {
	said := cmp.Or(strings.Join(p.Sentences, " "), f.Subtitle)
	return strings.TrimSpace("Chart: " + f.Title + " " + said)
}
