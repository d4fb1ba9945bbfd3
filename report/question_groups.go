package report

import (
	"slices"
	"strings"
)

// questionGroup is a few topics that a reader takes for one question: the same done to a bare
// scheduler and in a running program, with these delays and those. Groups are the columns
// of the chart of regret, and of whatever else has room for about ten of them.
type questionGroup struct {
	// word heads a column, and meaning is a line of explanation that goes on after a colon.
	word, meaning string
	// when says for which programs it matters most.
	when string
	// labels are those of the topics, up to a comma.
	labels []string
	topics []topic
}

// questionGroups lists the groups, in the order in which they are shown, without topics. Each
// topic that asks whom to choose is in one of them.
func questionGroups() []questionGroup {
	ofCost := func(i int, when, more string, labels ...string) questionGroup {
		o := costOperations[i]
		return questionGroup{word: o.Word, meaning: o.Brief + more, when: when, labels: append(labels, o.Word)}
	}
	return []questionGroup{
		ofCost(0, "timers are mostly started", ""),
		ofCost(1, "timers are mostly started and stopped", ", bare or by AfterFunc and Stop", "live pair"),
		ofCost(2, "timers are mostly moved", ", bare or by Timer.Reset", "live reset"),
		ofCost(3, "most timers come due", ", few at a time, and a burst that is due at once", "burst", "run out"),
		ofCost(4, "idling counts", ", and idling without ticks", "idle"),
		{word: "replay", when: "your program is like the one named", meaning: operationCalled("replay").Brief, labels: []string{"replays"}},
		{word: "tail", when: "the slowest calls count", meaning: "the p99.9 of single calls", labels: []string{"tail"}},
		{word: "lateness", when: "lateness counts", meaning: "99th percentile of how late functions begin, without ticks", labels: []string{"late", "catch up"}},
		{word: "memory", when: "memory or collections count", meaning: "for each timer, and the time of a garbage collection", labels: []string{"memory", "collection"}},
	}
}

// groups returns the groups that a run has topics of, with these. Topics that no group knows
// are groups by themselves, after the others.
func (v *view) groups() (found []questionGroup) {
	all := questionGroups()
	for _, t := range v.choices() {
		head, _, _ := strings.Cut(t.label(), ",")
		i := slices.IndexFunc(all, func(g questionGroup) bool { return slices.Contains(g.labels, head) })
		if i < 0 {
			i = len(all)
			all = append(all, questionGroup{word: t.label(), labels: []string{head}})
		}
		all[i].topics = append(all[i].topics, t)
	}
	return slices.DeleteFunc(all, func(g questionGroup) bool { return len(g.topics) == 0 })
}

// places is how many places the topics of a group have in all.
func (g questionGroup) places() (n int) {
	for _, t := range g.topics {
		n += len(t.places)
	}
	return n
}

// line explains the group: "pair: cancel one, insert another, ...".
func (g questionGroup) line() string {
	if g.meaning == "" {
		return g.word
	}
	return g.word + ": " + g.meaning
}

// groupRegrets returns the worst that each contender did in a group, by name. What is told of
// the group holds for all its places together.
func (v *view) groupRegrets(g questionGroup) map[string]Regret {
	all := map[string]Regret{}
	for _, t := range g.topics {
		for name, r := range v.regrets(t, g.places(), anyAnswer) {
			if before, known := all[name]; !known || worse(r.ToFirst, before.ToFirst) {
				all[name] = r
			}
		}
	}
	return all
}
