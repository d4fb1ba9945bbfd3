package page

import (
	"html/template"

	"schedbench/internal/report"
	"schedbench/internal/report/chart"
)

// pageSection is one of the sections of a page.
type pageSection struct {
	Name, Title, Command string
	Parts                []part
}

// part is what is under a heading in a section.
type part struct {
	Heading string
	// Sentences are those that matter most, and Further all others.
	Sentences, Further []string
	Drawings           []pageChart
	Tables             []table
}

// pageChart is a chart as an element, with what is written around it.
type pageChart struct {
	Title, Subtitle string
	SVG             template.HTML
	// Least is how many pixels wide it has to be for its letters to be read.
	Least int
}

// unfolded is how many sentences of a part are read without being asked for.
const unfolded = 4

func sectionsOf(all []report.Section) (list []pageSection, err error) {
	for _, s := range all {
		of := pageSection{Name: s.Name, Title: s.Title, Command: s.Command}
		for _, p := range s.Parts {
			most := min(len(p.Sentences), unfolded)
			to := part{Heading: p.Heading, Sentences: p.Sentences[:most], Further: p.Sentences[most:]}
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
	d := pageChart{Subtitle: f.Subtitle, SVG: template.HTML(svg), Least: int(0.85 * f.Width.Dots(pixels))} // its texts are escaped
	if f.Title != p.Heading {
		d.Title = f.Title
	}
	return d, err
}

// pixels of a page are so many to an inch.
const pixels = 96

// altLength is how long an alternative text should be at most, in bytes: those who hear it
// have the sentences beside the chart too.
const altLength = 600

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
