// Package tuning shows the choices of package tune: [Answer] writes one in words and a table.
package tuning

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/text"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// Answer prints a choice.
type Answer struct {
	*tune.Choice
	Explained *tune.Candidate // that the user asked about; nil is none
	Why       bool            // asks for all candidates in the table
}

// Write writes the pick, its costs, what it leaves of the limits, the runner-up, the measured candidates, and the program.
func (a *Answer) Write(w io.Writer) error {
	out := &text.Page{W: w}
	if a.Explained != nil {
		out.Labelled("JUDGED", a.judged())
	}
	if a.Pick == nil {
		a.writeInfeasible(out)
	} else {
		out.Labelled("PICK", a.pick())
		out.Labelled("COSTS", a.costs(a.Pick))
		out.Labelled("LEAVES", a.leaves(a.Pick))
		out.Labelled("ASSUMED", a.assumed())
		out.Labelled("RUNNER-UP", a.second())
	}
	if a.Regret != nil {
		out.Labelled("REGRET", regret(a.Regret))
	}
	for _, s := range a.warnings() {
		out.Labelled("BUT", s)
	}
	out.Printf("\n")
	if out.Err == nil {
		out.Err = a.table().Write(w)
	}
	if a.Pick != nil {
		out.Printf("PROGRAM\n%s\n", lineStart.ReplaceAllString(tune.Snippet(a.Pick.Config), "    $0"))
	}
	return out.Err
}

var lineStart = regexp.MustCompile(`(?m)^.`) // the first letter of a line that is not empty

func described(c *tune.Candidate) string {
	if c.Name != "" {
		return c.Name
	}
	cfg := c.Config
	said := cfg.Scheduler
	if said == catalog.RuntimeTimer {
		return said
	}
	if cfg.Wheel() {
		said += fmt.Sprintf(", a tick of %s, %d slots", words.Span(float64(cfg.Tick)), cfg.Slots)
		if cfg.Scheduler == catalog.Hier {
			said += " a level"
		}
	}
	switch {
	case cfg.Waking == catalog.Tickless:
		said += ", sleeping until due"
	case cfg.Wheel():
		said += ", waking at every tick"
	default:
		said += ", waking every " + words.Span(float64(cfg.Tick))
	}
	if cfg.Waiting == catalog.Precise {
		said += ", waiting precisely"
	}
	return said
}

func (a *Answer) pick() string {
	said := described(a.Pick)
	if a.Pick.Config.Scheduler == catalog.RuntimeTimer {
		said += ": no scheduler saves enough CPU within the limits"
	}
	if a.ByHeat != "" {
		said += "\nby replay in virtual time: " + a.ByHeat
	}
	return said
}

func (a *Answer) costs(c *tune.Candidate) string {
	f := c.Best()
	if f == nil {
		return "not measured: " + c.Note
	}
	parts := []string{share(f.CPU.Estimate), a.late(c)}
	if c.Config.Scheduler != catalog.RuntimeTimer {
		parts = append(parts, words.PerSecond(f.Wakeups)+" wake-ups")
	}
	if f.Memory > 0 {
		parts = append(parts, words.Trimmed(words.Bytes(f.Memory)))
	}
	if a.ByHeat == "" {
		return strings.Join(parts, ", ") + fmt.Sprintf("\nmeasured on the real clock for %s, beside the others", words.Span(float64(f.Played.Round(time.Second))))
	}
	n := max(len(f.CPU.Blocks), 1)
	from := "from " + words.Many(n, "replay")
	if c.Config.Scheduler == catalog.RuntimeTimer {
		from = "priced " + words.Many(n, "time")
	}
	return strings.Join(parts, ", ") + "\n" + from + ": time per operation × rate + wake-ups × the price of a wake-up here"
}

func (a *Answer) late(c *tune.Candidate) string {
	f, at := c.Best(), words.Number(100*a.Requirements.Share())
	switch {
	case math.IsNaN(f.Lateness.Value):
		return "no timer fired meanwhile"
	case a.ByHeat != "":
		return fmt.Sprintf("%s %% of the timers about %s late (computed, not measured)", at, seconds(f.Lateness.Value))
	case a.tooFew(c):
		return fmt.Sprintf("at most %s late, of only %s that fired", seconds(f.Lateness.Value), words.Many(int(f.Fired), "timer"))
	}
	return fmt.Sprintf("%s %% of the timers at most %s late", at, interval(f.Lateness.Estimate, seconds))
}

func seconds(v float64) string { return words.Time(v * 1e9) }

// share writes a share of a core with its interval. It may be below zero: the share of the idle process is subtracted.
func share(e judge.Estimate) string {
	said := interval(e.AtLeast(0), ofCore)
	if e.Value <= 0 && e.High > 0 && !math.IsInf(e.High, 1) {
		said = "under " + ofCore(e.High)
	}
	return said + " of a core"
}

