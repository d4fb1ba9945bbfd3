package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/internal/words"
)

// questionGroup is a few topics that a reader takes for one question. Groups are the columns
// of the chart of regret and of the table of the card.
type questionGroup struct {
	// word heads a column, and meaning is a line of explanation that goes on after a colon.
	word, meaning string
	// when says for which programs it matters most.
	when string
	// labels are those of the topics, up to a comma.
	labels []string
	topics []topic
}

// questionGroups lists the groups, in the order in which they are shown, without topics. The
// first six have topics that programs ask. What bare schedulers do explains these.
func questionGroups() []questionGroup {
	ofCost := func(i int, when, more string, labels ...string) questionGroup {
		o := costOperations[i]
		return questionGroup{word: o.Word, meaning: o.Brief + more, when: when, labels: append(labels, o.Word)}
	}
	return []questionGroup{
		{word: "replay", when: "your program is like the one named", meaning: operationCalled("replay").Brief, labels: []string{"replays"}},
		ofCost(1, "timers are mostly started and stopped", ", bare or by AfterFunc and Stop", "live pair"),
		ofCost(2, "timers are mostly moved", ", bare or by Timer.Reset", "live reset"),
		{word: "lateness", when: "lateness counts", meaning: "99th percentile of how late functions begin, without ticks", labels: []string{"late", "catch up"}},
		{word: "memory", when: "memory or collections count", meaning: "for each timer, and the time of a garbage collection", labels: []string{"memory", "collection"}},
		{word: "idle", when: "idling counts", meaning: "CPU without ticks, and a tick with nothing due", labels: []string{"idle", "idle tick"}},
		ofCost(0, "timers are mostly started", ""),
		{word: "expire", when: "most timers come due", meaning: "take out what is due, few at a time or a burst at once", labels: []string{"expire", "burst", "run out"}},
		{word: "tail", when: "the slowest calls count", meaning: "the p99.9 of single calls", labels: []string{"tail"}},
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

// weightsLine says which questions decide what a card takes, and by what weights.
func (v *view) weightsLine() string {
	var said []string
	for _, g := range v.groups() {
		var names []string
		for _, t := range g.topics {
			if t.votes {
				names = append(names, t.name)
			}
		}
		if len(names) > 0 {
			said = append(said, fmt.Sprintf("%s (%s)", g.word, strings.Join(names, "; ")))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("The average that decides what to take counts %s, each with the same weight. The topics of a group share its weight, and the places of a topic that of the topic. "+
		"Bare operations and the slowest calls explain, and do not count.", words.List(said))
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

// groupRegrets returns the worst that each contender did in a group, by name. What is said of
// the group holds for all its places together.
func (v *view) groupRegrets(g questionGroup) map[string]Regret {
	all := map[string]Regret{}
	for _, t := range g.topics {
		for name, r := range v.regrets(t, g.places()) {
			if before, known := all[name]; !known || worse(r.ToFirst, before.ToFirst) {
				all[name] = r
			}
		}
	}
	return all
}
