package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/harness/rundata"
	"schedbench/internal/report/card"
	"schedbench/internal/words"
)

// checkQuestion is whether every timer fired once and not early.
var checkQuestion = question{
	section:   howFarToTrust,
	heading:   "Did every timer fire once, and not early?",
	sentences: func(v *view) []string { return []string{v.checkLine(), v.earlyLine()} },
}

func (v *view) checkLine() string {
	var fired, early, lost, doubled float64
	series := v.checked()
	for _, s := range series {
		fired += total(s, rundata.Fired)
		early += total(s, rundata.Early)
		lost += total(s, rundata.Lost)
		doubled += total(s, rundata.Doubled)
	}
	switch {
	case fired+early+lost+doubled == 0:
		return ""
	case early+lost+doubled == 0:
		return fmt.Sprintf("Every one of %s timers fired once and not early%s.", words.Count(fired), card.ExceptEarly(v.earlyByDesign()))
	}
	return fmt.Sprintf("The answers are WRONG: of %s timers fired, %s were early and %s doubled, and %s were lost.%s",
		words.Count(fired), plain(early), plain(doubled), plain(lost), culprits(series))
}

// earlyByDesign returns the contestants that fired timers early by design.
func (v *view) earlyByDesign() (names []string) {
	for _, name := range v.names {
		if slices.ContainsFunc(v.data.Select("", "impl="+name), func(s *rundata.Series) bool { return total(s, rundata.EarlyByDesign) > 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// earlyLine says how many timers fire early of those that are made so.
func (v *view) earlyLine() string {
	var said []string
	for _, name := range v.earlyByDesign() {
		var early, fired float64
		for _, s := range v.data.Select("", "impl="+name) {
			early, fired = early+total(s, rundata.EarlyByDesign), fired+total(s, rundata.Fired)
		}
		said = append(said, fmt.Sprintf("%s of those of %s", words.Share(early/fired), name))
	}
	if len(said) == 0 {
		return ""
	}
	return "A contestant that counts in whole ticks or milliseconds fires timers early by design: " + words.List(said) + "."
}

// checked returns the series in which every timer was watched.
func (v *view) checked() []*rundata.Series {
	var found []*rundata.Series
	for _, s := range v.data.Series {
		if len(samples(s, rundata.Fired)) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// culprits names who got it wrong.
func culprits(series []*rundata.Series) string {
	var names []string
	for _, s := range series {
		wrong := total(s, rundata.Early) + total(s, rundata.Lost) + total(s, rundata.Doubled)
		name := s.Get("impl") + " (" + circumstance(s) + ")"
		if wrong > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return " It was " + words.List(names) + "."
}

// circumstance says in which series of a contestant something happened.
func circumstance(s *rundata.Series) string {
	if s.Experiment == rundata.Jitter && s.Get("delays") == "" {
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
