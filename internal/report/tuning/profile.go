package tuning

import (
	"fmt"
	"math"
	"time"

	"schedbench/internal/report/chart"
	"schedbench/internal/words"
	"schedbench/workload"
	"schedbench/workload/trace"
)

// The styles of the operations, on all charts of workloads.
var (
	delayStyle    = chart.Style{Colour: chart.RGB(0x222222)}
	scheduleStyle = chart.Style{Colour: chart.RGB(0x8A8A8A)}
	cancelStyle   = chart.Style{Colour: chart.RGB(0x1F78B4), Dashes: chart.Dash(6, 2)}
	resetStyle    = chart.Style{Colour: chart.RGB(0xB2478F), Dashes: chart.Dash(2.5, 2)}
	fireStyle     = chart.Style{Colour: chart.RGB(0xE08214), Dashes: chart.Dash(8, 2, 1.5, 2)}
)

// profileSample is about how many operations are read, of a profile or of a smaller one with the same distributions.
const profileSample = 200_000

// ProfileCharts draws the delays and the mix of profiles, a panel for each, into a directory, which it makes if need be.
// It returns the names of the files. It reads some operations of each profile, which takes a fraction of a second.
func ProfileCharts(profiles []*workload.Profile, dir string, svg bool) ([]string, error) {
	f, err := profileFigure(profiles)
	if err != nil {
		return nil, err
	}
	return chart.SaveIfAny(f, dir, svg)
}

// profileFigure has a panel for each profile, with the same axes.
func profileFigure(profiles []*workload.Profile) (*chart.Figure, error) {
	var panels []*chart.Panel
	var lines []chart.Line
	for _, p := range profiles {
		drawn, err := profilePanel(p)
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", p.Name, err)
		}
		panels, lines = append(panels, drawn), append(lines, drawn.Lines...)
	}
	for _, p := range panels {
		p.X = chart.TimeAxis(p.X.Label, 6, lines)
	}
	columns := min(4, len(profiles))
	rows := chart.InRows(panels, columns)
	return &chart.Figure{
		Name: "profiles", Alike: true, Rows: rows,
		Title: "What do programs ask of their timers?",
		Subtitle: "Cumulative shares of the delays, of the times to cancel, and of the times to reset; " +
			"below: operations a second, and timers pending",
		Footer: fmt.Sprintf("schedbench  ·  delays and rates as the profiles have them, in the long run; "+
			"times to cancel and to reset of some %s operations of each, within its length", words.Count(profileSample)),
		Width: chart.Inches(max(7, 3*float64(columns))), Height: chart.Inches(1.2 + 2.3*float64(len(rows))),
	}, nil
}

func profilePanel(p *workload.Profile) (*chart.Panel, error) {
	all := float64(p.Initial()) + p.Mix().Operations()*p.Length().Seconds()
	some, err := p.Stream(workload.Options{Seed: 1, Scale: min(1, profileSample/max(all, 1))})
	if err != nil {
		return nil, err
	}
	seen, err := trace.Summarize(trace.Events(some))
	if err != nil {
		return nil, err
	}
	return &chart.Panel{
		Title: p.Name,
		X:     chart.Axis{Label: fmt.Sprintf("%s/s, %s pending", words.Count(p.Mix().Operations()), words.Count(math.Round(p.Pending(p.Length()))))},
		Y:     chart.ShareAxis("share of timers"),
		Lines: []chart.Line{
			{Name: "delay", Style: delayStyle, Points: shares(p.Delay().Quantile)},
			distribution("time to cancel", cancelStyle, seen.ToCancel),
			distribution("time to reset", resetStyle, seen.ToReset),
		},
	}, nil
}

// shares returns a cumulative distribution from its quantiles.
func shares(quantile func(float64) time.Duration) []chart.Point {
	const points = 200
	pts := make([]chart.Point, 0, points+2)
	pts = append(pts, chart.At(float64(quantile(0)), 0))
	for i := range points + 1 {
		q := float64(i) / points
		pts = append(pts, chart.At(float64(quantile(q)), q))
	}
	return pts
}

// distribution returns the line of a distribution, without points if it is empty.
func distribution(name string, as chart.Style, d trace.Distribution) chart.Line {
	l := chart.Line{Name: name, Style: as}
	if d.Count() > 0 {
		l.Points = shares(d.Quantile)
	}
	return l
}
