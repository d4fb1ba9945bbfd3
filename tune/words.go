package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/tune/costs"
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
	if ch.Asked.Lateness > 0 || len(ch.Ranked) == 0 {
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

// why says why the pick is taken.
func (ch *Choice) why() string {
	p, possible := ch.Pick, filter(ch.All, func(p *Prediction) bool { return p.Impossible == "" })
	said := fmt.Sprintf("of %d configurations %d meet what is asked for, and ", len(possible), len(ch.Ranked))
	if ch.Least.Config == p.Config {
		said += "it is predicted to take the least CPU time, " + ofACore(p.CPU.Value)
	} else {
		said += fmt.Sprintf("it comes first of those that take as little as any can be told to, %s of %v, or no more than %s beyond",
			ofACore(ch.Least.CPU.Value), ch.Least.Config, ofACore(ch.Requirements.Worthwhile()))
	}
	said += ch.told()
	if split := p.Split(); len(split) > 0 {
		most := slices.MaxFunc(split, func(a, b Part) int { return cmp.Compare(a.CPU, b.CPU) })
		said += fmt.Sprintf("; %.0f %% of what it takes is %s", 100*most.CPU/p.CPU.Value, most.Text)
	}
	return said
}

// told says of how many others the costs of the machine tell how they compare with the
// pick.
func (ch *Choice) told() string {
	counts := map[judge.Answer]int{}
	for i := range ch.Ranked[1:] {
		counts[ch.Ranked[1+i].comparedTo(ch.Pick, ch.Requirements.Worthwhile())]++
	}
	var said []string
	for _, one := range []struct {
		answer judge.Answer
		text   string
	}{{judge.Slower, "%d take more"}, {judge.AsFast, "%d as little"}, {judge.Faster, "%d less"}, {judge.CannotTell, "of %d it cannot be told"}} {
		if n := counts[one.answer]; n > 0 {
			said = append(said, fmt.Sprintf(one.text, n))
		}
	}
	if said == nil {
		return ""
	}
	return "; as far as its costs are known, of the others " + words.List(said)
}

// lost says why the runner-up was not taken.
func (ch *Choice) lost() string {
	p, r, worth := ch.Pick, ch.RunnerUp, ch.Requirements.Worthwhile()
	if r == nil {
		return "nothing else meets what is asked for"
	}
	return fmt.Sprintf("%s; it is %s late at the %s where the pick is %s", SayMorePredicted(r, p, worth),
		inUnits(r.Lateness.Value), percentileName(ch.Requirements.Percentile), inUnits(p.Lateness.Value))
}

// SayMorePredicted says how much more CPU one takes than another by what is predicted, and
// whether that is told. Up to worth counts as none.
func SayMorePredicted(p, other *Prediction, worth float64) string {
	by := p.moreInWords(other)
	switch p.comparedTo(other, worth) {
	case judge.AsFast:
		return fmt.Sprintf("it takes %s, where up to %s counts as none", by, words.Share(worth))
	case judge.CannotTell:
		more := p.moreCPU(other)
		if more.Low > 0 || more.High < 0 {
			return fmt.Sprintf("it takes %s; whether that is more than the %s that count as none cannot be told", by, words.Share(worth))
		}
		return fmt.Sprintf("whether it takes more cannot be told: %s is predicted", by)
	}
	return "it takes " + by
}

// moreInWords writes how much more CPU time p is predicted to take than q.
func (p *Prediction) moreInWords(q *Prediction) string {
	more := p.moreCPU(q)
	return words.Difference(more.Value, more.Low, more.High, words.Share, " of a core")
}

// SayMoreCPU says how much more CPU one takes than another, and whether that is told: if
// not, how many more blocks, which are called something, would tell. Up to same counts as
// none.
func SayMoreCPU(d judge.Difference, same float64, who, other, block string) string {
	by := words.Difference(d.Value, d.Low, d.High, words.Share, " of a core")
	switch d.Answer {
	case judge.AsFast:
		return fmt.Sprintf("%s takes as little as %s: %s, where up to %s counts as none", who, other, by, words.Share(same))
	case judge.CannotTell:
		tells := words.More(d.More(), judge.TooMany, block) + " would tell"
		if d.Low > 0 || d.High < 0 {
			return fmt.Sprintf("%s takes %s than %s; whether that is more than the %s that count as none cannot be told, %s", who, by, other, words.Share(same), tells)
		}
		return fmt.Sprintf("whether %s takes less than %s cannot be told: %s, %s", who, other, by, tells)
	}
	return fmt.Sprintf("%s takes %s than %s", who, by, other)
}

// Part is what one kind of work takes of the CPU of a prediction.
type Part struct {
	// Text says what the work is: "waking up".
	Text string
	// CPU is a share of one core.
	CPU float64
}

// Split returns what takes the CPU of a prediction: parts that sum to it, in the order
// in which they are told.
func (p *Prediction) Split() (split []Part) {
	for _, one := range []struct{ name, text string }{
		{costs.TermWakeup, "waking up"}, {costs.TermKick, "being woken for an earlier deadline"}, {costs.TermTick, "passing ticks"},
		{partSearch, "looking for the next slot"}, {costs.TermVisit, "visiting what is not due"}, {costs.TermInsert, "inserting"}, {costs.TermReset, "resetting"},
		{costs.TermCancel, "cancelling"}, {costs.TermExpire, "firing"}, {costs.TermCascade, "cascading"},
	} {
		if cpu := p.Parts[one.name]; cpu > 0 {
			split = append(split, Part{one.text, cpu})
		}
	}
	return split
}

// percentileName returns "p99" for 0.99.
func percentileName(p float64) string { return "p" + words.Number(100*p) }

// ofACore writes a share of one core.
func ofACore(v float64) string { return words.Share(v) + " of a core" }

// inUnits writes a time given in seconds.
func inUnits(seconds float64) string { return words.Time(seconds * 1e9) }

// WriteLimit writes a figure of what a limit limits with its unit.
func WriteLimit(limit string, v float64) string {
	switch limit {
	case LimitCPU:
		return words.Share(v)
	case LimitMemory:
		return words.Trimmed(words.Bytes(v))
	}
	return inUnits(v)
}