// ofCore writes a share of a core that may be too small to be of interest.
func ofCore(v float64) string {
	const least = 1e-6
	switch {
	case v > 0 && v < least:
		return "under " + words.Share(least)
	case v < 0:
		return words.Share(0)
	}
	return words.Share(v)
}

func interval(e judge.Estimate, as func(float64) string) string {
	if e.Low == e.High || math.IsInf(e.High, 1) || as(max(e.Low, 0)) == as(e.High) {
		return as(e.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", as(e.Value), as(max(e.Low, 0)), as(e.High))
}

// plusMinus writes a share of a core with half of its interval.
func plusMinus(e judge.Estimate) string {
	if half := (e.High - e.Low) / 2; half > 0 && !math.IsInf(half, 1) {
		return ofCore(e.Value) + " ± " + ofCore(half)
	}
	return ofCore(e.Value)
}

func (a *Answer) assumed() string {
	if !a.Assumed {
		return ""
	}
	return fmt.Sprintf("no limit for lateness was given: %s at %s %% is assumed (a tenth of the mean delay of the timers that fire, at most 1 s)",
		words.Time(float64(a.Requirements.Lateness)), words.Number(100*a.Requirements.Share()))
}

func (a *Answer) second() string {
	if a.RunnerUp == nil {
		return "no other candidate keeps the limits as surely"
	}
	return described(a.RunnerUp) + ": " + a.compared(a.RunnerUp, a.More)
}

func (a *Answer) compared(c *tune.Candidate, d judge.Comparison) string {
	figures := fmt.Sprintf("%s against %s", ofCore(c.Best().CPU.Value), ofCore(a.Pick.Best().CPU.Value))
	low, high := math.Abs(d.Low), math.Abs(d.High)
	apart := interval(judge.Estimate{Value: math.Abs(d.Value), Low: min(low, high), High: max(low, high)}, ofCore) + " of a core"
	worth := words.Share(max(a.Band, a.Requirements.Worthwhile()))
	switch d.Answer {
	case judge.AsFast:
		return fmt.Sprintf("%s; the difference from the pick is below the %s of a core that counts", figures, worth)
	case judge.Slower:
		return fmt.Sprintf("%s; it takes %s more than the pick", figures, apart)
	case judge.Faster:
		return fmt.Sprintf("%s; it takes %s less than the pick", figures, apart)
	}
	return figures + "; whether it takes more than the pick is unclear"
}

// judged says how the candidate that the user asked about did.
func (a *Answer) judged() string {
	c := a.Explained
	said := c.Name + " on " + a.Segment.Source.Name
	if c.Config.Scheduler != "" {
		said += ": " + c.Config.String()
	}
	if c.Final == nil {
		return said + "\nnot measured: " + cmp.Or(c.Note, a.ByHeat, "the time was up")
	}
	if left := a.leaves(c); left != "" {
		said += "\n" + a.verdict(c) + ": " + left
	}
	said += "\n" + a.costs(c)
	if a.Pick != nil {
		said += "\n" + a.compared(c, a.MoreThan(c, a.Pick))
	}
	return said
}

func (a *Answer) asked() (said []string) {
	r := a.Requirements
	for _, l := range a.limits() {
		most := "at most " + l.allowance(l.allowed)
		if l.Limit == tune.LimitLateness {
			most = words.Number(100*r.Share()) + " % " + most
		}
		said = append(said, most)
	}
	for _, f := range []struct {
		on   bool
		said string
	}{{r.MustTick, "a driver that ticks"}, {r.MustNotTick, "a driver that does not tick"}, {r.NotPrecise, "no precise waiting"}} {
		if f.on {
			said = append(said, f.said)
		}
	}
	return said
}

// regret compares the pick with the best of all other candidates.
func regret(r *tune.Regret) string {
	if r.Rival == nil {
		return fmt.Sprintf("no other of all %d played keeps the limits with 5 %% to spare", r.Of)
	}
	said := fmt.Sprintf("%s for the pick, %s for %s, the best other of all %d played: ", share(r.Pick), ofCore(r.Other.Value), described(r.Rival), r.Of)
	switch low, high := r.More.Low, r.More.High; r.More.Answer {
	case judge.Faster:
		return said + words.FromTo(ofCore(-high), ofCore(-low)) + " less"
	case judge.Unclear:
		return said + "from " + ofCore(-low) + " less to " + ofCore(high) + " more"
	default:
		return said + words.FromTo(ofCore(low), ofCore(high)) + " more"
	}
}

func (a *Answer) warnings() (said []string) {
	said = append(said, a.doubts()...)
	if a.Others > rundata.NoticedBusy {
		said = append(said, fmt.Sprintf("other processes took %s of the processors' time: measure again without them", words.Share(a.Others)))
	}
	if a.Pick != nil && a.Pick.Config.Scheduler == catalog.List {
		said = append(said, "a sorted list walks past all pending timers for a deadline that comes before them")
	}
	return said
}
