package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// Judgement is what the data come to, in words.
type Judgement struct {
	// Lines are sentences, the most important first, without the
	// recommendation.
	Lines          []string
	Recommendation Recommendation
}

// Verdict says who leads at what, from where on a contestant loses to what Go
// has, how much of it is noise, and which tick meets the requirement. It claims
// a lead over the runner-up only, only when the interval of their paired
// ratios, corrected for the number of comparisons, leaves no doubt, and only
// when the lead is larger than what the same contestant differs from itself. The
// comparisons counted are those of one operation, since each operation is a
// question of its own.
func Verdict(d *harness.Data, req Requirement) Judgement {
	v := newView(d)
	var lines []string
	lines = append(lines, v.leadLines()...)
	lines = append(lines, v.baselineLines()...)
	lines = append(lines, v.replayLines()...)
	lines = append(lines, v.liveLines()...)
	lines = append(lines, v.parallelLines()...)
	lines = append(lines, v.sameLine(), v.checkLine(), v.slowLine(), v.burstLine(), v.drainLine(), v.pauseLine(), v.waitingLine(), v.idleLine())
	if !v.data.Complete && len(v.data.Series) > 0 {
		lines = append(lines, "The run is not complete: what is missing may change this verdict.")
	}
	return Judgement{
		Lines:          slices.DeleteFunc(lines, func(s string) bool { return s == "" }),
		Recommendation: v.recommend(req),
	}
}

// checkLine says whether every timer fired once and not early.
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
	return " It was " + listed(names) + "."
}

// circumstance says in which series of a contestant something happened.
func circumstance(s *harness.Series) string {
	if s.Experiment == harness.Jitter {
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

// idleLine says what a tick costs while nothing is due.
func (v *view) idleLine() string {
	name, pending := v.subject(), v.idlePending()
	var prices []string
	for _, tick := range durations(v.data.Select(harness.Idle, "impl="+name), "waking") {
		if s := v.idleShare(name, v.waking(tick), pending); s.N > 0 {
			prices = append(prices, fmt.Sprintf("%s with a tick of %s", words.Trimmed(words.Percent(s.Median)), words.Span(float64(tick))))
		}
	}
	if len(prices) == 0 {
		return ""
	}
	switch s := v.perceptible(name, harness.Tickless, pending); {
	case s.N > 0 && s.Median == 0:
		prices = append(prices, "nothing that can be told from noise without ticks")
	case s.N > 0:
		prices = append(prices, words.Trimmed(words.Percent(s.Median))+" without ticks")
	}
	beyond := ""
	if v.process() != nil {
		beyond = ", beyond an idle process"
	}
	return fmt.Sprintf("While nothing is due, %s takes of one core%s: %s.", name, beyond, strings.Join(prices, ", "))
}

// sameLine says what the machine makes of one contestant measured twice.
func (v *view) sameLine() string {
	pairs := v.sames("")
	if len(pairs) == 0 {
		return ""
	}
	wrong := 0
	for _, p := range pairs {
		if p.ratio.Separated {
			wrong++
		}
	}
	return fmt.Sprintf("Measured against itself, %s differs by up to %.1f %% over %d cells and seems another in %d of them "+
		"(%.1f are to be expected): smaller differences mean nothing on this machine.",
		strings.TrimSuffix(pairs[0].name, harness.AgainSuffix), 100*(worst(pairs)-1), len(pairs), wrong,
		float64(len(pairs))*(1-judge.Confidence))
}

// listed joins words as in a sentence.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
