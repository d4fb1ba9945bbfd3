package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// contestantsAt returns the net times of the contestants of a cell. Baselines are
// for comparison and do not compete.
func (v *view) contestantsAt(op, delay string, pending int) (all []judge.Contender) {
	for _, name := range v.names {
		if !baseline(name) {
			values, _ := v.net(v.costAt(op, delay, name, pending))
			all = append(all, judge.Contender{Name: name, Blocks: values})
		}
	}
	return all
}

// leadsOf returns who is in front at an operation with its main distribution of
// delays, ascending by what is pending.
func (v *view) leadsOf(op string) (all []placedLead) {
	delay := v.delays(op)[0]
	_, again := v.costsAgain("op=" + op)
	sizes := integers(v.data.Select(harness.Cost, "op="+op, "delay="+delay), "pending")
	for _, n := range sizes {
		if l := judge.Leading(v.contestantsAt(op, delay, n), len(sizes), judge.LargestNoise(again)); len(l.Ranked) > 1 {
			all = append(all, placedLead{words.Count(float64(n)), l})
		}
	}
	return all
}

// costLeads has a sentence for each operation.
func (v *view) costLeads() (lines []string) {
	most := 0
	for _, op := range v.ops() {
		all := v.leadsOf(op)
		if len(all) == 0 {
			continue
		}
		most = max(most, len(all))
		where := func(group []placedLead) string { return "at " + sizesOf(group, all) + " pending" }
		lines = append(lines, fmt.Sprintf("%s: %s.", words.Capital(op),
			strings.Join(leadWords(all, judge.Lead.BeatsNext, where, firstTwo), "; ")))
	}
	if rounds := v.rounds(); most > 0 && rounds < judge.RoundsFor(most) {
		lines = append(lines, fmt.Sprintf("%d rounds are too few to separate anybody at %d sizes; it takes %d.",
			rounds, most, judge.RoundsFor(most)))
	}
	return lines
}

// firstTwo names the two in front: the same two are one pair, whoever is first.
func firstTwo(p placedLead) string {
	a, b := p.Ranked[0].Name, p.Ranked[1].Name
	return min(a, b) + " and " + max(a, b)
}

// rounds returns the most samples that a cost has.
func (v *view) rounds() int {
	most := 0
	for _, s := range v.data.Select(harness.Cost) {
		most = max(most, len(samples(s, harness.NsPerOp)))
	}
	return most
}

// sizesOf names the places of a group, as a range if it has no gaps.
func sizesOf(group, all []placedLead) string {
	first := slices.IndexFunc(all, func(p placedLead) bool { return p.at == group[0].at })
	last := group[len(group)-1]
	if len(group) > 2 && all[first+len(group)-1].at == last.at {
		return group[0].at + " to " + last.at
	}
	return inPlaces(group)
}

// yardstick returns the baseline of an operation: time.AfterFunc, which is what
// Go has, or else container/heap, or "". An idle tick has none: with a heap it
// is one comparison, whoever wrote the heap.
func (v *view) yardstick(op string) string {
	if op == harness.OpTick {
		return ""
	}
	for _, name := range []string{catalog.RuntimeTimer, catalog.ContainerHeap} {
		if len(v.data.Select(harness.Cost, "op="+op, "impl="+name)) > 0 {
			return name
		}
	}
	return ""
}

// ratioTo compares a contestant with a baseline in one cell; N is 0 if one of
// them was not measured.
func (v *view) ratioTo(base, op, delay, name string, pending, comparisons int) judge.Ratio {
	a, _ := v.net(v.costAt(op, delay, name, pending))
	b, _ := v.net(v.costAt(op, delay, base, pending))
	return judge.Paired(a, b, comparisons)
}

// clause is something that is said of operations, and of which it is said together.
type clause struct{ together, said string }

// clauses returns what is said of each operation, as far as there is something, with
// those together that belong together.
func (v *view) clauses(of func(op string) clause) [][]clause {
	var all []clause
	for _, op := range v.ops() {
		all = append(all, of(op))
	}
	return grouped(all, func(c clause) bool { return c.together != "" }, func(c clause) string { return c.together })
}

// allSaid joins what is said together.
func allSaid(group []clause) string {
	var said []string
	for _, c := range group {
		said = append(said, c.said)
	}
	return strings.Join(said, ", ")
}

// factors says how many times as fast as the baseline the fastest contestant
// is with the most pending.
func (v *view) factors() (lines []string) {
	for _, group := range v.clauses(v.factor) {
		lines = append(lines, group[0].together+": "+allSaid(group)+".")
	}
	return lines
}

// factor says what an operation is compared with, and who is how many times as fast.
func (v *view) factor(op string) clause {
	base, delay := v.yardstick(op), v.delays(op)[0]
	for _, n := range slices.Backward(integers(v.data.Select(harness.Cost, "op="+op, "impl="+base), "pending")) {
		ranked := judge.Rank(v.contestantsAt(op, delay, n))
		if len(ranked) == 0 {
			continue
		}
		own, _ := v.net(v.costAt(op, delay, base, n))
		if r := judge.Paired(own, ranked[0].Blocks, 1); r.N > 0 {
			return clause{fmt.Sprintf("Times as fast as %s with %s pending", base, words.Count(float64(n))),
				op + " " + ranked[0].Name + " " + factorOf(r)}
		}
	}
	return clause{}
}

// losses says from how many pending on a contestant is slower than the baseline.
func (v *view) losses() (lines []string) {
	for _, name := range v.names {
		for _, group := range v.clauses(func(op string) clause { return clause{v.loss(op, name), op} }) {
			lines = append(lines, fmt.Sprintf("%s loses to %s (%s).", name, group[0].together, allSaid(group)))
		}
	}
	return lines
}

// loss returns the baseline that a contestant loses to and from where on, or
// "" if it keeps up to the most pending that it was measured with.
func (v *view) loss(op, name string) string {
	base, delay := v.yardstick(op), v.delays(op)[0]
	if base == "" || baseline(name) {
		return ""
	}
	sizes := integers(v.data.Select(harness.Cost, "op="+op, "delay="+delay, "impl="+name), "pending")
	sizes = slices.DeleteFunc(sizes, func(n int) bool { return v.ratioTo(base, op, delay, name, n, 1).N == 0 })
	from := len(sizes)
	for from > 0 && v.ratioTo(base, op, delay, name, sizes[from-1], len(sizes)).Above() {
		from--
	}
	switch {
	case from == len(sizes):
		return ""
	case from == 0:
		return base + " at every size"
	}
	return fmt.Sprintf("%s beyond %s pending", base, words.Count(float64(sizes[from-1])))
}
