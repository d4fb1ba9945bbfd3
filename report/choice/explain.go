package choice

import (
	"fmt"
	"io"
	"strings"
	"time"

	"schedbench/internal/words"
	"schedbench/report/text"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Explained is how a configuration does with a workload, and what would be better.
type Explained struct {
	*tune.Explanation
	Load   *tune.Load
	Cached costs.Cached
	// Rows are what was measured, empty if nothing was, and Unproven says why if it was asked
	// for.
	Rows     []tune.Proved
	Unproven string
}

// Answer writes how it does, beside the same with other ticks and what would be better.
func (x *Explained) Answer(w io.Writer) error {
	e, out := x.Explanation, &text.Page{W: w}
	out.Labelled("JUDGED", fmt.Sprintf("%s on %s: %s", e.System.Name, x.Load.Name, described(e.Prediction.Config)))
	if e.Prediction.Impossible != "" {
		out.Labelled("IMPOSSIBLE", e.Prediction.Impossible)
		return out.Err
	}
	label := "FOUND"
	for _, s := range e.Says {
		out.Labelled(label, s)
		label = ""
	}
	if x.Unproven != "" {
		out.Labelled("NOT TRIED", x.Unproven)
	}
	out.Printf("\n")
	out.Table(x.rowsTable())
	return out.Err
}

// rowsTable has the system beside the same with other ticks, and what would be better:
// predicted, and measured if it was.
func (x *Explained) rowsTable() *text.Table {
	t := &text.Table{Title: "The same with other ticks, and what would be better", Names: 2,
		Header: []string{"configuration", "driver", "CPU, predicted", "measured", lateAt(0.99), "measured", "wake-ups"}}
	p := x.Percentile()
	t.Header[4] = lateAt(p)
	for i := range x.Explanation.Rows {
		q := &x.Explanation.Rows[i]
		cells := []string{shape(q.Config), driving(q.Config), words.Percent(q.CPU.Value), "", inSeconds(q.Lateness.Value), "", words.PerSecond(q.Wakeups)}
		for _, r := range x.Rows {
			if m := r.Measured; m.Config == q.Config {
				cells[3] = ranging(m.CPU.Estimate, words.Percent)
				if m.Fired > 0 {
					cells[5] = ranging(m.Lateness.Estimate, inSeconds)
				}
			}
		}
		t.Add(cells...)
	}
	return t
}

// Why writes what is predicted of it in numbers, how its timers lie in slots, the workload,
// and the costs of the machine, each of them if so wanted.
func (x *Explained) Why(w io.Writer, eachCost bool) error {
	e, out := x.Explanation, &text.Page{W: w}
	out.Heading(fmt.Sprintf("%s: %v, on %s", strings.ToUpper(e.System.Name), e.Prediction.Config, x.Load.Name))
	out.Item(e.System.About)
	out.Printf("\n")
	if e.Prediction.Impossible == "" {
		out.Table(explanationTable(e))
	}
	if e.Occupancy != nil {
		out.Table(occupancyTable(e.Occupancy))
	}
	if out.Err != nil {
		return out.Err
	}
	if err := Workload(w, x.Load); err != nil {
		return err
	}
	return Calibration(w, x.Cached, eachCost)
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
