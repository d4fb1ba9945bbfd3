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
)

// replayLines says who leads in which workloads, who is out of which, and whether
// the answers are right.
func (v *view) replayLines() []string {
	list := v.replayed()
	if len(list) == 0 {
		return nil
	}
	return []string{v.replayLeads(list), v.replayGain(list), v.replayOut(), v.replayAnswers(list), v.onTheClockLine()}
}

// replayLeads groups the workloads: who leads where, then who cannot be told
// apart.
func (v *view) replayLeads(list []race) string {
	var said []string
	for _, g := range groupedBy(list, race.clear, func(s race) string { return s.entrants[0].name }) {
		lo, hi := math.Inf(1), math.Inf(-1)
		var next []string
		for _, s := range g {
			lo, hi = min(lo, s.ratio.Median), max(hi, s.ratio.Median)
			if second := s.entrants[1].name; !slices.Contains(next, second) {
				next = append(next, second)
			}
		}
		said = append(said, fmt.Sprintf("%s leads in %s, %s as fast as the next (%s)",
			g[0].entrants[0].name, workloadsOf(g), between(lo, hi), strings.Join(next, ", ")))
	}
	tied := func(s race) bool { return len(s.front) > 1 }
	pair := func(s race) string { return listed(v.inOrder(s.front[:2])) } // the same two are one pair, whoever is in front
	for _, g := range groupedBy(list, tied, pair) {
		said = append(said, fmt.Sprintf("%s in front and not separated in %s", pair(g[0]), workloadsOf(g)))
	}
	if len(said) == 0 {
		return ""
	}
	return "Replays: " + strings.Join(said, "; ") + "."
}

// inOrder returns names in the order in which contenders are always shown.
func (v *view) inOrder(names []string) []string {
	return slices.DeleteFunc(slices.Clone(v.names), func(n string) bool { return !slices.Contains(names, n) })
}

// groupedBy returns the races that are wanted, by key in the order of their
// first appearance.
func groupedBy(list []race, wanted func(race) bool, key func(race) string) (groups [][]race) {
	at := map[string]int{}
	for _, s := range list {
		if !wanted(s) {
			continue
		}
		i, known := at[key(s)]
		if !known {
			i = len(groups)
			at[key(s)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// workloadsOf names the workloads of races.
func workloadsOf(list []race) string {
	var names []string
	for _, s := range list {
		names = append(names, s.profile)
	}
	return listed(names)
}

// replayGain says how much faster than container/heap the fastest are.
func (v *view) replayGain(list []race) string {
	lo, hi, of := math.Inf(1), math.Inf(-1), 0
	for _, s := range list {
		base := v.one(harness.Profiles, "profile="+s.profile, "impl="+catalog.ContainerHeap)
		if base == nil || base.Note != "" || len(s.entrants) == 0 {
			continue
		}
		if r := judge.Paired(samples(base, harness.NsPerOp), s.entrants[0].values, len(list)); r.N > 0 {
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
				said = append(said, fmt.Sprintf(state.says, name, listed(out)))
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "In replays " + strings.Join(said, "; ") + "."
}

// replayAnswers says whether the answers are those of the model.
func (v *view) replayAnswers(list []race) string {
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
		howMany(len(list), "workload"), words.Count(ops))
}

// howMany writes a number of things.
func howMany(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// mostNamed is how many workloads a sentence has room for.
const mostNamed = 4

// onTheClockLine says who is least late on the real clock.
func (v *view) onTheClockLine() string {
	var said []string
	for _, p := range v.profiles(harness.Live) {
		var series []*harness.Series
		for _, s := range v.ordered(v.data.Select(harness.Live, "profile="+p)) {
			if s.Note == "" {
				series = append(series, s)
			}
		}
		if front := frontOf(series, harness.P99Late); front != "" && len(said) < mostNamed {
			said = append(said, p+" by "+front)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "On the real clock, with the tick of the workload, timers are late at their 99th percentile: " + strings.Join(said, "; ") + "."
}
