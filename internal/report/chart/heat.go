package chart

import (
	"image/color"
	"math"
	"slices"

	"schedbench/internal/lists"
)

// Heat is a figure of tables whose cells are coloured by their figures.
type Heat struct {
	Rows     []string // their names
	Notes    []string // what is written under each of them
	Panels   []*HeatPanel
	Size     float64  // of the text, in points; 0 is the usual one
	Corner   string   // is written beside the names of the columns, above those of the rows
	Swatches []Swatch // explain cells that have colours of their own

	keyless bool // its key is written elsewhere
}

// Swatch is what some colours of cells mean, or a mark.
type Swatch struct {
	Fills []color.NRGBA
	Text  string
	mark  Mark
}

// HeatPanel is one of the tables.
type HeatPanel struct {
	Title   string
	Columns []string
	Cells   [][]HeatCell // by row and column
	Most    float64      // has the darkest colour: a few larger values do not make others look alike; 0 is none

	scale Axis // from the lightest colour to the darkest
}

// HeatCell is a figure, or a word for why there is none.
type HeatCell struct {
	Value float64 // NaN: there is no figure
	Text  string
	Mark  Mark
	Below string        // a second line of text
	Fills []color.NRGBA // divide the cell between them, in place of the colour of the value
}

// Mark says how a cell stands among those of its row.
type Mark int

const (
	Unmarked         Mark = iota // it is not in front, or there is nothing to compare it with
	Leads                        // it is in front, significantly ahead of all others
	LeadsUnseparated             // it is in front, and not significantly ahead of all others
	Unseparated                  // it is unclear whether it is behind the one in front
	Alike                        // it is as fast as the one in front: within the margin
)

// fit leaves out panels without columns, sets the scales of the others, and reports whether anything is left.
func (h *Heat) fit() bool {
	h.Panels = slices.DeleteFunc(h.Panels, func(p *HeatPanel) bool { return len(p.Columns) == 0 })
	for _, p := range h.Panels {
		p.scale = Axis{Log: true}
		s := &p.scale
		s.fit(lists.Each(slices.Concat(p.Cells...), func(c HeatCell) float64 { return c.Value }))
		if air := (leastDecades - (s.hi - s.lo)) / 2; air > 0 {
			s.lo, s.hi = s.lo-air, s.hi+air
		}
		if most := math.Log10(p.Most); p.Most > 0 && s.lo < most && most < s.hi {
			s.hi = most
		}
	}
	return len(h.Rows) > 0 && len(h.Panels) > 0
}

// shows reports whether some cell has a mark; one that is Unmarked counts if it has no figure.
func (h *Heat) shows(m Mark) bool {
	return slices.ContainsFunc(h.Panels, func(p *HeatPanel) bool {
		return slices.ContainsFunc(slices.Concat(p.Cells...), func(c HeatCell) bool { return c.Mark == m && (m != Unmarked || math.IsNaN(c.Value)) })
	})
}

const leastDecades = 0.7 // that the colours of a panel span: next to nothing is not to look like much
