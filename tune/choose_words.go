package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A lateness that is assumed where none is asked for: a share of the delay that all
// but a tenth exceed, at most tolerable, and not less than what can be had easily.
const (
	assumedShare = 0.05
	shortDelays  = 0.1
	tolerable    = time.Second
	easily       = 1.5
)

// assume fills in a limit for lateness if there is none: one that can be met together
// with what was asked for.
func (ch *Choice) assume(l *Load) {
	if ch.Asked.Lateness > 0 {
		return
	}
	if len(ch.Ranked) == 0 {
		return
	}
	first := slices.MinFunc(ch.Ranked, func(a, b Prediction) int { return cmp.Compare(a.Lateness.High, b.Lateness.High) })
	wanted := tolerable
	if n := len(l.Delays); n > 0 {
		wanted = min(wanted, seconds(assumedShare*l.Delays[int(shortDelays*float64(n))].Seconds()))
	}
	reached := seconds(first.Lateness.High)
	limit := roundUp(max(wanted, seconds(easily*reached.Seconds())))
	ch.Requirements.Lateness = limit
	ch.rank()
	why := fmt.Sprintf("%g %% of a short delay", 100*assumedShare)
	switch {
	case limit > roundUp(wanted):
		why = "which is about what can be had"
	case wanted == tolerable:
		why = "which hardly any timeout minds"
	}
	ch.Notes = append(ch.Notes, fmt.Sprintf("no limit for lateness was given: at most %v at the %s is assumed, %s",
		limit, percentileName(ch.Requirements.Percentile), why))
}

// roundUp returns a duration with one or two digits that is not shorter.
func roundUp(d time.Duration) time.Duration {
	if d <= 0 {
		return 1
	}
	unit := time.Duration(math.Pow(10, math.Floor(math.Log10(float64(d)))))
	if d <= 2*unit && unit >= 10 {
		unit /= 10
	}
	return (d + unit - 1) / unit * unit
}

// percentileName returns "p99" for 0.99.
func percentileName(p float64) string {
	return "p" + strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", 100*p), "0"), ".")
}

// why says why the pick is taken.
func (ch *Choice) why() string {
	p, possible := ch.Pick, filter(ch.All, func(p *Prediction) bool { return p.Impossible == "" })
	said := fmt.Sprintf("of %d configurations %d meet what is asked for, and ", len(possible), len(ch.Ranked))
	least := slices.MinFunc(ch.Ranked, leaner)
	switch {
	case least.Config == p.Config:
		said += "it takes the least CPU time: " + share(p.CPU.Value)
	default:
		said += fmt.Sprintf("it is the simplest of those that are not separated from the least CPU time, %s of %v", share(least.CPU.Value), least.Config)
	}
	if name, part := p.greatest(); part > 0 {
		said += fmt.Sprintf("; %.0f %% of what it takes is %s", 100*part/p.CPU.Value, partNames[name])
	}
	return said
}

// greatest returns the part that takes the most CPU time.
func (p *Prediction) greatest() (name string, part float64) {
	for _, n := range slices.Sorted(mapKeys(p.Parts)) {
		if p.Parts[n] > part {
			name, part = n, p.Parts[n]
		}
	}
	return name, part
}

// partNames say what parts of a prediction are.
var partNames = map[string]string{
	TermWakeup: "waking up", TermKick: "being woken for earlier deadlines", TermTick: "looking for what is due",
	countLook: "looking for the next slot", TermVisit: "visiting entries that are not due", TermInsert: "insertions", TermReset: "resets",
	TermCancel: "cancellations", TermExpire: "running what is due", TermCascade: "moving entries to lower levels",
}

// lost says why the runner-up was not taken.
func (ch *Choice) lost() string {
	p, r := ch.Pick, ch.RunnerUp
	if r == nil {
		return "nothing else meets what is asked for"
	}
	more := r.CPU.Value/p.CPU.Value - 1
	late := fmt.Sprintf("%s late at the %s where the pick is %s",
		seconds(r.Lateness.Value).Round(time.Microsecond), percentileName(ch.Requirements.Percentile), seconds(p.Lateness.Value).Round(time.Microsecond))
	switch {
	case r.CPU.Low > p.CPU.High:
		return fmt.Sprintf("it takes %s of CPU time more, %s; it is %s", percent(more), share(r.CPU.Value), late)
	case more > separate:
		return fmt.Sprintf("it takes %s of CPU time more, %s, though the intervals overlap; it is %s", percent(more), share(r.CPU.Value), late)
	case more >= 0:
		return fmt.Sprintf("it takes %s of CPU time more, which is not separated, and is not simpler; it is %s", percent(more), late)
	}
	return fmt.Sprintf("it takes %s of CPU time less, which is not separated, and the pick is simpler; it is %s", percent(-more), late)
}

// share writes a share of one core.
func share(v float64) string { return fmt.Sprintf("%.3g %% of a core", 100*v) }

func percent(v float64) string { return fmt.Sprintf("%.2g %%", 100*v) }
