package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"schedbench/internal/words"
	"schedbench/tune"
)

// WriteExplanation writes how a configuration does with a workload, and what would
// be better.
func WriteExplanation(w io.Writer, e *tune.Explanation, l *tune.Load) error {
	out := &page{w: w}
	out.heading(fmt.Sprintf("%s: %v, on %s", strings.ToUpper(e.System.Name), e.Prediction.Config, l.Name))
	out.item(e.System.About)
	for _, s := range e.Says {
		out.item(s)
	}
	out.printf("\n")
	if e.Prediction.Impossible == "" {
		out.table(explanationTable(e))
	}
	if e.Occupancy != nil {
		out.table(occupancyTable(e.Occupancy))
	}
	return out.err
}

// explanationTable has what is predicted of a configuration.
func explanationTable(e *tune.Explanation) *table {
	t := &table{title: "Predicted", names: 1, header: []string{"what", "figure"}}
	p := e.Prediction
	t.add("CPU, share of a core", ranging(p.CPU, words.Percent))
	for _, part := range p.Split() {
		t.add("  "+part.Text, words.Percent(part.CPU))
	}
	t.add("CPU with nothing pending", ranging(e.Idle, words.Percent))
	t.add("wake-ups", words.PerSecond(p.Wakeups))
	for i, percentile := range tune.LatePercentiles() {
		if i < len(e.Late) {
			t.add(lateAt(percentile), inSeconds(e.Late[i]))
		}
	}
	t.add("memory of all timers", ranging(p.Memory, words.Bytes))
	if e.Revolution > 0 {
		t.add("a revolution of the wheel takes", words.Span(float64(e.Revolution.Round(time.Microsecond))))
	}
	if e.ScanEntries > 0 {
		t.add("entries visited in a revolution", words.Count(e.ScanEntries))
		t.add("CPU for that", inSeconds(e.ScanCPU))
	}
	if len(p.Misses) > 0 {
		t.add("misses", strings.Join(p.Misses, ", "))
	}
	return t
}

// lateAt says which lateness is that at a percentile.
func lateAt(percentile float64) string {
	if percentile == 1 {
		return "late at worst"
	}
	return "late at " + words.Number(100*percentile) + " %"
}

// occupancyTable has how the timers are spread over the slots.
func occupancyTable(o *tune.Occupancy) *table {
	t := &table{title: "Slots and the timers in them", names: 1, header: []string{"what", "figure"}}
	t.add("slots", words.Count(float64(o.Slots)))
	t.add("timers", words.Count(float64(o.Timers)))
	t.add("timers in a slot, on average", words.Number(o.Mean))
	t.add("most in one", words.Count(float64(o.Max)))
	t.add("slots that are empty", words.Percent(o.EmptyShare))
	t.add("standard deviation, parts of the mean", words.Number(o.CV))
	t.add("variance to mean (1 if at random)", words.Number(o.Dispersion))
	return t
}
