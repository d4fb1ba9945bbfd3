package report

import (
	"cmp"
	"fmt"
	"slices"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/judge"
)

// because returns the figures of a choice.
func (v *view) because(name string) CardBecause {
	return CardBecause{AfterFunc: v.besideAfterFunc(name), Memory: v.cardMemory(name), Idle: v.cardIdle(name)}
}

// besideAfterFunc compares time.AfterFunc with a choice: at starting and stopping timers if a
// difference is told there, or else at the first question in which one is, each with the most
// timers.
func (v *view) besideAfterFunc(name string) *CardFactor {
	list := slices.DeleteFunc(v.againstYardsticks(), func(a versus) bool {
		return a.topic.ways || a.topic.yardstick != catalog.RuntimeTimer || a.name != name || a.Blocks == 0
	})
	only := func(wanted func(versus) bool) {
		if slices.ContainsFunc(list, wanted) {
			list = slices.DeleteFunc(list, func(a versus) bool { return !wanted(a) })
		}
	}
	pair := func(a versus) bool { return a.topic.name == OperationOf(harness.OpLivePair).Word }
	told := func(a versus) bool { return a.Answer == judge.Faster || a.Answer == judge.Slower }
	only(func(a versus) bool { return pair(a) && told(a) })
	only(told)
	only(pair)
	if len(list) == 0 {
		return nil
	}
	topic := list[0].topic.name
	only(func(a versus) bool { return a.topic.name == topic })
	best := list[len(list)-1]
	return factor(catalog.RuntimeTimer, name, best.spot(), best.topic.takes, inverse(best.Comparison))
}

// inverse returns the comparison the other way round.
func inverse(c judge.Comparison) judge.Comparison {
	opposite := map[judge.Answer]judge.Answer{judge.Faster: judge.Slower, judge.Slower: judge.Faster}
	return judge.Comparison{Ratio: 1 / c.Ratio, Low: 1 / c.High, High: 1 / c.Low, Blocks: c.Blocks, Answer: cmp.Or(opposite[c.Answer], c.Answer)}
}

// cardMemory returns what a timer takes, behind a driver if that was measured, with the most
// pending.
func (v *view) cardMemory(name string) *CardMemory {
	held := holdings()
	for _, h := range []struct {
		series    []*harness.Series
		yardstick string
	}{{v.pendingMemory(held[1]), catalog.RuntimeTimer}, {v.pendingMemory(held[0]), ""}} {
		d := harness.Data{Series: h.series}
		counts := integers(d.Select("", "impl="+name), "pending")
		if len(counts) == 0 || name == catalog.RuntimeTimer {
			continue
		}
		pending := counts[len(counts)-1]
		of := func(name string) []float64 {
			if found := d.Select("", "impl="+name, fmt.Sprintf("pending=%d", pending)); len(found) > 0 {
				return blocksOf(found[0], harness.ChurnedPerTimer)
			}
			return nil
		}
		own := summarize(of(name))
		if own.N == 0 {
			continue
		}
		m := &CardMemory{Bytes: Figure(own.Median), Pending: pending}
		if h.yardstick != "" && v.differsInMemory(name, h.yardstick) {
			m.AfterFunc = Figure(summarize(of(h.yardstick)).Median)
		}
		return m
	}
	return nil
}

// differsInMemory reports whether a yardstick is told to take more, or less, memory than
// somebody with the most timers pending.
func (v *view) differsInMemory(name, yardstick string) bool {
	all := slices.DeleteFunc(v.againstYardsticks(), func(a versus) bool {
		return a.name != name || a.topic.yardstick != yardstick || a.topic.takes != "as much"
	})
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.Answer == judge.Faster || last.Answer == judge.Slower
}

// cardIdle returns what a choice takes without ticks while nothing is due.
func (v *view) cardIdle(name string) *CardIdle {
	waking := harness.Tickless
	if name == catalog.RuntimeTimer {
		waking = harness.RuntimeWaking
	}
	s := v.idleShare(name, waking, v.idlePending())
	if s.N == 0 || v.process(v.idlePending()) == nil {
		return nil
	}
	return &CardIdle{Share: Figure(s.Median), Told: s.Bounded() && s.Low > 0}
}

// unless returns where others are told to be better than a choice: of each of them in each
// group the largest difference, the largest of all first. Whoever is told to be behind by as
// much elsewhere in the group is no better advice for it.
func (v *view) unless(name string, all []inquiry) (found []CardUnless) {
	behind := slices.DeleteFunc(stands(name, all), func(s stand) bool { return !s.took || !s.behind() })
	for _, group := range grouped(behind, func(stand) bool { return true }, func(s stand) string { return s.here.First().Name + " " + s.group }) {
		worst, _ := worstStand(group)
		other, _ := worstStand(ofGroup(stands(worst.here.First().Name, all), worst.group))
		if other.behind() && other.toFirst.Ratio >= worst.toFirst.Ratio {
			continue
		}
		found = append(found, CardUnless{Group: worst.group, Worst: *worst.factor(name), Places: len(group)})
	}
	slices.SortStableFunc(found, func(a, b CardUnless) int { return cmp.Compare(b.Worst.Ratio, a.Worst.Ratio) })
	return found
}
