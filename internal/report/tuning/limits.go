package tuning

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// limited is a limit with its figure. has returns a candidate's figure in the same unit, and of follows a written figure.
type limited struct {
	tune.Limit
	allowed float64
	has     func(*tune.Figures) float64
	as      func(float64) string
	of      string
}

// allowance writes a value of the limit, as it follows "at most".
func (l limited) allowance(v float64) string { return l.as(v) + l.of }

// limits returns the limits that are set.
func (a *Answer) limits() []limited {
	r := a.Requirements
	all := []limited{
		{tune.LimitLateness, r.Lateness.Seconds(), func(f *tune.Figures) float64 { return f.Lateness.Value }, seconds, " late"},
		{tune.LimitCPU, r.CPU, func(f *tune.Figures) float64 { return f.CPU.AtLeast(0).Value }, ofCore, " of a core"},
		{tune.LimitMemory, float64(r.Memory), func(f *tune.Figures) float64 { return f.Memory }, words.Tidy(words.Bytes), ""},
		{tune.LimitWakeups, r.Wakeups, func(f *tune.Figures) float64 { return f.Wakeups }, words.PerSecond, " wake-ups"},
	}
	return slices.DeleteFunc(all, func(l limited) bool { return !(l.allowed > 0) })
}

func (a *Answer) leaves(c *tune.Candidate) string {
	var said []string
	unclear := a.Unclear(c)
	for _, l := range a.limits() {
		has, allowed := l.has(c.Best()), l.as(l.allowed)
		left := fmt.Sprintf("%s left of the %s allowed", l.as(l.allowed-has), allowed)
		switch {
		case math.IsNaN(has):
			left = fmt.Sprintf("no timer fired, at most %s allowed", allowed)
		case has > l.allowed:
			left = fmt.Sprintf("%s more than the %s allowed", l.as(has-l.allowed), allowed)
		}
		if slices.Contains(unclear, l.Limit) {
			left = "unclear, " + left
		}
		said = append(said, fmt.Sprintf("%s: %s", l.Limit, left))
	}
	return strings.Join(said, "; ")
}

// tooFew reports whether fewer timers fired than a percentile of lateness needs. A replay needs none: it computes lateness,
// and its Fired is 0.
func (a *Answer) tooFew(c *tune.Candidate) bool {
	f := c.Final
	return f != nil && (math.IsNaN(f.Lateness.Value) || f.Fired > 0 && float64(f.Fired)*(1-a.Requirements.Share()) < 1)
}

// doubts says which limits the pick may not keep, and why that is not known.
func (a *Answer) doubts() (said []string) {
	const longer = "; --time 5m measures longer"
	if a.Pick == nil {
		return nil
	}
	if unclear := a.Unclear(a.Pick); len(unclear) > 0 {
		said = append(said, fmt.Sprintf("whether the pick keeps the limit of %s is unclear: its interval reaches beyond the limit%s", limitList(unclear), longer))
	}
	if a.tooFew(a.Pick) {
		said = append(said, fmt.Sprintf("whether the pick keeps the limit of %s was not measured: for %s %% too few timers fired%s",
			tune.LimitLateness, words.Number(100*a.Requirements.Share()), longer))
	}
	return said
}
