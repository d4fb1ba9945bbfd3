package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"schedbench/harness"
)

// heat is a figure of tables whose cells are coloured by their figures: a row for
// each workload, a column for each contestant.
type heat struct {
	rows   []string // workloads
	notes  []string // what is written under each of them
	panels []*heatPanel
}

// heatPanel is one of the tables.
type heatPanel struct {
	title   string
	columns []string
	cells   [][]heatCell // by row and column
	scale   axis
}

// heatCell is a figure, or a word for why there is none.
type heatCell struct {
	value float64 // NaN: there is no figure
	text  string
	mark  mark
}

// mark says how a contestant stands in a workload.
type mark int

const (
	plainCell mark = iota
	leadCell       // it is in front, and told from all others
	leastCell      // it is in front, and cannot be told from all others
	frontCell      // it cannot be told from who is in front
)

// fit leaves out panels without a figure or word, sets their scales, and reports
// whether anything is left.
func (h *heat) fit() bool {
	h.panels = slices.DeleteFunc(h.panels, func(p *heatPanel) bool { return len(p.columns) == 0 })
	for _, p := range h.panels {
		var values []float64
		for _, row := range p.cells {
			for _, c := range row {
				if c.value > 0 {
					values = append(values, c.value)
				}
			}
		}
		p.scale.fit(values)
		p.scale.widen(leastDecades)
	}
	return len(h.rows) > 0 && len(h.panels) > 0
}

// leastDecades is the least that the colours of a panel span: next to nothing is
// not to look like much.
const leastDecades = 0.7

// widen makes a logarithmic axis span some decades at least.
func (a *axis) widen(decades float64) {
	if air := (decades - (a.hi - a.lo)) / 2; air > 0 {
		a.lo, a.hi = a.lo-air, a.hi+air
	}
}

// heatFigure shows who is how fast, and how late, in which workload.
func (v *view) heatFigure() *figure {
	h := &heat{rows: v.profilesMeasured()}
	for _, p := range h.rows {
		h.notes = append(h.notes, v.profileNote(p))
	}
	h.panels = []*heatPanel{
		v.heatPanel(h.rows, harness.Profiles, harness.NsPerOp, "time per operation, in virtual time", v.replayed()),
		v.heatPanel(h.rows, harness.Live, harness.P99Late, "99th percentile of lateness, on the real clock", v.onTheClock()),
	}
	columns := 0
	for _, p := range h.panels {
		columns += len(p.columns)
	}
	title := "Who is fastest at what programs ask of their timers"
	if len(h.panels[1].columns) > 0 {
		title += ", and who is on time"
	}
	return &figure{
		name: "profiles", heat: h, named: true,
		title: title + "?",
		subtitle: "All replay the same operations; an operation is a schedule, a reset or a cancellation, expiries are charged to them. " +
			"Lower is better: lighter is less. Medians; marks at 95 %, in virtual time corrected for the number of comparisons; baselines do not compete",
		width:  inches(max(8.6, 2.2+0.82*float64(columns))),
		height: vg.Points(200 + 30*float64(len(h.rows))),
	}
}

// profilesMeasured returns the workloads, those that were replayed first.
func (v *view) profilesMeasured() []string {
	list := v.profiles(harness.Profiles)
	for _, p := range v.profiles(harness.Live) {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// profileNote says of a workload what its name does not.
func (v *view) profileNote(profile string) string {
	var said []string
	for _, s := range v.data.Select("", "profile="+profile) {
		if t := s.Get("tick"); t != "" {
			said = append(said, "tick "+t)
			break
		}
	}
	if scale := v.liveScale(profile); scale != "" && scale != "1" {
		said = append(said, "on the clock "+scale+"×")
	}
	return strings.Join(said, ", ")
}

// liveScale returns by how much a workload was scaled on the real clock.
func (v *view) liveScale(profile string) string {
	if s := v.one(harness.Live, "profile="+profile); s != nil {
		return s.Get("scale")
	}
	return ""
}

// heatPanel makes the table of one experiment.
func (v *view) heatPanel(rows []string, experiment, unit, title string, races []race) *heatPanel {
	p := &heatPanel{title: title, scale: axis{log: true, format: tidy(nanos)}}
	for _, name := range v.names {
		if len(v.data.Select(experiment, "impl="+name)) > 0 {
			p.columns = append(p.columns, name)
		}
	}
	for _, row := range rows {
		at := slices.IndexFunc(races, func(s race) bool { return s.profile == row })
		var cells []heatCell
		for _, name := range p.columns {
			c := v.heatCell(experiment, unit, row, name)
			if at >= 0 {
				c.mark = races[at].markOf(name)
			}
			cells = append(cells, c)
		}
		p.cells = append(p.cells, cells)
	}
	return p
}

// markOf returns how a contestant stands.
func (s race) markOf(name string) mark {
	switch {
	case len(s.entrants) < 2 || !slices.Contains(s.front, name):
		return plainCell
	case s.clear():
		return leadCell
	case s.front[0] == name:
		return leastCell
	}
	return frontCell
}

// fewFired is the number of timers below which a percentile says little.
const fewFired = 100

// heatCell returns the figure of a contestant in a workload, or why there is none.
func (v *view) heatCell(experiment, unit, profile, name string) heatCell {
	s := v.one(experiment, "profile="+profile, "impl="+name)
	switch {
	case s == nil:
		return heatCell{value: math.NaN(), text: "not run"}
	case s.Note != "":
		return heatCell{value: math.NaN(), text: s.State()}
	}
	m := summary(s, unit)
	if m.N == 0 || !(m.Median > 0) {
		return heatCell{value: math.NaN(), text: "?"}
	}
	text := nanos(m.Median)
	if unit == harness.P99Late && s.Late != nil && s.Late.TotalCount() < fewFired {
		text += fmt.Sprintf(" (%d)", s.Late.TotalCount())
	}
	return heatCell{value: m.Median, text: text}
}
