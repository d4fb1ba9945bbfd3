package harness

import (
	"errors"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
)

// CheckContestants returns an error with a line for each fault of the contestants: the list is empty, one
// cannot be made, or a name is taken, reserved, or unfit for a data file.
func CheckContestants(list []Contestant) error {
	err := check.That(len(list) > 0, "no contestants, want at least one")
	for _, c := range list {
		err = errors.Join(err, c.check())
	}
	return errors.Join(err, check.Repeated("contestant", lists.Each(list, func(c Contestant) string { return c.Name })))
}

func (c Contestant) check() error {
	ways := 0 // to have its timers on the real clock
	for _, is := range []bool{c.Start != nil, c.Open != nil, c.Launch != nil, c.Runtime} {
		if is {
			ways++
		}
	}
	return errors.Join(
		check.That(check.Named(c.Name, "/"), "contestant name %q, want some letters without a slash or a space", c.Name),
		check.That(!slices.Contains(rundata.Controls(), c.Name), "contestant name %q, want another: a control is called that", c.Name),
		check.That(!strings.HasSuffix(c.Name, rundata.AASuffix), "contestant name %q, want another ending: %s is for A/A", c.Name, rundata.AASuffix),
		check.That(c.New != nil || c.Live(), "contestant %s has none of New, Start, Open and Launch, want a function that makes a scheduler or starts timers", c.Name),
		check.That(ways <= 1, "contestant %s has more than one of Start, Open, Launch and Runtime, want a contestant for each", c.Name),
	)
}
