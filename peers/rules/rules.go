package rules

import (
	"fmt"
	"time"

	"schedbench/live"
)

// Subject is the timers of a library.
type Subject struct {
	Name string
	// Tick is how late a timer may fire; 0: it must not be late.
	Tick time.Duration
	// AddOnly says that timers cannot be stopped: rules about stopping do not apply.
	AddOnly bool
	// Moves says that timers are Movers.
	Moves bool
	// Open makes timers with delays up to a horizon.
	Open func(horizon time.Duration) (live.Timers, error)
}

// Rule is one of the contract.
type Rule struct {
	// Name identifies the rule, and Text says what it demands.
	Name, Text string

	needs need
	check func(*trial) string
}

// need is what timers must be able to do for a rule to apply.
type need int

const (
	anyTimers need = iota
	stopping
	moving
)

// Mover is a timer whose delay can change while it is pending.
type Mover interface {
	// Reset reports whether the timer was pending.
	Reset(delay time.Duration) bool
}

// lacks says what a rule needs and a subject cannot do, "" if it can do all.
func (s Subject) lacks(n need) string {
	switch {
	case n == stopping && s.AddOnly:
		return "cannot stop"
	case n == moving && !s.Moves:
		return "cannot move"
	}
	return ""
}

// All returns all rules.
func All() []Rule {
	return []Rule{
		{"never-early", "A timer never fires before its deadline.", anyTimers, neverEarly},
		{"late-by-less-than-a-tick", "A timer fires less than a tick after its deadline, or at it where there is no tick.", anyTimers, notLate},
		{"all-fire", "Every timer that is not stopped fires.", anyTimers, allFire},
		{"fires-once", "No timer fires twice.", anyTimers, firesOnce},
		{"order", "Timers whose deadlines are more than a tick apart fire in the order of their deadlines.", anyTimers, order},
		{"past-deadline", "A timer with a delay of 0 or less fires at once, a tick later at most.", anyTimers, pastDeadline},
		{"same-deadline", "All timers of one deadline fire, a thousand of them.", anyTimers, sameDeadline},
		{"long-delays", "Delays of many rotations of a wheel are kept, early or late by no more than others.", anyTimers, longDelays},
		{"cancel-once", "Stop is true exactly once for a pending timer, which then never fires.", stopping, cancelOnce},
		{"cancel-spares-others", "Stopping some timers leaves all others to fire.", stopping, cancelSpares},
		{"cancel-fired", "Stop is false for a timer that has fired.", stopping, cancelFired},
		{"reset", "A pending timer that is moved fires at its new deadline, early or late by no more than others.", moving, resets},
		{"ends", "When the timers have been closed, none fires any more.", anyTimers, ends},
	}
}

// Finding says whether a subject keeps a rule.
type Finding struct {
	Subject, Rule string
	// Broken says how the subject breaks the rule, and is empty if it does not.
	Broken string `json:",omitempty"`
	// Skipped says why the rule does not apply, and is empty if it does.
	Skipped string `json:",omitempty"`
}

// Check checks a subject against all rules. Call it in a bubble.
func Check(s Subject) (all []Finding, err error) {
	for _, r := range All() {
		f := Finding{Subject: s.Name, Rule: r.Name}
		if f.Skipped = s.lacks(r.needs); f.Skipped == "" {
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
