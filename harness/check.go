package harness

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// CheckContestants returns an error with a line for each thing that is wrong with
// contestants: there are none, one cannot be made, or its name cannot be in a data file, is
// of two, or has a meaning there already.
func CheckContestants(list []Contestant) error {
	err := unless(len(list) > 0, "no contestants, want at least one")
	for _, c := range list {
		err = errors.Join(err, c.check())
	}
	return errors.Join(err, repeated("contestant", each(list, func(c Contestant) string { return c.Name })))
}

// check returns an error with what is wrong with a contestant by itself.
func (c Contestant) check() error {
	return errors.Join(
		unless(named(c.Name, "/"), "contestant name %q, want some letters without a slash or a space", c.Name),
		unless(!slices.Contains(controls(), c.Name), "contestant name %q, want another: a control is called that", c.Name),
		unless(!strings.HasSuffix(c.Name, AgainSuffix), "contestant name %q, want one that does not end in %s, as that of whoever is measured twice does", c.Name, AgainSuffix),
		unless(c.New != nil || c.Live(), "contestant %s has none of New, Start, Open and Launch, want a function that makes a scheduler or starts timers", c.Name),
		unless(c.ways() <= 1, "contestant %s has more than one of Start, Open, Launch and Runtime, want a contestant for each", c.Name),
	)
}

// ways returns how many ways there are to have its timers on the real clock.
func (c Contestant) ways() (n int) {
	for _, is := range []bool{c.Start != nil, c.Open != nil, c.Launch != nil, c.Runtime} {
		if is {
			n++
		}
	}
	return n
}

// controls returns the names that series have which are not of a contestant.
func controls() []string {
	return []string{EmptyControl, ProcessControl, SleepControl, NothingControl, ClockControl}
}

// named reports whether a name has letters, and none of those in not nor a space.
func named(name, not string) bool {
	return name != "" && !strings.ContainsAny(name, not) && !strings.ContainsFunc(name, unicode.IsSpace)
}
