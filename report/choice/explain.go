package choice

import (
	"fmt"
	"io"
	"strings"
	"time"

	"schedbench/internal/words"
	"schedbench/report/text"
	"schedbench/tune"
)

// WriteExplanation writes how a configuration does with a workload, and what would
// be better.
func WriteExplanation(w io.Writer, e *tune.Explanation, l *tune.Load) error {
	out := &text.Page{W: w}
	out.Heading(fmt.Sprintf("%s: %v, on %s", strings.ToUpper(e.System.Name), e.Prediction.Config, l.Name))
	out.Item(e.System.About)
	for _, s := range e.Says {
		out.Item(s)
	}
	out.Printf("\n")
	if e.Prediction.Impossible == "" {
		out.Table(explanationTable(e))
	}
	if e.Occupancy != nil {
		out.Table(occupancyTable(e.Occupancy))
	}
	return out.Err
}

// explanationTable has what is predicted of a configuration.
func explanationTable(e *tune.Explanation) *text.Table {
	t := &text.Table{Title: "Predicted", Names: 1, Header: []string{"what", "figure"}}
	p := e.Prediction
	t.Add("CPU, share of a core", ranging(p.CPU, words.Percent))
	for _, part := range p.Split() {
		t.Add("  "+part.Text, words.Percent(part.CPU))
	}
	t.Add("CPU with nothing pending", ranging(e.Idle, words.Percent))
	t.Add("wake-ups", words.PerSecond(p.Wakeups))
	for i, percentile := range tune.LatePercentiles() {
		if i < len(e.Late) {
			t.Add(lateAt(percentile), inSeconds(e.Late[i]))
		}
	}
	t.Add("memory of all timers", ranging(p.Memory, words.Bytes))
	if e.Revolution > 0 {
		t.Add("a revolution of the wheel takes", words.Span(float64(e.Revolution.Round(time.Microsecond))))
	}
	if e.ScanEntries > 0 {
		t.Add("entries visited in a revolution", words.Count(e.ScanEntries))
		t.Add("CPU for that", inSeconds(e.ScanCPU))
	}
	if len(p.Misses) > 0 {
		t.Add("misses", missing(p))
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
func occupancyTable(o *tune.Occupancy) *text.Table {
	t := &text.Table{Title: "Slots and the timers in them", Names: 1, Header: []string{"what", "figure"}}
	t.Add("slots", words.Count(float64(o.Slots)))
	t.Add("timers", words.Count(float64(o.Timers)))
	t.Add("timers in a slot, on average", words.Number(o.Mean))
	t.Add("most in one", words.Count(float64(o.Max)))
	t.Add("slots that are empty", words.Percent(o.EmptyShare))
	t.Add("standard deviation, parts of the mean", words.Number(o.CV))
	t.Add("variance to mean (1 if at random)", words.Number(o.Dispersion))
	return t
}
