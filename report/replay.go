package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/chart"
	"schedbench/report/text"
)

// replayQuestion is who is how fast in which workload, who is out of which, and
// whether the answers are right.
var replayQuestion = question{
	figures: func(v *view) []*chart.Figure { return []*chart.Figure{v.heatFigure()} },
	tables: func(v *view) (list []*text.Table) {
		for _, p := range v.replayed() {
			list = append(list, v.replayTable(p))
		}
		if len(list) > 0 {
			last := list[len(list)-1]
			last.Notes = append(last.Notes, "Granted are cancellations and resets that found their timer pending. "+
				"Equal answers are equal sets fired in each tick, and equal replies.")
		}
		return list
	},
	sentences: func(v *view) []string {
		list := v.replayed()
		if len(list) == 0 {
			return nil
		}
		return []string{v.replayLeads(list), v.replayGain(list), v.replayOut(), v.replayAnswers(list)}
	},
}

// profiles returns the workloads of an experiment in the order of the data.
func (v *view) profiles(experiment string) []string {
	return harness.Distinct(v.data.Select(experiment), "profile")
}

// leadIn compares the contestants in one workload by one unit. comparisons is for
// how many pairs the intervals must hold together, and noise what one contestant
// may differ from itself.
func (v *view) leadIn(experiment, unit, profile string, comparisons int, noise float64) placedLead {
	return placedLead{profile, judge.Leading(v.competing(experiment, unit, profile), comparisons, noise)}
}

// competing returns the contestants with figures that compete in a workload.
func (v *view) competing(experiment, unit, profile string) (all []judge.Contender) {
	for _, name := range v.names {
		s := v.one(experiment, "profile="+profile, "impl="+name)
		if !baseline(name) && s != nil && s.Note == "" {
			all = append(all, judge.Contender{Name: name, Blocks: samples(s, unit)})
		}
	}
	return all
}

// replayed returns who leads in the workloads that were replayed. All pairs that
// contain a leader are compared together.
func (v *view) replayed() (list []placedLead) {
	profiles := v.profiles(harness.Profiles)
	for _, p := range profiles {
		pairs := len(v.competing(harness.Profiles, harness.NsPerOp, p)) - 1
		_, again := v.again(harness.Profiles, func(s *harness.Series) []float64 { return samples(s, harness.NsPerOp) }, "profile="+p)
		list = append(list, v.leadIn(harness.Profiles, harness.NsPerOp, p, len(profiles)*max(pairs, 1), judge.LargestNoise(again)))
	}
	return list
}

// replayLeads says who leads in which workloads, then who cannot be told apart.
func (v *view) replayLeads(list []placedLead) string {
	where := func(group []placedLead) string { return "in " + inPlaces(group) }
	pair := func(p placedLead) string { return words.List(v.inOrder(p.Front[:2])) } // the same two are one pair, whoever is first
	said := leadWords(list, judge.Lead.BeatsAll, where, pair)
	if len(said) == 0 {
		return ""
	}
	return "Replays: " + strings.Join(said, "; ") + "."
}

// inOrder returns names in the order in which contenders are always shown.
func (v *view) inOrder(names []string) []string {
	return slices.DeleteFunc(slices.Clone(v.names), func(n string) bool { return !slices.Contains(names, n) })
}

// replayGain says how much faster than container/heap the fastest are.
func (v *view) replayGain(list []placedLead) string {
	lo, hi, of := math.Inf(1), math.Inf(-1), 0
	for _, p := range list {
		base := v.one(harness.Profiles, "profile="+p.at, "impl="+catalog.ContainerHeap)
		if base == nil || base.Note != "" || len(p.Ranked) == 0 {
			continue
		}
		if r := judge.Paired(samples(base, harness.NsPerOp), p.Ranked[0].Blocks, len(list)); r.N > 0 {
			lo, hi, of = min(lo, r.Median), max(hi, r.Median), of+1
		}
	}
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("In replays the fastest takes an operation %s as fast as %s does.", between(lo, hi), catalog.ContainerHeap)
}

// replayOut says who is out of which workloads.
func (v *view) replayOut() string {
	var said []string
	for _, state := range []struct{ is, says string }{
		{harness.CannotHold, "%s cannot hold %s"}, {harness.GaveUp, "%s gave up on %s"},
	} {
		for _, name := range v.names {
			var out []string
			for _, s := range v.data.Select(harness.Profiles, "impl="+name) {
				if s.State() == state.is {
					out = append(out, s.Get("profile"))
				}
			}
			if len(out) > 0 {
				said = append(said, fmt.Sprintf(state.says, name, words.List(out)))
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "In replays " + strings.Join(said, "; ") + "."
}

// replayAnswers says whether the answers are those of the model.
func (v *view) replayAnswers(list []placedLead) string {
	var ops float64
	var wrong []string
	for _, s := range v.data.Select(harness.Profiles) {
		if control(s.Get("impl")) {
			continue
		}
		if s.State() == harness.Wrong {
			wrong = append(wrong, fmt.Sprintf("%s in %s (%s)", s.Get("impl"), s.Get("profile"), strings.TrimPrefix(s.Note, harness.Wrong+": ")))
		}
		if values := samples(s, harness.TotalOps); len(values) > 0 {
			ops += values[0]
		}
	}
	if len(wrong) > 0 {
		return "The answers of a replay are WRONG: " + strings.Join(wrong, "; ") + "."
	}
	return fmt.Sprintf("Replaying %s, everybody's answers to %s operations are those of the model: the same timers in the same ticks, the same replies.",
		words.Many(len(list), "workload"), words.Count(ops))
}

// replayTable has a row for each contestant in a workload.
func (v *view) replayTable(lead placedLead) *text.Table {
	t := &text.Table{
		Title: "Replay of " + lead.at, Names: 1,
		Header: []string{"contender", "time per operation", "to the fastest", "steps", "wake-ups per virtual second",
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
			t.Notes = append(t.Notes, s.Get("impl")+" "+s.Note)
		}
		row := []string{s.Get("impl"), cost, v.toFastest(s, lead), taken, constant(s, harness.WakeupsPerVirtual, words.Count),
			constant(s, harness.TotalOps, plain)}
		if control(s.Get("impl")) {
			t.Add(append(row, "", "", "", "")...)
			continue
		}
		t.Add(append(row, constant(s, harness.TotalFired, plain), constant(s, harness.TotalGranted, plain),
			constant(s, harness.TotalRefused, plain), constant(s, harness.AnswerBits, hex48))...)
	}
	if len(series) > 0 {
		t.Title += ", with a tick of " + series[0].Get("tick")
	}
	return t
}

// toFastest writes how many times as long as the fastest a contender took.
func (v *view) toFastest(s *harness.Series, lead placedLead) string {
	if len(lead.Ranked) == 0 || control(s.Get("impl")) || s.Note != "" {
		return ""
	}
	return against(samples(s, harness.NsPerOp), lead.Ranked[0].Blocks, s.Get("impl") == lead.Ranked[0].Name)
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
