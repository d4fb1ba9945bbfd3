package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
)

// lossQuestion is who is slower than what Go has, and how much.
var lossQuestion = question{sentences: (*view).losses}

// versus is how a contender compares with the yardstick of a topic at a place.
type versus struct {
	name  string
	topic topic
	place string
	judge.Comparison
}

// againstYardsticks compares all contenders with Go's own at each place. The intervals of
// all that is said of one contender and one of these hold together.
func (v *view) againstYardsticks() (all []versus) {
	places := map[string]int{}
	for _, t := range v.topics {
		places[t.yardstick] += len(t.places)
	}
	for _, t := range v.topics {
		if t.yardstick == "" {
			continue
		}
		for _, p := range t.places {
			i := slices.IndexFunc(p.contenders, func(c judge.Contender) bool { return c.Name == t.yardstick })
			if i < 0 {
				continue
			}
			for _, c := range p.contenders {
				if c.Name != t.yardstick {
					all = append(all, versus{c.Name, t, p.name, judge.Compare(c.Blocks, p.contenders[i].Blocks, v.terms(t, p, places[t.yardstick]))})
				}
			}
		}
	}
	return all
}

// losses says who loses to what Go has, the largest loss first, and how much faster the
// others are.
func (v *view) losses() (lines []string) {
	all := v.againstYardsticks()
	lost := slices.DeleteFunc(slices.Clone(all), func(a versus) bool { return a.Answer != judge.Slower })
	slices.SortStableFunc(lost, func(a, b versus) int { return cmp.Compare(b.Ratio, a.Ratio) })
	for _, group := range grouped(lost, func(versus) bool { return true }, func(a versus) string { return a.name + " " + a.topic.yardstick }) {
		worst := group[0]
		line := fmt.Sprintf("%s loses to %s: it takes %s %s at %s", worst.name, worst.topic.yardstick, factorOf(worst.Comparison), worst.topic.takes, worst.spot())
		if more := v.alsoLost(group[1:]); more != "" {
			line += "; it loses too at " + more
		}
		lines = append(lines, line+".")
	}
	return append(lines, v.gains(all)...)
}

// spot names the topic and the place of a comparison.
func (a versus) spot() string { return a.topic.name + " " + fmt.Sprintf(a.topic.where, a.place) }

// alsoLost names the spots of further losses, those of a topic together.
func (v *view) alsoLost(lost []versus) string {
	var said []string
	for _, group := range grouped(lost, func(versus) bool { return true }, func(a versus) string { return a.topic.name }) {
		var places []string
		least, most := group[0].Ratio, group[0].Ratio
		for _, a := range group {
			places = append(places, a.place)
			least, most = min(least, a.Ratio), max(most, a.Ratio)
		}
		t := group[0].topic
		said = append(said, fmt.Sprintf("%s %s (%s)", t.name, fmt.Sprintf(t.where, words.List(v.inPlaceOrder(t, places))), between(least, most)))
	}
	return strings.Join(said, ", ")
}

// inPlaceOrder returns places in the order that they have in their topic.
func (v *view) inPlaceOrder(t topic, names []string) (ordered []string) {
	for _, p := range t.places {
		if slices.Contains(names, p.name) {
			ordered = append(ordered, p.name)
		}
	}
	return ordered
}

// gains says of each yardstick how many times as long it takes as whoever is in front at
// the last place of each topic, as far as that was told.
func (v *view) gains(all []versus) (lines []string) {
	type gain struct{ key, said string }
	var gains []gain
	for _, t := range v.topics {
		if t.yardstick == "" {
			continue
		}
		last := t.places[len(t.places)-1]
		contest := v.contest(t, last)
		i := slices.IndexFunc(all, func(a versus) bool {
			return a.topic.name == t.name && a.place == last.name && a.name == contest.First().Name && a.Answer == judge.Faster
		})
		if i >= 0 {
			c := all[i].Comparison
			gains = append(gains, gain{
				fmt.Sprintf("What %s takes, against whoever is in front %s", t.yardstick, fmt.Sprintf(t.where, last.name)),
				fmt.Sprintf("%s %s (%s to %s, %s)", t.name, words.Times(1/c.Ratio), words.Times(1/c.High), words.Times(1/c.Low), all[i].name),
			})
		}
	}
	for _, group := range grouped(gains, func(gain) bool { return true }, func(g gain) string { return g.key }) {
		var said []string
		for _, g := range group {
			said = append(said, g.said)
		}
		lines = append(lines, group[0].key+": "+strings.Join(said, "; ")+".")
	}
	return lines
}
