package rules

import (
	"fmt"
	"time"

	"schedbench/harness"
	"schedbench/peers/libraries"
)

// Rule is one of the contract.
type Rule struct {
	Name, Text string // Text says what it demands

	needs string // what timers must be able to do for the rule to apply: "stop", "move", "" for nothing
	check func(*trial) string
}

// Mover is a timer whose delay can change while it is pending: those of a library that Moves.
type Mover interface {
	// Reset reports whether the timer was pending.
	Reset(delay time.Duration) bool
}

// All returns all rules.
func All() []Rule {
	return []Rule{
		{"never-early", "A timer never fires before its deadline.", "", neverEarly},
		{"late-by-less-than-a-tick", "A timer fires less than a tick after its deadline, or at it where there is no tick.", "", notLate},
		{"all-fire", "Every timer that is not stopped fires.", "", allFire},
		{"fires-once", "No timer fires twice.", "", firesOnce},
		{"order", "Timers whose deadlines are more than a tick apart fire in the order of their deadlines.", "", order},
		{"past-deadline", "A timer with a delay of 0 or less fires at once, a tick later at most.", "", pastDeadline},
		{"same-deadline", "All timers of one deadline fire, a thousand of them.", "", sameDeadline},
		{"long-delays", "Delays of many rotations of a wheel are kept, early or late by no more than others.", "", longDelays},
		{"cancel-once", "Stop is true exactly once for a pending timer, which then never fires.", "stop", cancelOnce},
		{"cancel-spares-others", "Stopping some timers leaves all others to fire.", "stop", cancelSpares},
		{"cancel-fired", "Stop is false for a timer that has fired.", "stop", cancelFired},
		{"reset", "A pending timer that is moved fires at its new deadline, early or late by no more than others.", "move", resets},
		{"ends", "When the timers have been closed, none fires any more.", "", ends},
	}
}

// Finding says whether a library keeps a rule.
type Finding struct {
	Library, Rule string
	Broken        string // how the library breaks the rule, "" if it does not
	Skipped       string // why the rule does not apply, "" if it does
}

// Check checks a library against all rules. Call it in a bubble.
func Check(l libraries.Library) (all []Finding, err error) {
	can := map[string]bool{"": true, "stop": !l.AddOnly, "move": l.Moves}
	for _, r := range All() {
		f := Finding{Library: l.Name, Rule: r.Name}
		if !can[r.needs] {
			f.Skipped = "cannot " + r.needs
		} else if f.Broken, err = try(l, r); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", l.Name, r.Name, err)
		}
		all = append(all, f)
	}
	return all, nil
}

func try(l libraries.Library, r Rule) (broken string, err error) {
	t := &trial{Library: l, began: time.Now()}
	if t.timers, err = l.Open(harness.Geometry{Horizon: horizon}); err != nil {
		return "", err
	}
	broken = r.check(t)
	t.close()
	return broken, t.err
}
