package report

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
)

// WrongAnswers returns an error that names the contestants whose answers were wrong, and nil if
// there are none.
func WrongAnswers(d *rundata.Data) error {
	var said []string
	for _, w := range (&view{data: d, names: contenders(d)}).wrongAnswers() {
		said = append(said, w.Name+" "+w.Did())
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New("answers were wrong: " + strings.Join(said, "; "))
}

// wrongAnswers returns the contestants whose answers were wrong. What an A/A series gets wrong
// is wrong of its contestant; a control stands by itself.
func (v *view) wrongAnswers() (all []card.Wrong) {
	names := slices.Clone(v.names)
	of := map[string]*card.Wrong{}
	for _, s := range v.data.Series {
		name := cmp.Or(strings.TrimSuffix(s.Get("impl"), rundata.AASuffix), strings.ToLower(s.Experiment))
		if of[name] == nil {
			of[name] = &card.Wrong{Name: name, Control: control(name) || name == rundata.SleepControl}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		w := of[name]
		w.Lost, w.Early, w.Doubled = w.Lost+int(total(s, rundata.Lost)), w.Early+int(total(s, rundata.Early)), w.Doubled+int(total(s, rundata.Doubled))
		if profile := s.Get("profile"); s.State() == rundata.Wrong && !slices.Contains(w.Replays, profile) {
			w.Replays = append(w.Replays, profile)
		}
	}
	for _, name := range names {
		if w := of[name]; w != nil && w.Lost+w.Early+w.Doubled+len(w.Replays) > 0 {
			all = append(all, *w)
		}
	}
	return all
}
