package card

import (
	"fmt"
	"math"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// busyRate is the rate of starts and stops a second for which a card says what a scheduler saves.
const busyRate = 100_000

// tooWide is the width of an interval, in nanoseconds a start and stop, that says nothing: a fifth of a core at busyRate.
const tooWide = 2000

func (c *Card) neededWords() string {
	var lines []string
	for i, n := range c.Needed {
		lines = append(lines, n.say(i > 0 && n.Answer == c.Needed[i-1].Answer))
	}
	return strings.Join(lines, "\n")
}

// say says from which rate on a scheduler saves CPU time: briefly if the line above names the unit.
func (n Need) say(brief bool) string {
	by, of, rate := "one goroutine", "of the caller's time", words.Count(busyRate)
	if n.Goroutines > 1 {
		by = words.Many(n.Goroutines, "goroutine")
	}
	if n.CPU {
		of = "of a core"
	}
	who := fmt.Sprintf("%s, %s pending: ", by, words.Count(float64(n.Pending)))
	switch n.Answer {
	case judge.Slower.String():
		what := fmt.Sprintf(" timers/s (started and stopped) %s saves %s %s over %s", n.Name, words.Share(judge.Imperceptible), of, catalog.RuntimeTimer)
		if brief {
			what = "/s"
		}
		return fmt.Sprintf("%sfrom about %s%s; at %s/s %s (%s to %s)",
			who, words.Count(rounded(float64(n.Rate), 1)), what, rate, saved(n.More), saved(n.Low), saved(n.High))
	case judge.Faster.String():
		return fmt.Sprintf("%sno: at %s timers/s (started and stopped) %s costs %s %s less than %s (%s to %s)",
			who, rate, catalog.RuntimeTimer, saved(n.More), of, n.Name, saved(n.High), saved(n.Low))
	}
	if !n.Low.Known() || !n.High.Known() || n.High-n.Low > tooWide {
		return fmt.Sprintf("%sunclear whether %s costs more than %s: %s too few", who, catalog.RuntimeTimer, n.Name, words.Verb(n.Blocks, "block is", "blocks are"))
	}
	return fmt.Sprintf("%sunclear; at %s timers/s %s takes between %s %s more than %s and %s less",
		who, rate, n.Name, saved(n.Low), of, catalog.RuntimeTimer, saved(n.High))
}

// saved writes so many nanoseconds a start and stop, at busyRate, as a share of a core.
func saved(ns Figure) string { return words.Share(rounded(math.Abs(float64(ns))*busyRate/1e9, 2)) }
