package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/chart"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// grid has series of ways that differ in one parameter: measures compare, panels draw and tables list them.
type grid struct {
	series []*rundata.Series
	// key is the parameter. Its values are numbers or durations, unless name writes them.
	key  string
	name func(value string) string
	// unit is that of the figures. "" is the time of an operation without that of the loop around it.
	unit string
	ways []way
}

// asIs writes a value as the data do.
func asIs(value string) string { return value }

// position returns where an axis has a number, or a duration in nanoseconds, and its format; NaN for other values.
func position(value string) (x float64, f words.Format) {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		return n, words.Count
	}
	if d, err := time.ParseDuration(value); err == nil {
		return float64(d), words.Span
	}
	return math.NaN(), nil
}

func coordinate(value string) float64 {
	x, _ := position(value)
	return x
}

// valueWords writes a value of a parameter: a count, or a duration.
func valueWords(value string) string {
	x, write := position(value)
	return write(x)
}

// values returns the values of a parameter that are numbers or durations, ascending.
func values(series []*rundata.Series, key string) []string {
	found := slices.DeleteFunc(rundata.Distinct(series, key), func(value string) bool { return !(coordinate(value) >= 0) })
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(coordinate(a), coordinate(b)) })
	return found
}

// values returns those of the parameter: numbers and durations ascending, and others in the order of the data.
func (c grid) values() []string {
	if c.name != nil {
		return rundata.Distinct(c.series, c.key)
	}
	return values(c.series, c.key)
}

func (c grid) nameOf(value string) string {
	if c.name != nil {
		return c.name(value)
	}
	return valueWords(value)
}

func (c grid) axis(label string) chart.Axis {
	a := chart.Axis{Label: label, Log: true, WithZero: true, Format: words.Count}
	for _, value := range c.values() {
		x, write := position(value)
		a.At, a.Format = append(a.At, x), write
	}
	return a
}

// at returns the series of a way at a value, or nil.
func (c grid) at(way []string, value string) *rundata.Series {
	return first(c.series, slices.Concat(way, []string{c.key + "=" + value})...)
}

func (c grid) drawn(of func(*rundata.Series) judge.Summary) []chart.Line {
	return lists.Each(c.ways, func(w way) chart.Line {
		l := chart.Line{Name: w.name, Style: w.style}
		for _, value := range c.values() {
			if m := of(c.at(w.params, value)); m.N > 0 {
				l.Points = append(l.Points, at(coordinate(value), m))
			}
		}
		return l
	})
}

func (c grid) medians() []chart.Line {
	return c.drawn(func(s *rundata.Series) judge.Summary { return summary(s, c.unit) })
}

func (c grid) panel(title, x string, y chart.Axis) *chart.Panel {
	return &chart.Panel{Title: title, X: c.axis(x), Y: y, Lines: c.medians()}
}

// blocks returns those of a unit of a series, "" for the time of an operation without the loop.
func (v *Report) blocks(s *rundata.Series, unit string) []float64 {
	if unit != "" {
		return blocksOf(s, unit)
	}
	blocks, _ := v.net(s)
	return blocks
}

// netSummary sums up the time of an operation without that of the loop around it.
func (v *Report) netSummary(s *rundata.Series) judge.Summary { return summarize(v.blocks(s, "")) }

// blocksOf returns the finite blocks of a unit, none for a missing series and for one that says why it has no figures.
func blocksOf(s *rundata.Series, unit string) []float64 {
	if s == nil || s.Note != "" {
		return nil
	}
	return s.Blocks(unit)
}

// across returns a table with a column for each contestant, for A/A and for the loop around an operation. Each value
// of the parameter has a row for each figure. A row below the first figure has the ratios to the baseline.
func (v *Report) across(title string, c grid, baseline string, figures ...column) *text.Table {
	aa := slices.DeleteFunc(rundata.Distinct(c.series, "impl"), func(name string) bool { return !isAA(name) })
	names := slices.Concat(v.names, aa, []string{rundata.EmptyControl})
	t := &text.Table{Title: title, Names: 1, Header: append([]string{c.key}, lists.Each(names, func(name string) string {
		if name == rundata.EmptyControl {
			return "the loop"
		}
		return name
	})...)}
	for _, value := range c.values() {
		of := func(name string) *rundata.Series { return c.at([]string{"impl=" + name}, value) }
		base := v.blocks(of(baseline), c.unit)
		for i, figure := range figures {
			addRow(t, cmp.Or(figure.head, c.nameOf(value)), names, func(name string) string { return figure.cell(of(name)) })
			if i == 0 {
				addRow(t, "  / "+baseline, names, func(name string) string {
					return against(v.blocks(of(name), c.unit), base, name == baseline || control(name))
				})
			}
		}
	}
	return t
}

// addRow adds a row with a cell for each of some columns, unless all are empty.
func addRow(t *text.Table, head string, columns []string, cell func(column string) string) {
	if cells := lists.Each(columns, cell); slices.ContainsFunc(cells, func(s string) bool { return s != "" }) {
		t.Add(append([]string{head}, cells...)...)
	}
}

// column is a column of a table that has a row for each series.
type column struct {
	head string
	cell func(*rundata.Series) string
}

func tableOf(title string, names int, series []*rundata.Series, columns ...[]column) *text.Table {
	all := slices.Concat(columns...)
	t := &text.Table{Title: title, Names: names, Header: lists.Each(all, func(c column) string { return c.head })}
	for _, s := range series {
		t.Add(lists.Each(all, func(c column) string { return c.cell(s) })...)
	}
	return t
}

// param is the value of a parameter as it is, and amount that of one that is a number.
func param(head, key string) column {
	return column{head, func(s *rundata.Series) string { return s.Get(key) }}
}

func amount(head, key string) column {
	return column{head, func(s *rundata.Series) string { return words.Count(number(s.Get(key))) }}
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

func median(head, unit string, f words.Format) column {
	return column{head, func(s *rundata.Series) string { return within(summary(s, unit), f) }}
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
	contestant = param("contestant", "impl")
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

// sum is a column with the total of a count over all rounds, and of others that are counted apart. It is empty if the
// count was not measured.
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

func at(x float64, s judge.Summary) chart.Point {
	if !s.Bounded() {
		return chart.At(x, s.Median)
	}
	return chart.Point{X: x, Y: s.Median, Low: s.Low, High: s.High}
}

// pendingAxis is the x axis of charts of an operation against the number of pending timers, whatever their delays.
func (v *Report) pendingAxis(op string) chart.Axis {
	return grid{series: v.data.Select(rundata.Cost, "op="+op), key: "pending"}.axis("timers pending")
}

func namesAxis(names []string) chart.Axis {
	a := chart.Axis{Format: func(x float64) string { return names[int(x)] }, WithZero: true}
	for i := range names {
		a.At = append(a.At, float64(i)+0.4) // off the ends
	}
	return a
}

func nanosAxis(label string) chart.Axis {
	return chart.Axis{Label: label, Log: true, Format: words.Time}
}

// atRate returns the end of a subtitle that gives a rate, "" if the rate is unknown.
func atRate(rate string) string {
	if rate == "" {
		return ""
	}
	return "; " + rate + " timers per second"
}
