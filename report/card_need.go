package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
)

const (
	// usualPending is how many timers are pending where a card asks whether a scheduler is needed.
	usualPending = 100_000
	// busyRate is the rate of starts and stops a second for which it says what is saved.
	busyRate = 100_000
)

// needed returns what time.AfterFunc takes more, or less, for a start and a stop than the
// contestant to take: by one goroutine, and by as many as processors.
func (v *view) needed(t CardTake) (list []CardNeed) {
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
func (v *view) instead(t CardTake) string {
	switch {
	case t.Kind == TakeGo && len(t.Averages) > 0:
		return t.Averages[0].Name
	case len(t.Names) > 0:
		return t.Names[0]
	}
	return ""
}

// need compares time.AfterFunc with a contestant, where nearest to usualPending are pending.
// All that is stated holds together.
func (v *view) need(c liveCall, goroutines, name string, stated int) (need CardNeed, measured bool) {
	counts := integers(v.livePairs(c), "pending")
	slices.SortStableFunc(counts, func(a, b int) int { return cmp.Compare(farFrom(a), farFrom(b)) })
	for _, unit := range []string{rundata.CPUPerOp, rundata.NsPerOp} {
		for _, n := range counts {
			go_, own := blocksOf(v.liveAt(c, catalog.RuntimeTimer, goroutines, n), unit), blocksOf(v.liveAt(c, name, goroutines, n), unit)
			if d := judge.MedianDifference(go_, own, judge.Terms{Comparisons: cardParts * stated}); d.Blocks > 0 {
				return CardNeed{Goroutines: max(int(number(goroutines)), 1), Pending: n, Name: name, CPU: unit == rundata.CPUPerOp,
					More: Figure(d.Value), Low: Figure(d.Low), High: Figure(d.High), Blocks: d.Blocks,
					Answer: d.Answer.String(), Rate: Figure(1e9 * judge.Imperceptible / math.Abs(d.Value))}, true
			}
		}
	}
	return need, false
}

// farFrom is how far a count is from usualPending, as a ratio.
func farFrom(n int) float64 { return math.Abs(math.Log(float64(max(n, 1)) / usualPending)) }

// neededWords say whether a scheduler is needed at all.
func (c *Card) neededWords() string {
	var lines []string
	for i, n := range c.Needed {
		line := n.say()
		if i > 0 && n.Answer == judge.Slower.String() && n.Answer == c.Needed[i-1].Answer {
			line = fmt.Sprintf("%s: below about %s a second; at %s %s (%s to %s)", words.Many(n.Goroutines, "goroutine"),
				words.Count(rounded(float64(n.Rate), 1)), words.Count(busyRate), saved(n.More), saved(n.Low), saved(n.High))
		}
		if i == len(c.Needed)-1 || c.Needed[i+1].Pending != n.Pending {
			line += fmt.Sprintf(" (with %s pending)", words.Count(float64(n.Pending)))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// say says from how many starts and stops on a scheduler saves something.
func (n CardNeed) say() string {
	share := saved
	who, of, rate := "one goroutine: ", "of the caller's time", words.Count(busyRate)
	if n.Goroutines > 1 {
		who = words.Many(n.Goroutines, "goroutine") + ": "
	}
	if n.CPU {
		of = "of a core"
	}
	switch n.Answer {
	case judge.Slower.String():
		return fmt.Sprintf("%sbelow about %s starts and stops a second %s costs less than %s %s more; at %s a second %s saves %s (%s to %s)",
			who, words.Count(rounded(float64(n.Rate), 1)), catalog.RuntimeTimer, words.Share(judge.Imperceptible), of, rate, n.Name, share(n.More), share(n.Low), share(n.High))
	case judge.Faster.String():
		return fmt.Sprintf("%sno: %s costs less than %s, at %s starts and stops a second %s %s (%s to %s)",
			who, catalog.RuntimeTimer, n.Name, rate, share(n.More), of, share(n.High), share(n.Low))
	}
	if !n.Low.known() || !n.High.known() {
		return fmt.Sprintf("%sunclear whether %s costs more than %s: %s are too few", who, catalog.RuntimeTimer, n.Name, words.Many(n.Blocks, "block"))
	}
	return fmt.Sprintf("%sunclear: at %s starts and stops a second %s costs from %s %s less to %s more than %s",
		who, rate, catalog.RuntimeTimer, share(n.Low), of, share(n.High), n.Name)
}

// saved is the share of a core that so many nanoseconds for each of busyRate starts and stops come to.
func saved(ns Figure) string {
	return words.Share(rounded(math.Abs(float64(ns))*busyRate/1e9, 2))
}

// rounded is a figure with so many digits, and one more where it begins with 1.
func rounded(v float64, digits int) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return v
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(digits)+1)
	if v < 2*unit*math.Pow(10, float64(digits)-1) {
		unit /= 10
	}
	return math.Round(v/unit) * unit
}
