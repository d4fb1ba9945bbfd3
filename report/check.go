package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
)

// checkQuestion is whether every timer fired once and not early.
var checkQuestion = question{
	section:   howFarToTrust,
	heading:   "Did every timer fire once, and not early?",
	sentences: func(v *view) []string { return []string{v.checkLine()} },
}

func (v *view) checkLine() string {
	var fired, early, lost, doubled float64
	series := v.checked()
	for _, s := range series {
		fired += total(s, harness.Fired)
		early += total(s, harness.Early)
		lost += total(s, harness.Lost)
		doubled += total(s, harness.Doubled)
	}
	switch {
	case fired+early+lost+doubled == 0:
		return ""
	case early+lost+doubled == 0:
		return fmt.Sprintf("Every one of %s timers fired once and not early.", words.Count(fired))
	}
	return fmt.Sprintf("The answers are WRONG: of %s timers fired, %s were early and %s doubled, and %s were lost.%s",
		words.Count(fired), plain(early), plain(doubled), plain(lost), culprits(series))
}

// checked returns the series in which every timer was watched.
func (v *view) checked() []*harness.Series {
	var found []*harness.Series
	for _, s := range v.data.Series {
		if len(samples(s, harness.Fired)) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// culprits names who got it wrong.
func culprits(series []*harness.Series) string {
	var names []string
	for _, s := range series {
		wrong := total(s, harness.Early) + total(s, harness.Lost) + total(s, harness.Doubled)
		name := s.Get("impl") + " (" + circumstance(s) + ")"
		if wrong > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return " It was " + words.List(names) + "."
}

// circumstance says in which series of a contestant something happened.
func circumstance(s *harness.Series) string {
	if s.Experiment == harness.Jitter && s.Get("delays") == "" {
		return s.Get("waking")
	}
	said := []string{strings.ToLower(s.Experiment)}
	for _, p := range s.Params {
		if p.Key != "impl" {
			said = append(said, p.Value)
		}
	}
	return strings.Join(said, " ")
}
