package report

import (
	"fmt"

	"schedbench/harness"
	"schedbench/internal/words"
)

// replayTable has a row for each contestant in a workload.
func (v *view) replayTable(lead placedLead) *table {
	t := &table{
		title: "Replay of " + lead.at, names: 1,
		header: []string{"contender", "time per operation", "to the fastest", "steps", "wake-ups per virtual second",
			"operations", "fired", "granted", "refused", "answer"},
	}
	series := v.ordered(v.data.Select(harness.Profiles, "profile="+lead.at))
	for _, s := range series {
		taken := ""
		if sum, ok := stepsTaken(s); ok {
			taken = within(sum, words.Count)
		}
		cost := within(summary(s, harness.NsPerOp), words.Nanos)
		if s.Note != "" {
			cost = s.State()
			t.notes = append(t.notes, s.Get("impl")+" "+s.Note)
		}
		row := []string{s.Get("impl"), cost, v.toFastest(s, lead), taken, constant(s, harness.WakeupsPerVirtual, words.Count),
			constant(s, harness.TotalOps, plain)}
		if control(s.Get("impl")) {
			t.add(append(row, "", "", "", "")...)
			continue
		}
		t.add(append(row, constant(s, harness.TotalFired, plain), constant(s, harness.TotalGranted, plain),
			constant(s, harness.TotalRefused, plain), constant(s, harness.AnswerBits, hex48))...)
	}
	if len(series) > 0 {
		t.title += ", with a tick of " + series[0].Get("tick")
	}
	return t
}

// toFastest writes how many times as long as the fastest a contender took.
func (v *view) toFastest(s *harness.Series, lead placedLead) string {
	if len(lead.Ranked) == 0 || control(s.Get("impl")) || s.Note != "" {
		return ""
	}
	return against(samples(s, harness.NsPerOp), lead.Ranked[0].Values, s.Get("impl") == lead.Ranked[0].Name)
}

// constant writes a figure that is the same in each round.
func constant(s *harness.Series, unit string, f words.Format) string {
	if values := samples(s, unit); len(values) > 0 {
		return f(values[0])
	}
	return ""
}

// hex48 writes the bits of a hash.
func hex48(v float64) string { return fmt.Sprintf("%012x", uint64(v)) }
