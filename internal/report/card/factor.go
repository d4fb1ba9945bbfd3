package card

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// besideGo compares the choice with time.AfterFunc.
func (b *Because) besideGo() string {
	if len(b.Goroutines) > 1 {
		one, many := b.Goroutines[0], b.Goroutines[1]
		said, byMany := one.Beside.longer(), many.Beside.longer()
		_, pending, _ := strings.Cut(many.Beside.Cell, " with ")
		switch {
		case !strings.HasSuffix(one.Beside.Cell, " with "+pending):
			f := many.Beside.upright()
			what, most, _ := strings.Cut(one.Beside.Cell, " with ")
			return fmt.Sprintf("%s: by one goroutine with %s %s; by %d with %s %s takes %s", what, most, said, many.Goroutines, pending, f.Name, f.span())
		case said == byMany: // which has no figure
			return fmt.Sprintf("%s: %s, by one goroutine and by %d", one.Beside.Cell, said, many.Goroutines)
		case one.Beside.Answer == many.Beside.Answer:
			f := many.Beside.upright()
			byMany = f.span()
		case many.Beside.Answer == judge.Unclear.String():
			byMany = "it is unclear which is faster"
		}
		return fmt.Sprintf("%s: by one goroutine %s; by %d goroutines %s", one.Beside.Cell, said, many.Goroutines, byMany)
	}
	if b.AfterFunc == nil {
		return ""
	}
	said := b.AfterFunc.againstGo()
	if b.ByOne {
		said += ", by one goroutine"
	}
	return said
}

// againstGo compares the choice with time.AfterFunc where there is no number of goroutines.
func (f *Factor) againstGo() string {
	switch f.Answer {
	case "slower":
		return fmt.Sprintf("%s takes %s %s as %s at %s", f.Name, f.span(), f.Takes, f.Against, f.Cell)
	case "faster":
		return fmt.Sprintf("%s takes only %s %s as %s at %s", f.Name, f.span(), f.Takes, f.Against, f.Cell)
	case "as fast":
		return fmt.Sprintf("%s is as good at %s", f.Name, f.Cell)
	}
	return fmt.Sprintf("it is unclear whether %s is slower at %s", f.Name, f.Cell)
}

// longer says which of the two takes longer.
func (f Factor) longer() string {
	switch f.Answer {
	case "slower", "faster":
		f = f.upright()
		return fmt.Sprintf("%s takes %s %s as %s", f.Name, f.span(), f.Takes, f.Against)
	case "as fast":
		return fmt.Sprintf("%s and %s are as fast", f.Name, f.Against)
	}
	return fmt.Sprintf("it is unclear whether %s or %s is faster", f.Name, f.Against)
}

// Inverse swaps the two.
func (f Factor) Inverse() Factor {
	f.Name, f.Against = f.Against, f.Name
	f.Ratio, f.Low, f.High = 1/f.Ratio, 1/f.High, 1/f.Low
	f.Answer = cmp.Or(map[string]string{"faster": "slower", "slower": "faster"}[f.Answer], f.Answer)
	return f
}

// upright returns the factor with the slower of the two first.
func (f Factor) upright() Factor {
	if f.Answer == "faster" {
		return f.Inverse()
	}
	return f
}

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
