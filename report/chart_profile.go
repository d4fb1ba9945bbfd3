package report

import (
	"fmt"
	"math"
	"os"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"schedbench/workload"
	"schedbench/workload/trace"
)

// The looks of what happens to timers, on all charts of workloads.
var (
	delayLook    = look{rgb(0x222222), noGlyph{}, nil}
	scheduleLook = look{rgb(0x8A8A8A), noGlyph{}, nil}
	cancelLook   = look{rgb(0x1F78B4), noGlyph{}, dash(6, 2)}
	resetLook    = look{rgb(0xB2478F), noGlyph{}, dash(2.5, 2)}
	fireLook     = look{rgb(0xE08214), noGlyph{}, dash(8, 2, 1.5, 2)}
)

// noGlyph is for lines that are told apart without.
type noGlyph struct{}

// DrawGlyph draws nothing.
func (noGlyph) DrawGlyph(*draw.Canvas, draw.GlyphStyle, vg.Point) {}

// profileSample is how many operations of a profile are looked at to see when
// timers are cancelled and reset.
const profileSample = 200_000

// ProfileCharts draws the delays and the mix of profiles, a panel for each, into
// a directory, which it makes if need be, and returns the names of the files. It
// reads some of each profile's operations, which takes a fraction of a second.
func ProfileCharts(profiles []*workload.Profile, dir string, svg bool) ([]string, error) {
	f, err := profileFigure(profiles)
	if err != nil {
		return nil, err
	}
	if !f.prepare() {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return f.save(dir, svg)
}

// profileFigure has a panel for each profile, with the same axes.
func profileFigure(profiles []*workload.Profile) (*figure, error) {
	columns := min(4, len(profiles))
	rows := (len(profiles) + columns - 1) / max(columns, 1)
	f := &figure{
		name: "profiles", alike: true,
		title: "What do programs ask of their timers?",
		subtitle: "Share of timers with at most that delay, of those cancelled that were within that time of being set, and of those reset; " +
			"the bar: what happens, by kind; above it operations a second, and timers pending",
		footer: fmt.Sprintf("schedbench  ·  delays and rates as the profiles have them, in the long run; times to cancel and to reset of some %s operations of each, within its length", count(profileSample)),
		width:  inches(max(7, 3*float64(columns))), height: inches(1.2 + 2.3*float64(rows)),
		keys: []line{
			{name: "delay", look: delayLook}, {name: "time to cancel", look: cancelLook}, {name: "time to reset", look: resetLook},
			{name: "schedule", look: barLook(scheduleLook)}, {name: "reset", look: barLook(resetLook)},
			{name: "cancel", look: barLook(cancelLook)}, {name: "fire", look: barLook(fireLook)},
		},
	}
	var panels []*panel
	for _, p := range profiles {
		drawn, err := profilePanel(p)
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", p.Name, err)
		}
		panels = append(panels, drawn)
	}
	var lines []line
	for _, p := range panels {
		lines = append(lines, p.lines...)
	}
	for _, p := range panels {
		p.x = timeAxis("", 6, lines)
	}
	f.rows = inRows(panels, columns)
	return f, nil
}

// barLook is how a part of a bar shows in a legend.
func barLook(l look) look { return look{l.colour, draw.BoxGlyph{}, nil} }

// profilePanel shows one profile.
func profilePanel(p *workload.Profile) (*panel, error) {
	seen, err := sampleProfile(p)
	if err != nil {
		return nil, err
	}
	mix := p.Mix()
	return &panel{
		title: p.Name,
		y:     shareAxis("share of timers"),
		lines: []line{
			{name: "delay", look: delayLook, pts: shares(p.Delay().Quantile), marked: []point{}},
			distribution("time to cancel", cancelLook, seen.ToCancel),
			distribution("time to reset", resetLook, seen.ToReset),
		},
		bar: &bar{
			parts: []part{
				{mix.Schedules, scheduleLook.colour}, {mix.Resets, resetLook.colour},
				{mix.Cancels, cancelLook.colour}, {mix.Fires, fireLook.colour},
			},
			text: fmt.Sprintf("%s/s, %s pending", count(mix.Operations()), count(math.Round(p.Pending(p.Length())))),
		},
	}, nil
}

// sampleProfile reads about profileSample operations of a profile: all of them,
// or of one made smaller, which has the same distributions.
func sampleProfile(p *workload.Profile) (*trace.Info, error) {
	all := float64(p.Initial()) + p.Mix().Operations()*p.Length().Seconds()
	s, err := p.Stream(workload.Options{Seed: 1, Scale: min(1, profileSample/max(all, 1))})
	if err != nil {
		return nil, err
	}
	return trace.Summarize(trace.Events(s))
}

// timeAxis has durations at the units people think in, at most so many of them
// between the least and the greatest of some.
func timeAxis(label string, most int, some []line) axis {
	least, greatest := math.Inf(1), 0.0
	for _, l := range some {
		for _, pt := range l.pts {
			least, greatest = min(least, pt.x), max(greatest, pt.x)
		}
	}
	return axis{label: label, log: true, withZero: true, format: timeUnit, at: timeMarks(max(least, 1)/2, greatest*2, most)}
}

// timeMarks returns round durations between two, about evenly on a logarithmic
// axis, and at most so many.
func timeMarks(least, greatest float64, most int) []float64 {
	const s, m, h, day, year = 1e9, 60e9, 3600e9, 86400e9, 365 * 86400e9
	var within []float64
	for _, v := range []float64{
		1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, s, 10 * s, m, 10 * m, h, 12 * h, 4 * day, 30 * day, year, 10 * year, 100 * year,
	} {
		if v >= least && v <= greatest {
			within = append(within, v)
		}
	}
	every := max(1, (len(within)+most-1)/most)
	var marks []float64
	for i := 0; i < len(within); i += every {
		marks = append(marks, within[i])
	}
	return marks
}

// timeUnit writes a duration in the unit that people would use.
func timeUnit(v float64) string {
	const day = float64(24 * time.Hour)
	switch {
	case v >= 365*day:
		return trimmed(significant(v/365/day)) + "y"
	case v >= day:
		return trimmed(significant(v/day)) + "d"
	case v == 0:
		return "0"
	}
	return span(v)
}

// shareAxis is for cumulative distributions.
func shareAxis(label string) axis {
	return axis{label: label, withZero: true, format: tidy(percent), at: []float64{0, 0.25, 0.5, 0.75, 1}}
}

// shares returns a cumulative distribution from its quantiles.
func shares(quantile func(float64) time.Duration) []point {
	const points = 200
	pts := make([]point, 0, points+2)
	pts = append(pts, point{float64(quantile(0)), 0, nan, nan})
	for i := range points + 1 {
		q := float64(i) / points
		pts = append(pts, point{float64(quantile(q)), q, nan, nan})
	}
	return pts
}

// distribution is the line of what was counted, without points if nothing was.
func distribution(name string, as look, d trace.Distribution) line {
	l := line{name: name, look: as, marked: []point{}}
	if d.Count() > 0 {
		l.pts = shares(d.Quantile)
	}
	return l
}
