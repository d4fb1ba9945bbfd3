package report

import (
	"slices"
	"strconv"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// column is a column of a table that has a row for each series.
type column struct {
	head string
	cell func(*rundata.Series) string
}

// tableOf returns a table with a row for each of some series.
func tableOf(title string, names int, series []*rundata.Series, columns ...[]column) *text.Table {
	t := &text.Table{Title: title, Names: names}
	all := slices.Concat(columns...)
	for _, c := range all {
		t.Header = append(t.Header, c.head)
	}
	for _, s := range series {
		var row []string
		for _, c := range all {
			row = append(row, c.cell(s))
		}
		t.Add(row...)
	}
	return t
}

// param is the value of a parameter as it is, and amount that of one that is a
// number.
func param(head, key string) column {
	return column{head, func(s *rundata.Series) string { return s.Get(key) }}
}

func amount(head, key string) column {
	return column{head, func(s *rundata.Series) string { return words.Count(number(s.Get(key))) }}
}

// number returns what a parameter says; 0 if it is no number.
func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

// median is the median of a unit, with its interval.
func median(head, unit string, f words.Format) column {
	return column{head, func(s *rundata.Series) string { return within(summary(s, unit), f) }}
}

// medianOrState is median, with why there are no figures where there are none.
func medianOrState(head, unit string, f words.Format) column {
	of := median(head, unit, f).cell
	return column{head, func(s *rundata.Series) string { return orState(s, of(s)) }}
}

// orState returns a cell, or in a few words why the series has no figures.
func orState(s *rundata.Series, cell string) string {
	if s != nil && s.Note != "" {
		return s.State()
	}
	return cell
}

// The columns that several tables have.
var (
	contestant = param("contender", "impl")
	operated   = column{"operation", func(s *rundata.Series) string { return OperationOf(s.Get("op")).Word }}
	late50     = median("50 %", rundata.P50Late, words.Nanos)
	late90     = median("90 %", rundata.P90Late, words.Nanos)
	late99     = median("99 %", rundata.P99Late, words.Nanos)
	lateWorst  = column{"latest", latest}
	cpuShare   = column{"CPU of a core", func(s *rundata.Series) string { return within(summarize(share(s)), words.Percent) }}
	wakeups    = median("wake-ups", rundata.WakeupsPerSecond, words.PerSecond)
	kicks      = median("kicks", rundata.KicksPerSecond, words.PerSecond)
	answers    = []column{sum("fired", rundata.Fired), sum("early", rundata.Early, rundata.EarlyByDesign), sum("lost", rundata.Lost), sum("doubled", rundata.Doubled), sum("held up", rundata.HeldUp)}
)

// sum is the sum of a count, and of others that are counted apart, over all rounds; nothing if it
// was not counted.
func sum(head, unit string, apart ...string) column {
	return column{head, func(s *rundata.Series) string {
		if len(samples(s, unit)) == 0 {
			return ""
		}
		n := total(s, unit)
		for _, other := range apart {
			n += total(s, other)
		}
		return plain(n)
	}}
}

// latest is the one maximum over all rounds: a median of maxima would hide it.
func latest(s *rundata.Series) string {
	if s.Late != nil && s.Late.TotalCount() > 0 {
		return words.Nanos(float64(s.Late.Max()))
	}
	if values := samples(s, rundata.MaxLate); len(values) > 0 {
		return words.Nanos(slices.Max(values))
	}
	return ""
}

// plain writes a whole number in full.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// within writes a median and how far the interval goes from it.
func within(s judge.Summary, f words.Format) string {
	if s.N == 0 {
		return ""
	}
	return words.Interval(s.Median, s.Low, s.High, f)
}

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

// line returns what a contestant shows at some values of x, as far as it was
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

// waking returns the label that the data give a tick.
func (v *view) waking(tick time.Duration) string { return labelOf(v.data.Series, "waking", tick) }

// withMost returns the series of an experiment that have the most timers pending,
// in the order in which contestants are shown, and how many those are, in words.
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
