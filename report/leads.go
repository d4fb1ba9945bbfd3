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

// placedLead is who is in front at one place: with so many pending, or in a
// workload.
type placedLead struct {
	at string
	judge.Lead
}

// leadWords says who leads where, then which pairs cannot be told apart: clear says
// whether a lead is one, where names the places of some of all, and pair the two in
// front, whichever of them happens to be first.
func leadWords(all []placedLead, clear func(judge.Lead) bool, where func(group []placedLead) string, pair func(placedLead) string) (said []string) {
	leads := func(p placedLead) bool { return clear(p.Lead) }
	for _, group := range grouped(all, leads, func(p placedLead) string { return p.Ranked[0].Name }) {
		least, most := math.Inf(1), math.Inf(-1)
		var next []string
		for _, p := range group {
			least, most = min(least, p.Next.Median), max(most, p.Next.Median)
			if second := p.Ranked[1].Name; !slices.Contains(next, second) {
				next = append(next, second)
			}
		}
		said = append(said, fmt.Sprintf("%s leads %s, %s as fast as the next (%s)",
			group[0].Ranked[0].Name, where(group), between(least, most), strings.Join(next, ", ")))
	}
	tied := func(p placedLead) bool { return len(p.Front) > 1 && !leads(p) }
	for _, group := range grouped(all, tied, pair) {
		said = append(said, fmt.Sprintf("%s in front and not separated %s", pair(group[0]), where(group)))
	}
	return said
}

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

// factorOf writes how many times as fast something is, with its interval.
func factorOf(r judge.Ratio) string {
	if !r.Bounded() {
		return words.Times(r.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", words.Times(r.Median), words.Times(r.Low), words.Times(r.High))
}

// leadOrTie says who leads among some at one place, or which two are in front, and
// how the fastest compares with time.AfterFunc, "" of fewer than two. Baselines
// compete here.
func leadOrTie(all []judge.Contender, where string) string {
	l := judge.Leading(all, 1, 1)
	if len(l.Ranked) < 2 {
		return ""
	}
	first, second := l.Ranked[0].Name, l.Ranked[1].Name
	said := fmt.Sprintf("%s and %s in front and not separated %s", first, second, where)
	if l.BeatsNext() {
		said = fmt.Sprintf("%s leads %s, %s as fast as %s", first, where, words.Times(l.Next.Median), second)
	}
	if i := ofAfterFunc(l.Ranked); i >= 2 { // those before are named already
		r := judge.Paired(l.Ranked[i].Blocks, l.Ranked[0].Blocks, 1)
		said += fmt.Sprintf(", and %s as fast as %s", factorOf(r), catalog.RuntimeTimer)
	}
	return said
}

// ofAfterFunc returns where time.AfterFunc is among some, and -1 if it is not.
func ofAfterFunc(ranked []judge.Contender) int {
	return slices.IndexFunc(ranked, func(c judge.Contender) bool { return c.Name == catalog.RuntimeTimer })
}

// frontOf says who has the least of something, or which two cannot be told
// apart, and what time.AfterFunc has.
func frontOf(series []*harness.Series, unit string) string {
	var all []judge.Contender
	for _, s := range series {
		all = append(all, judge.Contender{Name: s.Get("impl"), Blocks: samples(s, unit)})
	}
	ranked := judge.Rank(all)
	if len(ranked) == 0 {
		return ""
	}
	front := fmt.Sprintf("%s with %s", words.Time(ranked[0].Median), ranked[0].Name)
	if l := judge.Leading(ranked, len(ranked)-1, 1); len(ranked) > 1 && !l.BeatsNext() {
		front += " (not separated from " + ranked[1].Name + ")"
	}
	if i := ofAfterFunc(ranked); i > 0 {
		front += fmt.Sprintf(" and %s with %s", words.Time(ranked[i].Median), catalog.RuntimeTimer)
	}
	return front
}

// inPlaces says places one after the other.
func inPlaces(group []placedLead) string {
	var places []string
	for _, p := range group {
		places = append(places, p.at)
	}
	return words.List(places)
}
