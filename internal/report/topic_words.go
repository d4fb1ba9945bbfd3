package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// topicSentence says who is in front where, and who is as fast, "" where all is unclear: that
// has a table of its own.
func (v *view) topicSentence(t topic) string {
	contests := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { return len(p.Standings) < 2 })
	if len(contests) == 0 {
		return ""
	}
	if !slices.ContainsFunc(contests, func(p place) bool { return p.Standings[1].ToFirst.Blocks > 1 }) {
		return words.Capital(t.name) + ": unclear, since one block has no interval."
	}
	said := slices.Concat(t.wonWords(contests), t.sameWords(contests, v.margin()))
	if len(said) == 0 {
		return ""
	}
	if t.note != "" {
		said = append(said, t.note)
	}
	return words.Capital(t.name) + ": " + strings.Join(said, "; ") + "."
}

// wonWords say who leads where: significantly ahead of all others.
func (t topic) wonWords(contests []place) (said []string) {
	for _, group := range grouped(contests, func(p place) bool { return p.Won() }, func(p place) string { return p.First().Name }) {
		least, most := math.Inf(1), math.Inf(-1)
		var next []string
		for _, p := range group {
			second := p.Standings[1]
			least, most = min(least, second.ToFirst.Ratio), max(most, second.ToFirst.Ratio)
			if !slices.Contains(next, second.Name) {
				next = append(next, second.Name)
			}
		}
		said = append(said, fmt.Sprintf("%s leads %s, and the next (%s) takes %s %s", group[0].First().Name,
			t.listed(group, contests), strings.Join(next, ", "), between(least, most), t.takes))
	}
	return said
}

// sameWords say who is in front together, where no comparison is unclear.
func (t topic) sameWords(contests []place, margin string) (said []string) {
	same := func(p place) bool { return !p.Won() && len(p.Others(judge.Unclear)) == 0 }
	key := func(p place) string {
		front := append(namesOf(p.Others(judge.AsFast)), p.First().Name)
		if p.negligible > 0 { // the ratio may be any
			slices.Sort(front)
			return words.List(front) + " differ by too little to notice"
		}
		if len(front) == 2 { // whichever of them is first
			slices.Sort(front)
			return words.List(front) + " are in front, within " + margin + " of each other"
		}
		return fmt.Sprintf("%s is in front, and %s are within %s of it", p.First().Name, words.List(front[:len(front)-1]), margin)
	}
	for _, group := range grouped(contests, same, key) {
		said = append(said, key(group[0])+", "+t.listed(group, contests))
	}
	return said
}

// namesOf lists the names of some standings.
func namesOf(standings []judge.Standing) (names []string) {
	for _, s := range standings {
		names = append(names, s.Name)
	}
	return names
}

// listed names the places of a group, as a range if it leaves none of all out.
func (t topic) listed(group, all []place) string {
	var names []string
	for _, p := range group {
		names = append(names, p.name)
	}
	list := words.List(names)
	first := slices.IndexFunc(all, func(p place) bool { return p.name == names[0] })
	if last := names[len(names)-1]; t.ranges() && len(names) > 2 && all[first+len(names)-1].name == last {
		list = names[0] + " to " + last
	}
	return fmt.Sprintf(t.where, list)
}

// ranges reports whether the places of a topic have an order that means something.
func (t topic) ranges() bool { return strings.HasSuffix(t.where, " pending") }

// grouped returns what is wanted of a list, by key in the order of its first
// appearance.
func grouped[T any](list []T, wanted func(T) bool, key func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, one := range list {
		if !wanted(one) {
			continue
		}
		i, known := at[key(one)]
		if !known {
			i = len(groups)
			at[key(one)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], one)
	}
	return groups
}

// between writes a range of ratios, as one if both ends look the same.
func between(least, most float64) string {
	if words.Times(least) == words.Times(most) {
		return words.Times(least)
	}
	return words.Times(least) + " to " + words.Times(most)
}

// factorOf writes how many times as much something is, with its interval.
func factorOf(c judge.Comparison) string {
	if c.Blocks < 2 {
		return words.Times(c.Ratio)
	}
	return fmt.Sprintf("%s (%s to %s)", words.Times(c.Ratio), words.Times(c.Low), words.Times(c.High))
}
