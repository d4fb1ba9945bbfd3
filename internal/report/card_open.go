package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

// mostMoreBlocks is how many blocks are worth asking for.
const mostMoreBlocks = 200

// undecided is a measure in which it is unclear whether another contestant is better than the choice.
type undecided struct {
	measure
	cells []string
	// rivals are those that may be better, and blocks how many of each would decide it.
	rivals []string
	blocks int
}

// open returns what a run does not answer, each with a command that would.
func (v *Report) open(all []cardCell, c card.Card) (list []card.Open) {
	if ran := v.ran(); !v.data.Complete && ran != "" {
		list = append(list, card.Open{What: "what is missing", Command: ran})
	}
	if slices.ContainsFunc(c.Take.Averages, func(a card.Average) bool {
		return c.Take.Kind == card.TakeSeveral && a.Answer == judge.Unclear.String()
	}) {
		list = append(list, card.Open{What: "which is better on average", Command: fmt.Sprintf("bench --blocks %d", v.moreBlocksOfAll())})
	}
	list = append(list, v.moreGoroutines()...)
	if len(c.Take.Names) > 0 {
		list = append(list, v.openMeasures(c.Take.Names[0], all)...)
	}
	return slices.Concat(list, v.openTick(c.Tick), v.unmeasured())
}

// openTick returns the tick that the fewest blocks would decide about, if no tick clearly keeps the limits.
func (v *Report) openTick(t *card.Tick) []card.Open {
	req := v.opt.Requirement
	if t == nil || t.Tick != "" || req == (Requirement{}) {
		return nil
	}
	fixed, _ := v.wakingCosts(t.Name)
	tick, blocks := "", mostMoreBlocks+1
	late, cpu := cmp.Or(req.P99.Seconds(), math.Inf(1)), cmp.Or(req.CPUShare, math.Inf(1)) // 0 requires nothing
	for _, p := range fixed {
		enough := max(len(p.late.Blocks)+p.late.More(judge.AtMost(late)), len(p.cpu.Blocks)+p.cpu.More(judge.AtMost(cpu)))
		if p.meets == judge.Undecided && enough < blocks {
			tick, blocks = p.name(), enough
		}
	}
	if tick == "" {
		return nil
	}
	return []card.Open{{What: "whether a tick of " + tick + " keeps the limits", Command: fmt.Sprintf("bench --experiments jitter,idle --ticks %s --blocks %d", tick, blocks)}}
}

// moreBlocksOfAll is twice as many blocks as there are at most, and not less than are usual.
func (v *Report) moreBlocksOfAll() int {
	most := leastBlocks
	for _, p := range v.cells() {
		most = max(most, lists.Most(p.Standings, func(s judge.Standing) int { return len(s.Blocks) }))
	}
	return 2 * most
}

// openMeasures returns, by group, the measures in which another contestant is perhaps better than a choice.
func (v *Report) openMeasures(name string, all []cardCell) []card.Open {
	var found []*undecided
	for _, group := range lists.Groups(all, func(q cardCell) string { return q.name }) {
		u := &undecided{measure: group[0].measure}
		for _, q := range group {
			u.add(q, name)
		}
		if len(u.cells) > 0 {
			found = append(found, u)
		}
	}
	const mostMeasures, mostRivals = 2, 2 // that a card names
	return lists.Each(found[:min(len(found), mostMeasures)], func(u *undecided) card.Open {
		return card.Open{
			What:    fmt.Sprintf("which leads at %s: %s or %s", u.named(words.List(u.cells)), name, strings.Join(u.rivals[:min(len(u.rivals), mostRivals)], " or ")),
			Command: fmt.Sprintf("bench %s --blocks %d", u.flags(v.given), u.blocks),
		}
	})
}

// add adds a cell if it is unclear whether another contestant is better than a choice,
// and if a number of blocks that can be asked for would decide it.
func (u *undecided) add(q cardCell, name string) {
	var others []judge.Standing
	switch s := q.standOf(name); s.state {
	case card.CellAhead:
		others = q.here.Others(judge.Unclear)
	case card.CellUnclear:
		others = []judge.Standing{{Contestant: q.here.First(), ToFirst: s.Comparison}}
	}
	added := false
	for _, other := range others {
		blocks := other.ToFirst.Blocks + other.ToFirst.More()
		if blocks > mostMoreBlocks {
			continue
		}
		added, u.blocks = true, max(u.blocks, blocks)
		u.rivals = including(u.rivals, other.Name)
	}
	if added {
		u.cells = append(u.cells, q.here.name)
	}
}

// flags returns the flags that measure a measure again at its cells. Cells with 0 pending come with all others.
func (u *undecided) flags(given func(cell string) string) string {
	cells := lists.Only(u.cells, func(p string) bool { return p != "0" })
	if len(cells) == 0 {
		return strings.TrimSuffix(u.repeat, " --pending %s")
	}
	return strings.ReplaceAll(u.repeat, "%s", strings.Join(lists.Each(cells, given), ","))
}

// unmeasured returns the figures that most programs would ask for and the run lacks.
func (v *Report) unmeasured() (list []card.Open) {
	add := func(what, command string) { list = append(list, card.Open{What: what, Command: command}) }
	if v.replayed() && len(v.data.Select(rundata.Live)) == 0 {
		all := strings.Join(lists.Each(v.profiles(rundata.Profiles), v.given), " ")
		add("how late on the real clock", "bench replay "+all+" --live")
	}
	if v.replaysOnly() {
		return append(list, v.fewDue()...)
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

// fewDue returns an open question for each workload of a replay that had too few due timers on the real clock for a
// percentile. Its command has turns that are long enough.
func (v *Report) fewDue() (list []card.Open) {
	turn, err := time.ParseDuration(v.data.Env[rundata.LiveForKey])
	if err != nil {
		return nil
	}
	for _, p := range v.profiles(rundata.Live) {
		least := int64(fewFired)
		for _, s := range v.data.Select(rundata.Live, "profile="+p) {
			switch {
			case s.State() == rundata.NothingDue:
				least = 0
			case s.Note == "" && s.Late != nil:
				least = min(least, s.Late.TotalCount())
			}
		}
		if least < fewFired {
			need := (turn * fewFired / time.Duration(max(least, 1))).Round(time.Second) + time.Second
			list = append(list, card.Open{What: fmt.Sprintf("the 99th percentile of lateness in %s (%d timers were due, want %d)", p, least, fewFired),
				Command: fmt.Sprintf("bench replay %s --live --live-for %v", v.given(p), need)})
		}
	}
	return list
}

// repeatOp returns the flags that measure an operation again at some cells. OpLiveReset comes with OpLivePair.
func repeatOp(op string) string {
	asked := map[string]string{rundata.OpLiveReset: rundata.OpLivePair}
	return "--experiments cost --ops " + cmp.Or(asked[op], op) + " --pending %s"
}
