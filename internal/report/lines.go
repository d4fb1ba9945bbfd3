package report

import (
	"fmt"
	"strconv"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/words"
)

// at returns a summary as a point.
func at(x float64, s judge.Summary) chart.Point {
	if !s.Bounded() {
		return chart.At(x, s.Median)
	}
	return chart.Point{X: x, Y: s.Median, Low: s.Low, High: s.High}
}

// floats converts what an axis shows.
func floats[T int | time.Duration](values []T) []float64 {
	converted := make([]float64, len(values))
	for i, v := range values {
		converted[i] = float64(v)
	}
	return converted
}

// pendingAxis is the x axis of charts against the number of pending timers.
func pendingAxis(series []*rundata.Series) chart.Axis {
	return chart.Axis{Label: "timers pending", Log: true, WithZero: true, At: floats(integers(series, "pending")), Format: words.Count}
}

// tickAxis is the x axis of charts against the tick.
func tickAxis(series []*rundata.Series) chart.Axis {
	return chart.Axis{Label: "tick", Log: true, At: floats(durations(series, "waking")), Format: words.Span}
}

// nanosAxis is a logarithmic axis of times.
func nanosAxis(label string) chart.Axis {
	return chart.Axis{Label: label, Log: true, Format: words.Time}
}

// lateAxis is the y axis of charts of lateness.
func lateAxis() chart.Axis { return nanosAxis("late by, lower is better") }

// line returns what a contender shows at some values of x, as far as it was
// measured.
func (v *view) line(name string, xs []float64, of func(x float64) judge.Summary) chart.Line {
	l := chart.Line{Name: name, Style: v.styles[name]}
	for _, x := range xs {
		if s := of(x); s.N > 0 {
			l.Points = append(l.Points, at(x, s))
		}
	}
	return l
}

// lines returns a line of each contender.
func (v *view) lines(of func(name string) chart.Line) (all []chart.Line) {
	for _, name := range v.names {
		all = append(all, of(name))
	}
	return all
}

// against returns a contender's values of a unit against a parameter that is a
// number.
func (v *view) against(series []*rundata.Series, key, name, unit string, params ...string) chart.Line {
	d := rundata.Data{Series: series}
	return v.line(name, floats(integers(series, key)), func(x float64) judge.Summary {
		for _, s := range d.Select("", append(params, "impl="+name, fmt.Sprintf("%s=%d", key, int(x)))...) {
			if len(samples(s, unit)) > 0 {
				return summary(s, unit)
			}
		}
		return judge.Summary{}
	})
}

// byTick returns what a contender shows at each tick.
func (v *view) byTick(name string, of func(waking string) judge.Summary) chart.Line {
	return v.line(name, floats(durations(v.data.Series, "waking")), func(tick float64) judge.Summary {
		return of(v.waking(time.Duration(tick)))
	})
}

// waking returns the label that the data give a tick.
func (v *view) waking(tick time.Duration) string { return labelOf(v.data.Series, "waking", tick) }

// withMost returns the series of an experiment that have the most timers pending,
// in the order in which contenders are shown, and how many those are, in words.
func (v *view) withMost(experiment string) (series []*rundata.Series, pending string) {
	counts := integers(v.data.Select(experiment), "pending")
	if len(counts) == 0 {
		return nil, ""
	}
	most := counts[len(counts)-1]
	return v.ordered(v.data.Select(experiment, "pending="+strconv.Itoa(most))), words.Count(float64(most))
}

// atRate says a rate in a few words, as they follow others; prevalent is the rate
// that most of the series have.
func atRate(rate string) string {
	if rate == "" {
		return ""
	}
	return "; " + rate + " timers per second"
}
