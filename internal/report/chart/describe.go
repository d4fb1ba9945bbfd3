package chart

import (
	"fmt"
	"strings"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// Describe says in words what a prepared figure shows, for readers who do not see it: where the lines of each
// panel end, or every figure of a heat map.
func (f *Figure) Describe() string {
	if f.Heat != nil {
		return words.Sentences(f.Heat.describe()...)
	}
	return words.Sentences(lists.Each(f.panels(), (*Panel).describe)...)
}

func (p *Panel) describe() string {
	var ends []string
	for _, l := range p.Lines {
		if end, ok := p.endOf(l); ok && l.Name != "" {
			ends = append(ends, l.Name+" "+end)
		}
	}
	if len(ends) == 0 {
		return ""
	}
	said := what(p.Y.Label)
	if p.Title != "" {
		said = p.Title + ": " + said
	}
	if p.X.Label != "" {
		said += " against " + what(p.X.Label) + ", at the last of each"
	}
	return said + ": " + strings.Join(ends, ", ")
}

// endOf writes the last point of a line that can be drawn.
func (p *Panel) endOf(l Line) (said string, ok bool) {
	for _, pt := range l.Points {
		if !p.drawable(pt) || p.Y.Format == nil {
			continue
		}
		said, ok = p.Y.Format(pt.Y), true
		if p.X.Label != "" && p.X.Format != nil {
			said = fmt.Sprintf("%s at %s", said, p.X.Format(pt.X))
		}
	}
	return said, ok
}

// what returns the label of an axis without what it says of better and worse.
func what(label string) string {
	label, _, _ = strings.Cut(label, ", lower is")
	return label
}

func (h *Heat) describe() (said []string) {
	for _, p := range h.Panels {
		for r, name := range h.Rows {
			var cells []string
			for c, column := range p.Columns {
				cells = append(cells, strings.TrimSpace(column+" "+p.Cells[r][c].Text+" "+p.Cells[r][c].Below))
			}
			said = append(said, name+": "+strings.Join(cells, ", "))
		}
	}
	return said
}
