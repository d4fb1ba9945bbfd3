package compare

import (
	"encoding/json"
	"io"
	"math"
)

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
	Same   bool     `json:"same_code,omitempty"` // in old and new
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
			Low: known(row.Value.Low), High: known(row.Value.High), Blocks: row.Blocks, Same: row.constant, Why: row.Why}
		if row.Share {
			v.More = known(row.Value.Value)
		} else {
			v.Ratio = known(row.Value.Value)
		}
		rows = append(rows, v)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"answer": r.answerWord(), "margin": math.Round((r.Margin-1)*1e9) / 1e9, "one_machine": r.OneMachine, "rows": rows,
		"only_old": append([]string{}, r.OnlyOld...), "only_new": append([]string{}, r.OnlyNew...), "unjudged": append([]string{}, r.Unjudged...),
	})
}

// answerWord is what the exit status says.
func (r *Result) answerWord() string {
	switch {
	case len(r.With(Worse)) > 0:
		return Worse.String()
	case len(r.Open()) > 0:
		return Unclear.String()
	}
	return "not worse"
}
