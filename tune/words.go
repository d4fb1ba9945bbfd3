package tune

import (
	"schedbench/internal/words"
	"schedbench/tune/costs"
)

// Part is what one kind of work takes of the CPU of a prediction.
type Part struct {
	// Text says what the work is: "waking up".
	Text string
	// CPU is a share of one core.
	CPU float64
}

// parts are all kinds of work, in the order in which they are told.
var parts = []struct{ name, text string }{
	{costs.TermWakeup, "waking up"}, {costs.TermKick, "being woken for an earlier deadline"}, {costs.TermTick, "passing ticks"},
	{partSearch, "looking for the next slot"}, {costs.TermVisit, "visiting what is not due"}, {costs.TermInsert, "inserting"}, {costs.TermReset, "resetting"},
	{costs.TermCancel, "cancelling"}, {costs.TermExpire, "firing"}, {costs.TermCascade, "cascading"},
}

// Split returns what takes the CPU of a prediction: parts that sum to it.
func (p *Prediction) Split() (split []Part) {
	for _, one := range parts {
		if cpu := p.Parts[one.name]; cpu > 0 {
			split = append(split, Part{one.text, cpu})
		}
	}
	return split
}

// greatest returns the part that takes the most CPU time.
func (p *Prediction) greatest() (most Part) {
	for _, one := range p.Split() {
		if one.CPU > most.CPU {
			most = one
		}
	}
	return most
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
