package card

import (
	"fmt"
	"math"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

func (f *Factor) span() string {
	if !f.High.Known() || f.Blocks < 2 || f.High > judge.BeyondSense*f.Low {
		return Short(f.Ratio) + "×"
	}
	low := Short(f.Low) + "×"
	if f.Answer == "slower" && low == "1×" {
		low = "over " + low
	}
	return fmt.Sprintf("%s× (%s to %s×)", Short(f.Ratio), low, Short(f.High))
}

// unlessWords say when to take another contestant, for at most three groups, and how to run slow tasks.
func (c *Card) unlessWords() string {
	var lines []string
	said := map[string]bool{}
	for _, u := range c.Unless {
		if said[u.Group] || len(said) == 3 {
			continue
		}
		said[u.Group] = true
		lines = append(lines, u.say())
	}
	if f := c.Slow; f != nil {
		name, measured := f.Name, ""
		if len(c.Take.Names) > 0 && name != c.Take.Names[0] {
			name, measured = "a driver", " (measured with "+name+")"
		}
		lines = append(lines, fmt.Sprintf("tasks are slow: use goroutines or a pool (driver.WithRunning); inline, %s is %s as late at 99 %% as %s %s%s",
			name, f.span(), f.Against, strings.TrimPrefix(f.Cell, "lateness, 99th percentile, "), measured))
	}
	return strings.Join(lines, "\n")
}

// say says when to take another, and by how much it is better.
func (u Unless) say() string {
	w := u.Worst
	return fmt.Sprintf("%s: take %s; %s takes %s %s at %s", u.When, w.Against, w.Name, w.span(), w.Takes, w.Cell)
}

// busyRate is the rate of starts and stops a second for which a card says what a scheduler saves.
const busyRate = 100_000

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
	const tooWide = 2000 // ns of a start and stop: a fifth of a core at busyRate
	if !n.Low.Known() || !n.High.Known() || n.High-n.Low > tooWide {
		return fmt.Sprintf("%sunclear whether %s costs more than %s: %s too few", who, catalog.RuntimeTimer, n.Name, words.Verb(n.Blocks, "block is", "blocks are"))
	}
	return fmt.Sprintf("%sunclear; at %s timers/s %s takes between %s %s more than %s and %s less",
		who, rate, n.Name, saved(n.Low), of, catalog.RuntimeTimer, saved(n.High))
}

// saved writes so many nanoseconds a start and stop, at busyRate, as a share of a core.
func saved(ns Figure) string { return words.Share(rounded(math.Abs(float64(ns))*busyRate/1e9, 2)) }
