package rules

import (
	"fmt"
	"time"

	"schedbench/live"
)

// Subject is timers to be checked.
type Subject struct {
	Name string
	// Tick is up to how much later than its deadline a timer may fire; 0 is exactly then.
	Tick time.Duration
	// AddOnly says that timers cannot be stopped: rules about stopping do not apply.
	AddOnly bool
	// Open makes timers with delays up to a horizon.
	Open func(horizon time.Duration) (live.Timers, error)
}

// Rule is one of the contract.
type Rule struct {
	// Name identifies the rule, and Text says what it demands.
	Name, Text string

	stops bool // it takes timers that can be stopped
	check func(*trial) string
}

// All returns all rules.
func All() []Rule {
	return []Rule{
		{"never-early", "A timer never fires before its deadline.", false, neverEarly},
		{"late-by-less-than-a-tick", "A timer fires less than a tick after its deadline, or at it where there is no tick.", false, notLate},
		{"all-fire", "Every timer that is not stopped fires.", false, allFire},
		{"fires-once", "No timer fires twice.", false, firesOnce},
		{"order", "Timers whose deadlines are more than a tick apart fire in the order of their deadlines.", false, order},
		{"past-deadline", "A timer with a delay of 0 or less fires at once, a tick later at most.", false, pastDeadline},
		{"same-deadline", "All timers of one deadline fire, a thousand of them.", false, sameDeadline},
		{"long-delays", "Delays of many rotations of a wheel are kept, early or late by no more than others.", false, longDelays},
		{"cancel-once", "Stop is true exactly once for a pending timer, which then never fires.", true, cancelOnce},
		{"cancel-spares-others", "Stopping some timers leaves all others to fire.", true, cancelSpares},
		{"cancel-fired", "Stop is false for a timer that has fired.", true, cancelFired},
		{"ends", "When the timers have been closed, none fires any more.", false, ends},
	}
}

// Finding is what was found of a rule.
type Finding struct {
	Subject, Rule string
	// Broken says how the subject breaks the rule, and is empty if it does not.
	Broken string `json:",omitempty"`
	// Skipped says that the rule does not apply.
	Skipped bool `json:",omitempty"`
}

// Check checks a subject against all rules. It is to be called in a bubble.
func Check(s Subject) (all []Finding, err error) {
	for _, r := range All() {
		f := Finding{Subject: s.Name, Rule: r.Name}
		if f.Skipped = r.stops && s.AddOnly; !f.Skipped {
			if f.Broken, err = s.try(r); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.Name, r.Name, err)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// try checks a rule with fresh timers.
func (s Subject) try(r Rule) (broken string, err error) {
	t := &trial{Subject: s, began: time.Now()}
	if t.timers, err = s.Open(horizon); err != nil {
		return "", err
	}
	broken = r.check(t)
	t.close()
	return broken, t.err
}
