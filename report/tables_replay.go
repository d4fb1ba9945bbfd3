package report

import (
	"fmt"
	"strconv"

	"schedbench/harness"
	"schedbench/internal/words"
)

// replayTables has a table for each workload that was replayed.
func (v *view) replayTables() (list []*table) {
	for _, st := range v.replayed() {
		list = append(list, v.replayTable(st))
	}
	if len(list) > 0 {
		last := list[len(list)-1]
		last.notes = append(last.notes, "Granted are cancellations and resets that found their timer pending. "+
			"Equal answers are equal sets fired in each tick, and equal replies.")
	}
	return list
}

// replayTable has a row for each contestant in a workload.
func (v *view) replayTable(st race) *table {
	t := &table{
		title: "Replay of " + st.profile, names: 1,
		header: []string{"contender", "time per operation", "to the fastest", "steps", "wake-ups per virtual second",
			"operations", "fired", "granted", "refused", "answer"},
	}
	series := v.ordered(v.data.Select(harness.Profiles, "profile="+st.profile))
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
		row := []string{s.Get("impl"), cost, v.toFastest(s, st), taken, constant(s, harness.WakeupsPerVirtual, words.Count),
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
func (v *view) toFastest(s *harness.Series, st race) string {
	if len(st.entrants) == 0 || control(s.Get("impl")) || s.Note != "" {
		return ""
	}
	return against(samples(s, harness.NsPerOp), st.entrants[0].values, s.Get("impl") == st.entrants[0].name)
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

// onTheClockTable has a row for each contestant and workload on the real clock.
func (v *view) onTheClockTable() *table {
	t := &table{
		title: "Workloads on the real clock: lateness after the planned deadline", names: 2,
		header: []string{"workload", "contender", "operations", "scale", "50 %", "99 %", "latest",
			"fired", "early", "lost", "doubled", "CPU of a core", "wake-ups"},
	}
	for _, p := range v.profiles(harness.Live) {
		for _, s := range v.ordered(v.data.Select(harness.Live, "profile="+p)) {
			cpu, p99 := "", within(summary(s, harness.P99Late), words.Nanos)
			if len(share(s)) > 0 {
				cpu = within(summarize(share(s)), words.Percent)
			}
			if s.Note != "" {
				p99 = s.State()
			}
			if s.Note != "" && s.State() != harness.NothingDue {
				t.notes = append(t.notes, s.Get("impl")+" "+s.Note)
			}
			rate, _ := strconv.ParseFloat(s.Get("rate"), 64)
			t.add(p, s.Get("impl"), words.PerSecond(rate), s.Get("scale")+"×", within(summary(s, harness.P50Late), words.Nanos), p99, latest(s),
				sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled),
				cpu, within(summary(s, harness.WakeupsPerSecond), words.PerSecond))
		}
	}
	return t
}
