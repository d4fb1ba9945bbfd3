package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

var units = map[string]string{
	rundata.NsPerOp:       "time of an operation",
	rundata.P99Late:       "lateness at the 99th percentile",
	rundata.DoneNs:        "time until the last timer has run",
	rundata.CPUPerTimer:   "CPU time for each timer",
	rundata.CPUPerSecond:  "share of a core",
	rundata.BytesPerTimer: "memory for each timer",
}

// beyond says what is taken off figures, by the control that shows it.
var beyond = map[string]string{rundata.EmptyControl: " without the loop around it", rundata.ProcessControl: " beyond an idle process"}

// tables returns a table for each experiment, with a row for each series.
func (r *Result) tables() (tables []*text.Table) {
	experiment := func(row Row) string { return row.Name[:strings.Index(row.Name+"/", "/")] }
	for _, rows := range lists.Groups(r.Rows, experiment) {
		name, unit := experiment(rows[0]), rows[0].Unit
		t := &text.Table{
			Title: fmt.Sprintf("%s: %s, less is better", name, cmp.Or(units[unit], unit)+beyond[rundata.ExperimentOf(name).Control]), Names: 2,
			Header: []string{"series", "NEW is", "OLD", "NEW", "NEW / OLD", "interval", samples(r.Paired) + "s"},
		}
		if rows[0].Share {
			t.Header[4] = "NEW - OLD"
		}
		for _, row := range rows {
			f, blocks := row.format(), ""
			if row.Why == "" {
				blocks = fmt.Sprint(row.Blocks)
			}
			t.Add(strings.TrimPrefix(row.Name, name+"/"), row.verdictWords(), known(row.Old, f), known(row.New, f),
				known(row.Value.Value, row.change), row.interval(), blocks)
		}
		tables = append(tables, t)
	}
	return tables
}

// samples is what an interval is made of.
func samples(paired bool) string { return map[bool]string{true: "pair", false: "block"}[paired] }

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
	if r.Answer == Unclear && r.Blocks < 2 { // of which there is no interval
		return s + " from " + words.Many(r.Blocks, samples(r.paired))
	}
	return s + r.moreWords()
}

// moreWords says how many more blocks would decide, after a comma.
func (r *Row) moreWords() string {
	switch {
	case r.More >= judge.TooMany:
		return fmt.Sprintf(", more %ss do not help", samples(r.paired))
	case r.More > 0:
		return fmt.Sprintf(", %d more would decide", r.More)
	}
	return ""
}

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

func (r *Row) interval() string {
	if r.Why != "" || r.Identical || math.IsNaN(r.Value.Value) {
		return ""
	}
	if math.IsInf(r.Value.High, 0) {
		return "unknown"
	}
	return r.change(r.Value.Low) + " to " + r.change(r.Value.High)
}

// rowJSON is a row as JSON has it. What is not known is null.
type rowJSON struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Answer string   `json:"answer"`
	Old    *float64 `json:"old"`
	New    *float64 `json:"new"`
	Ratio  *float64 `json:"ratio,omitempty"`      // new by old
	More   *float64 `json:"difference,omitempty"` // new less old, of shares of a core
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Blocks int      `json:"blocks"`
	Open   bool     `json:"may_be_worse,omitempty"` // unclear, by more than the margin
	Same   bool     `json:"same_code,omitempty"`    // in old and new
	Why    string   `json:"why,omitempty"`
}

// WriteJSON writes the rows of a comparison as one JSON object.
func (r *Result) WriteJSON(w io.Writer) error {
	known := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	rows := []rowJSON{}
	for _, row := range r.Rows {
		v := rowJSON{Name: row.Name, Unit: row.Unit, Answer: row.Answer.String(), Old: known(row.Old), New: known(row.New),
			Low: known(row.Value.Low), High: known(row.Value.High), Blocks: row.Blocks, Open: row.open(), Same: row.constant, Why: row.Why}
		if row.Share {
			v.More = known(row.Value.Value)
		} else {
			v.Ratio = known(row.Value.Value)
		}
		rows = append(rows, v)
	}
	said := map[Answer]string{Worse: "worse", Unclear: "unclear", Same: "not worse"}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"answer": said[r.Conclusion()], "margin": math.Round((r.Margin-1)*1e9) / 1e9, "one_machine": r.OneMachine, "rows": rows,
		"only_old": append([]string{}, r.OnlyOld...), "only_new": append([]string{}, r.OnlyNew...), "unjudged": append([]string{}, r.Unjudged...),
	})
}
