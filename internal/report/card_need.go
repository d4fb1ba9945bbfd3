package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

// usualPending is how many timers are pending where a card asks whether a scheduler is needed.
const usualPending = 100_000

// needed returns what time.AfterFunc takes more, or less, for a start and a stop than the
// contestant to take: by one goroutine, and by as many as processors.
func (v *view) needed(t card.Take) (list []card.Need) {
	name := v.instead(t)
	if name == "" {
		return nil
	}
	c := liveCalls[0]
	asked := v.goroutinesAsked(c)
	for _, g := range asked {
		if need, measured := v.need(c, g, name, len(asked)); measured {
			list = append(list, need)
		}
	}
	return list
}

// instead returns the scheduler that stands against time.AfterFunc: the one to take, or where
// that is what Go has, the one that costs least on average.
func (v *view) instead(t card.Take) string {
	switch {
	case t.Kind == card.TakeGo && len(t.Averages) > 0:
		return t.Averages[0].Name
	case len(t.Names) > 0:
		return t.Names[0]
	}
	return ""
}

// need compares time.AfterFunc with a contestant, where nearest to usualPending are pending.
// All that is stated holds together.
func (v *view) need(c liveCall, goroutines, name string, stated int) (need card.Need, measured bool) {
	counts := integers(v.livePairs(c), "pending")
	slices.SortStableFunc(counts, func(a, b int) int { return cmp.Compare(farFrom(a), farFrom(b)) })
	for _, unit := range []string{rundata.CPUPerOp, rundata.NsPerOp} {
		for _, n := range counts {
			go_, own := blocksOf(v.liveAt(c, catalog.RuntimeTimer, goroutines, n), unit), blocksOf(v.liveAt(c, name, goroutines, n), unit)
			if d := judge.MedianDifference(go_, own, judge.Terms{Comparisons: cardParts * stated}); d.Blocks > 0 {
				return card.Need{Goroutines: max(int(number(goroutines)), 1), Pending: n, Name: name, CPU: unit == rundata.CPUPerOp,
					More: card.Figure(d.Value), Low: card.Figure(d.Low), High: card.Figure(d.High), Blocks: d.Blocks,
					Answer: d.Answer.String(), Rate: card.Figure(1e9 * judge.Imperceptible / math.Abs(d.Value))}, true
			}
		}
	}
	return need, false
}

// farFrom is how far a count is from usualPending, as a ratio.
func farFrom(n int) float64 { return math.Abs(math.Log(float64(max(n, 1)) / usualPending)) }

// byGoroutines compares time.AfterFunc with a choice at AfterFunc and Stop, by one goroutine and
// by the most measured: with the most timers that both have. Without a second number it is the
// first alone, and without one goroutine nothing.
func byGoroutines(all []versus, name string) []card.Goroutines {
	of := map[int][]versus{} // in the order of places
	for _, a := range all {
		if a.name == name && a.Blocks > 0 && a.topic.goroutines > 0 {
			of[a.topic.goroutines] = append(of[a.topic.goroutines], a)
		}
	}
	figure := func(a versus) card.Goroutines {
		return card.Goroutines{Goroutines: a.topic.goroutines, Beside: *factor(catalog.RuntimeTimer, name, a.spot(), a.topic.takes, inverse(a.Comparison))}
	}
	one := of[1]
	if len(one) == 0 {
		return nil
	}
	delete(of, 1)
	for _, most := range slices.Backward(slices.Sorted(maps.Keys(of))) {
		for _, a := range slices.Backward(one) {
			if i := slices.IndexFunc(of[most], func(b versus) bool { return b.place == a.place }); i >= 0 {
				return []card.Goroutines{figure(a), figure(of[most][i])}
			}
		}
	}
	return []card.Goroutines{figure(one[len(one)-1])}
}

// ofOne reports whether a factor is of AfterFunc and Stop by one goroutine.
func ofOne(f *card.Factor) bool {
	return f != nil && strings.HasPrefix(f.Question, liveCalls[0].calls()+" with ")
}

// usualGoroutines is up to how many goroutines at once many programs start and stop timers.
const usualGoroutines = 8

// moreGoroutines returns that more goroutines at once were not measured, or that the machine has
// few processors for them.
func (v *view) moreGoroutines() []card.Open {
	counts := integers(append(v.livePairs(liveCalls[0]), v.data.Select(rundata.Parallel)...), "goroutines")
	if len(counts) == 0 {
		return nil
	}
	const command = "bench --experiments parallel"
	var ask []string
	most := counts[len(counts)-1]
	for n := 2 * most; n <= usualGoroutines; n *= 2 {
		ask = append(ask, strconv.Itoa(n))
	}
	switch cores := v.cores(); {
	case len(ask) > 0:
		return []card.Open{{Question: "more than " + words.Many(most, "goroutine") + " at once", Command: command + " --goroutines " + strings.Join(ask, ",")}}
	case cores > 0 && cores < usualGoroutines:
		return []card.Open{{Question: "more than " + words.Many(cores, "processor") + ", on a machine that has them", Command: command}}
	}
	return nil
}
