package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/words"
)

// CardGoroutines compares time.AfterFunc with a choice by a number of goroutines at once.
type CardGoroutines struct {
	Goroutines int        `json:"goroutines"`
	Beside     CardFactor `json:"beside"`
}

// byGoroutines compares time.AfterFunc with a choice at AfterFunc and Stop, by one goroutine and
// by the most measured: with the most timers that both have. Without a second number it is the
// first alone, and without one goroutine nothing.
func byGoroutines(all []versus, name string) []CardGoroutines {
	of := map[int][]versus{} // in the order of places
	for _, a := range all {
		if a.name == name && a.Blocks > 0 && a.topic.goroutines > 0 {
			of[a.topic.goroutines] = append(of[a.topic.goroutines], a)
		}
	}
	figure := func(a versus) CardGoroutines {
		return CardGoroutines{a.topic.goroutines, *factor(catalog.RuntimeTimer, name, a.spot(), a.topic.takes, inverse(a.Comparison))}
	}
	one := of[1]
	if len(one) == 0 {
		return nil
	}
	delete(of, 1)
	for _, most := range slices.Backward(slices.Sorted(maps.Keys(of))) {
		for _, a := range slices.Backward(one) {
			if i := slices.IndexFunc(of[most], func(b versus) bool { return b.place == a.place }); i >= 0 {
				return []CardGoroutines{figure(a), figure(of[most][i])}
			}
		}
	}
	return []CardGoroutines{figure(one[len(one)-1])}
}

// besideGo says how the choice compares with time.AfterFunc.
func (b *CardBecause) besideGo() string {
	if len(b.Goroutines) > 1 {
		one, many := b.Goroutines[0], b.Goroutines[1]
		said, byMany := one.Beside.longer(), many.Beside.longer()
		switch {
		case said == byMany: // which has no figure
			return fmt.Sprintf("%s: %s, by one goroutine and by %d", one.Beside.Question, said, many.Goroutines)
		case one.Beside.Answer == many.Beside.Answer:
			f := many.Beside.upright()
			byMany = f.span()
		}
		return fmt.Sprintf("%s: %s by one goroutine, %s by %d", one.Beside.Question, said, byMany, many.Goroutines)
	}
	if b.AfterFunc == nil {
		return ""
	}
	said := b.AfterFunc.againstGo()
	if len(b.Goroutines) == 1 && strings.HasPrefix(b.AfterFunc.Question, liveCalls[0].calls()+" with ") {
		said += ", by one goroutine"
	}
	return said
}

// longer says which of the two takes longer.
func (f CardFactor) longer() string {
	switch f.Answer {
	case "slower", "faster":
		f = f.upright()
		return fmt.Sprintf("%s takes %s %s as %s", f.Name, f.span(), f.takes, f.Against)
	case "as fast":
		return fmt.Sprintf("%s and %s are as fast", f.Name, f.Against)
	}
	return fmt.Sprintf("it is unclear whether %s or %s is faster", f.Name, f.Against)
}

// upright returns the factor with the slower of the two first.
func (f CardFactor) upright() CardFactor {
	if f.Answer == "faster" {
		f.Name, f.Against, f.Answer = f.Against, f.Name, "slower"
		f.Ratio, f.Low, f.High = 1/f.Ratio, 1/f.High, 1/f.Low
	}
	return f
}

// usualGoroutines is up to how many goroutines at once many programs start and stop timers.
const usualGoroutines = 8

// moreGoroutines returns that more goroutines at once were not measured, or that the machine has
// few processors for them.
func (v *view) moreGoroutines() []CardOpen {
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
		return []CardOpen{{"more than " + words.Many(most, "goroutine") + " at once", command + " --goroutines " + strings.Join(ask, ",")}}
	case cores > 0 && cores < usualGoroutines:
		return []CardOpen{{"more than " + words.Many(cores, "processor") + ", on a machine that has them", command}}
	}
	return nil
}
