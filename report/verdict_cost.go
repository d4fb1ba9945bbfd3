package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// duel is how the two fastest contestants of a cell compare.
type duel struct {
	pending       int
	first, second string
	// ratio is of the second to the first: how many times as fast the first is.
	ratio judge.Ratio
	clear bool
}

// entrant is a contestant's net times in a cell.
type entrant struct {
	name   string
	values []float64
	median float64
}

// entrants returns who was measured in a cell, the fastest first. Baselines are
// for comparison and do not compete.
func (v *view) entrants(op, delay string, pending int) []entrant {
	var found []entrant
	for _, name := range v.names {
		if baseline(name) {
			continue
		}
		values, _ := v.net(v.costAt(op, delay, name, pending))
		if s := summarize(values); s.N > 0 {
			found = append(found, entrant{name, values, s.Median})
		}
	}
	slices.SortStableFunc(found, fastest)
	return found
}

// fastest orders entrants by their medians.
func fastest(a, b entrant) int { return cmp.Compare(a.median, b.median) }

// duels returns the duels of an operation with its main distribution of
// delays, ascending by what is pending.
func (v *view) duels(op string) []duel {
	delay := v.delays(op)[0]
	noise := worst(v.sames(op))
	sizes := integers(v.data.Select(harness.Cost, "op="+op, "delay="+delay), "pending")
	var found []duel
	for _, n := range sizes {
		e := v.entrants(op, delay, n)
		if len(e) < 2 {
			continue
		}
		d := duel{pending: n, first: e[0].name, second: e[1].name}
		d.ratio = judge.Paired(e[1].values, e[0].values, len(sizes))
		d.clear = d.ratio.Separated && d.ratio.Low > 1 && d.ratio.Median > noise
		found = append(found, d)
	}
	return found
}

// leadLines has a sentence for each operation.
func (v *view) leadLines() []string {
	var lines []string
	most := 0
	for _, op := range v.ops() {
		if duels := v.duels(op); len(duels) > 0 {
			most = max(most, len(duels))
			lines = append(lines, fmt.Sprintf("%s: %s.", capital(op), strings.Join(leads(duels), "; ")))
		}
	}
	if rounds := v.rounds(); most > 0 && rounds < enough(most) {
		lines = append(lines, fmt.Sprintf("%d rounds are too few to separate anybody at %d sizes; it takes %d.",
			rounds, most, enough(most)))
	}
	return lines
}

// rounds returns the most samples that a cost has.
func (v *view) rounds() int {
	most := 0
	for _, s := range v.data.Select(harness.Cost) {
		most = max(most, len(samples(s, harness.NsPerOp)))
	}
	return most
}

// enough returns how many rounds it takes for an interval of a median that is
// corrected for a number of comparisons: all samples lie on one side of the
// true median with a chance of 2/2ⁿ.
func enough(comparisons int) int {
	return int(math.Ceil(math.Log2(2 * float64(comparisons) / (1 - judge.Confidence))))
}

// leads groups the duels: who leads where, then who cannot be told apart.
func leads(duels []duel) []string {
	var said []string
	for _, group := range grouped(duels, func(d duel) string { return d.first }, true) {
		lo, hi := math.Inf(1), math.Inf(-1)
		var next []string
		for _, d := range group {
			lo, hi = min(lo, d.ratio.Median), max(hi, d.ratio.Median)
			if !slices.Contains(next, d.second) {
				next = append(next, d.second)
			}
		}
		said = append(said, fmt.Sprintf("%s leads at %s pending, %s as fast as the next (%s)",
			group[0].first, pendings(group, duels), between(lo, hi), strings.Join(next, ", ")))
	}
	// The same two are one pair, whoever happens to be in front.
	pair := func(d duel) string { return min(d.first, d.second) + " and " + max(d.first, d.second) }
	for _, group := range grouped(duels, pair, false) {
		said = append(said, fmt.Sprintf("%s in front and not separated at %s pending",
			pair(group[0]), pendings(group, duels)))
	}
	return said
}

// grouped returns the duels that are clear, or those that are not, by key in
// the order of their first appearance.
func grouped(duels []duel, key func(duel) string, sure bool) [][]duel {
	var keys []string
	groups := map[string][]duel{}
	for _, d := range duels {
		if d.clear != sure {
			continue
		}
		if k := key(d); groups[k] == nil {
			keys = append(keys, k)
		}
		groups[key(d)] = append(groups[key(d)], d)
	}
	var found [][]duel
	for _, k := range keys {
		found = append(found, groups[k])
	}
	return found
}

// pendings names the cells of a group, as a range if it has no gaps.
func pendings(group, all []duel) string {
	first := slices.IndexFunc(all, func(d duel) bool { return d.pending == group[0].pending })
	last := group[len(group)-1]
	if len(group) > 2 && all[first+len(group)-1].pending == last.pending {
		return words.Count(float64(group[0].pending)) + " to " + words.Count(float64(last.pending))
	}
	var sizes []string
	for _, d := range group {
		sizes = append(sizes, words.Count(float64(d.pending)))
	}
	return listed(sizes)
}

// between writes a range of ratios, as one if both ends look the same.
func between(lo, hi float64) string {
	if words.Times(lo) == words.Times(hi) {
		return words.Times(lo)
	}
	return words.Times(lo) + " to " + words.Times(hi)
}

// same is a contestant measured twice in one cell.
type same struct {
	name  string
	ratio judge.Ratio
}

// sames returns all second measurements of an operation, or of all with "".
func (v *view) sames(op string) []same {
	var found []same
	for _, s := range v.data.Select(harness.Cost) {
		name := s.Get("impl")
		if !again(name) || op != "" && s.Get("op") != op {
			continue
		}
		params := []string{"impl=" + strings.TrimSuffix(name, harness.AgainSuffix)}
		for _, p := range s.Params {
			if p.Key != "impl" {
				params = append(params, p.Key+"="+p.Value)
			}
		}
		second, _ := v.net(s)
		first, _ := v.net(v.one(harness.Cost, params...))
		if r := judge.Paired(second, first, 1); r.N > 0 {
			found = append(found, same{name, r})
		}
	}
	return found
}

// worst returns the largest ratio of a contestant to itself, 1 without any.
func worst(pairs []same) float64 {
	largest := 1.0
	for _, p := range pairs {
		largest = max(largest, p.ratio.Median, 1/p.ratio.Median)
	}
	return largest
}
