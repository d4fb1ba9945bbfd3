package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

// open returns what a run does not answer, each with a command that would.
func (v *Report) open(c card.Card) (list []card.Open) {
	if ran := v.ran(); !v.data.Complete && ran != "" {
		list = append(list, card.Open{What: "what is missing", Command: ran})
	}
	if slices.ContainsFunc(c.Take.Averages, func(a card.Average) bool {
		return c.Take.Kind == card.TakeSeveral && a.Answer == judge.Unclear.String()
	}) {
		list = append(list, card.Open{What: "which is better on average", Command: fmt.Sprintf("bench --blocks %d", v.moreBlocksOfAll())})
	}
	return slices.Concat(list, v.moreProcessors(), v.unmeasured())
}

// moreBlocksOfAll is twice as many blocks as there are at most, and not less than are usual.
func (v *Report) moreBlocksOfAll() int {
	most := leastBlocks
	for _, p := range v.cells() {
		most = max(most, lists.Most(p.Standings, func(s judge.Standing) int { return len(s.Blocks) }))
	}
	return 2 * most
}

// unmeasured returns the figures that most programs would ask for and the run lacks.
func (v *Report) unmeasured() (list []card.Open) {
	add := func(what, command string) { list = append(list, card.Open{What: what, Command: command}) }
	if v.replayed() && len(v.data.Select(rundata.Live)) == 0 {
		all := strings.Join(lists.Each(v.profiles(rundata.Profiles), v.given), " ")
		add("how late on the real clock", "bench replay "+all+" --live")
	}
	if v.replaysOnly() {
		return list
	}
	if !slices.Contains(v.names, catalog.RuntimeTimer) {
		add("against time.AfterFunc", "bench --experiments cost --ops live-pair")
	}
	if v.ticking() == "" {
		add("which tick", "bench --experiments jitter,idle")
	}
	add("your own timers", "bench tune --help")
	if counts := values(v.data.Select(rundata.Cost), "pending"); len(counts) > 0 { // programs have from 100 to 10M
		if least := number(counts[0]); least > 100 {
			fewer := "bench --experiments cost --pending 10,100"
			if least > 100_000 { // the most of the default plan
				fewer = "bench"
			}
			add(fmt.Sprintf("fewer than %s timers", words.Count(least)), fewer)
		}
		if most := number(last(counts)); most < 10_000_000 {
			more := "1M"
			if most >= 1_000_000 {
				more = "10M"
			}
			add(fmt.Sprintf("more than %s timers", words.Count(most)), "bench --experiments cost,memory --pending "+more)
		}
		if len(v.data.Select(rundata.Tails)) == 0 {
			add("the slowest calls", "bench --experiments tails")
		}
	}
	return list
}
