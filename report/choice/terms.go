package choice

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
	"schedbench/tune/costs"
)

// termsTable has the costs of a machine, in a row those of one kind, and how well
// they fit.
func termsTable(c *costs.Calibration) *text.Table {
	t := &text.Table{
		Title: "The costs of this machine, as calibrated", Names: 3,
		Header: []string{"cost", "of", "measured", "least", "most", "95 % interval", "residual"},
		Notes: []string{
			"Intervals and residuals, which are how far the runs lie from the fit, are the widest of the row; --terms shows each.",
		},
	}
	for _, row := range termRows(c) {
		least, most := math.Inf(1), math.Inf(-1)
		wide, residual := 0.0, 0.0
		for _, term := range row {
			least, most = min(least, term.Seconds.Value), max(most, term.Seconds.Value)
			wide, residual = max(wide, width(term.Seconds)), max(residual, term.Residual)
		}
		cells := []string{row[0].Name, row[0].Of, extent(row), inSeconds(least), "", "±" + percentage(wide), percentage(residual)}
		if len(row) > 1 {
			cells[4] = inSeconds(most)
		}
		t.Add(cells...)
	}
	return t
}

// eachTermTable has every cost by itself.
func eachTermTable(c *costs.Calibration) *text.Table {
	t := &text.Table{
		Title: "The costs of this machine, as calibrated, each: medians with 95 % intervals, and how far the runs lie from the fit", Names: 2,
		Header: []string{"cost", "of", "pending", "at once", "every", "program", "median", "residual"},
	}
	for _, row := range termRows(c) {
		for _, term := range row {
			t.Add(term.Name, term.Of, unlessZero(term.Pending), unlessZero(term.Batch), unlessNever(term.Every), unlessNever(term.Program),
				ranging(term.Seconds, inSeconds), percentage(term.Residual))
		}
	}
	return t
}

// termRows returns the terms of the same kind together, in the order in which they
// were fitted.
func termRows(c *costs.Calibration) (rows [][]costs.Term) {
	for _, term := range c.Terms {
		i := slices.IndexFunc(rows, func(r []costs.Term) bool { return r[0].Name == term.Name && r[0].Of == term.Of })
		if i < 0 {
			i, rows = len(rows), append(rows, nil)
		}
		rows[i] = append(rows[i], term)
	}
	return rows
}

// extent says for which counts and intervals terms were measured.
func extent(row []costs.Term) string {
	var said []string
	for _, of := range []struct {
		what  string
		value func(costs.Term) float64
		write words.Format
	}{
		{"pending", func(t costs.Term) float64 { return float64(t.Pending) }, words.Count},
		{"at once", func(t costs.Term) float64 { return float64(t.Batch) }, words.Count},
		{"from one to the next", func(t costs.Term) float64 { return float64(t.Every) }, words.Span},
		{"between what the program does", func(t costs.Term) float64 { return float64(t.Program) }, words.Span},
	} {
		least, most := math.Inf(1), 0.0
		for _, t := range row {
			if v := of.value(t); v > 0 { // 0 is never, or whatever it is
				least, most = min(least, v), max(most, v)
			}
		}
		switch {
		case most == 0:
		case least == most:
			said = append(said, of.write(most)+" "+of.what)
		default:
			said = append(said, fmt.Sprintf("%s to %s %s", of.write(least), of.write(most), of.what))
		}
	}
	return strings.Join(said, ", ")
}

// width returns how far an interval goes from its estimate, as a share of it.
func width(e judge.Estimate) float64 {
	if e.Value == 0 {
		return 0
	}
	return max(e.High-e.Value, e.Value-e.Low) / math.Abs(e.Value)
}

// percentage writes a share without a point.
func percentage(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "∞"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return words.Count(float64(n))
}

func unlessNever(every time.Duration) string {
	if every == 0 {
		return ""
	}
	return words.Span(float64(every))
}
