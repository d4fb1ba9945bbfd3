package compare

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// units says what figures are of, by their unit.
var units = map[string]string{
	rundata.NsPerOp:       "time of an operation",
	rundata.P99Late:       "lateness at the 99th percentile",
	rundata.DoneNs:        "time until the last timer has run",
	rundata.CPUPerTimer:   "CPU time for each timer",
	rundata.CatchUpNs:     "time until what came due has run",
	rundata.CPUPerSecond:  "share of a core",
	rundata.BytesPerTimer: "memory for each timer",
}

// beyond says what is taken off figures, by the control that shows it.
var beyond = map[string]string{rundata.EmptyControl: " without the loop around it", rundata.ProcessControl: " beyond an idle process"}

// Tables returns a table for each experiment, with a row for each series.
func (r *Result) Tables() (tables []*text.Table) {
	of := map[string]*text.Table{}
	for _, row := range r.Rows {
		experiment, name, _ := strings.Cut(row.Name, "/")
		t := of[experiment]
		if t == nil {
			t = &text.Table{
				Title: fmt.Sprintf("%s: %s, less is better", experiment, cmp.Or(units[row.Unit], row.Unit)+beyond[rundata.ExperimentOf(experiment).Control]), Names: 2,
				Header: []string{"series", "NEW is", "OLD", "NEW", "NEW / OLD", "interval", samples(r.Paired) + "s"},
			}
			if row.Share {
				t.Header[4] = "NEW - OLD"
			}
			of[experiment] = t
			tables = append(tables, t)
		}
		f, blocks := row.format(), ""
		if row.Why == "" {
			blocks = fmt.Sprint(row.Blocks)
		}
		t.Add(name, row.verdictWords(), known(row.Old, f), known(row.New, f), known(row.Value.Value, row.change), row.interval(), blocks)
	}
	return tables
}

// samples is what an interval is made of.
func samples(paired bool) string { return map[bool]string{true: "pair", false: "block"}[paired] }

// format returns how figures are written.
func (r *Row) format() words.Format {
	switch {
	case r.Share:
		return words.Percent
	case strings.HasPrefix(r.Unit, "B/"):
		return words.Bytes
	}
	return words.Nanos
}

// verdictWords are the answer, with what there is to say of it.
func (r *Row) verdictWords() string {
	s := r.Answer.String()
	switch {
	case r.Why != "":
		return s + ": " + r.Why
	case r.Identical:
		return s + ", to the last digit"
	case r.constant && r.Answer == Unclear:
		return s + ": the code is the same"
	case r.Alone != Unclear:
		s += " (alone: " + r.Alone.String() + ")"
	}
	switch {
	case r.Answer == Unclear && r.Blocks < 2: // of which there is no interval
		return s + " from " + words.Many(r.Blocks, samples(r.paired))
	case r.More >= judge.TooMany:
		return s + ", more blocks do not help"
	case r.More > 0:
		return fmt.Sprintf("%s, %d more would decide", s, r.More)
	}
	return s
}

// known writes a figure, nothing if there is none.
func known(v float64, f words.Format) string {
	if math.IsNaN(v) {
		return ""
	}
	return f(v)
}

// change writes how many times as great something is, or by how much a share is greater.
func (r *Row) change(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return "∞"
	case !r.Share:
		return words.Times(v)
	case v > 0:
		return "+" + words.Share(v)
	}
	return words.Share(v)
}

// interval writes that of the change.
func (r *Row) interval() string {
	if r.Why != "" || r.Identical || math.IsNaN(r.Value.Value) {
		return ""
	}
	if math.IsInf(r.Value.High, 0) {
		return "unknown"
	}
	return r.change(r.Value.Low) + " to " + r.change(r.Value.High)
}
