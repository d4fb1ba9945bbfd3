package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// topicSentence says who is in front where, who is as fast, and what is unclear, "" without
// any comparison.
func (v *view) topicSentence(t topic) string {
	contests := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { return len(p.Standings) < 2 })
	if len(contests) == 0 {
		return ""
	}
	if most(contests, func(p place) int { return p.Standings[1].ToFirst.Blocks }) < 2 {
		return words.Capital(t.name) + ": unclear, since one block has no interval."
	}
	said := slices.Concat(t.wonWords(contests), t.sameWords(contests, v.margin()), t.openWords(contests))
	if t.note != "" {
		said = append(said, t.note)
	}
	return words.Capital(t.name) + ": " + strings.Join(said, "; ") + "."
}

// clearSentence is topicSentence without the places where it is unclear who leads, "" if no
// place is clear.
func (v *view) clearSentence(t topic) string {
	contests := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { return len(p.Standings) < 2 })
	said := slices.Concat(t.wonWords(contests), t.sameWords(contests, v.margin()))
	if len(said) == 0 {
		return ""
	}
	return words.Capital(t.name) + ": " + strings.Join(said, "; ") + "."
}

// most returns the largest of what is counted of some contests.
func most(contests []place, of func(place) int) (largest int) {
	for _, p := range contests {
		largest = max(largest, of(p))
	}
	return largest
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
			takes := "take"
			if len(front) == 2 {
				takes = "takes"
			}
			return fmt.Sprintf("%s is in front, and %s %s too little more to notice", p.First().Name, words.List(front[:len(front)-1]), takes)
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

// mostOpen is how many unclear rivals of the first are named at a place.
const mostOpen = 2

// openWords say where it is unclear who leads, and how many more blocks would decide it.
// Those nearest to the front are named; the others are in the table of answers.
func (t topic) openWords(contests []place) (said []string) {
	for _, p := range contests {
		open := p.Others(judge.Unclear)
		if len(open) == 0 {
			continue
		}
		who := []string{p.First().Name}
		for _, s := range open[:min(len(open), mostOpen)] {
			who = append(who, fmt.Sprintf("%s (%s)", s.Name, openly(s.ToFirst)))
		}
		switch more := len(open) + len(p.Others(judge.AsFast)) - len(who) + 1; {
		case more == 1:
			who = append(who, "another")
		case more > 1:
			who = append(who, fmt.Sprintf("%d others", more))
		}
		said = append(said, fmt.Sprintf("it is unclear who leads %s: %s", fmt.Sprintf(t.where, p.name), strings.Join(who, " or ")))
	}
	return said
}

// openly writes an unclear comparison: its ratio with the interval, as far as there is one,
// and how many more blocks would decide it.
func openly(c judge.Comparison) string { return intervalOf(c) + "; " + moreBlocks(c.More()) }

// intervalOf writes a ratio with its interval, if that says something.
func intervalOf(c judge.Comparison) string {
	if c.Blocks < 2 || c.High > judge.BeyondSense*c.Low {
		return fmt.Sprintf("%s, too few or too different %s", words.Times(c.Ratio), words.Many(c.Blocks, "block"))
	}
	return fmt.Sprintf("%s, %s to %s", words.Times(c.Ratio), words.Times(c.Low), words.Times(c.High))
}

// moreBlocks says how many more blocks would decide a comparison.
func moreBlocks(n int) string {
	if n >= judge.TooMany {
		return fmt.Sprintf("more than %d more blocks", judge.TooMany)
	}
	return words.Many(n, "more block")
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
