package report

import (
	"slices"
	"strconv"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
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
	contender = param("contender", "impl")
	operated  = column{"operation", func(s *rundata.Series) string { return OperationOf(s.Get("op")).Word }}
	late50    = median("50 %", rundata.P50Late, words.Nanos)
	late90    = median("90 %", rundata.P90Late, words.Nanos)
	late99    = median("99 %", rundata.P99Late, words.Nanos)
	lateWorst = column{"latest", latest}
	cpuShare  = column{"CPU of a core", func(s *rundata.Series) string { return within(summarize(share(s)), words.Percent) }}
	wakeups   = median("wake-ups", rundata.WakeupsPerSecond, words.PerSecond)
	kicks     = median("kicks", rundata.KicksPerSecond, words.PerSecond)
	answers   = []column{sum("fired", rundata.Fired), sum("early", rundata.Early, rundata.EarlyByDesign), sum("lost", rundata.Lost), sum("doubled", rundata.Doubled)}
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
