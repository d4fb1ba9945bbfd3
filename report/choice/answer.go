package choice

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Answer writes what is to be taken, first and once, and what it costs: at most AnswerLines
// lines. Write has the reasons.
func (t *Tuning) Answer(w io.Writer) error {
	out := &text.Page{W: w}
	if t.Choice.Infeasible != nil {
		t.nothing(out)
		return out.Err
	}
	f := t.final()
	out.Labelled("PICK", described(f.Config)+remark(f.Config))
	out.Labelled("COSTS", t.costs(f))
	out.Labelled("LEAVES", t.leaves(f))
	if asked := t.Choice.Asked; asked.Lateness == 0 && len(t.Choice.Notes) > 0 {
		out.Labelled("ASSUMED", t.Choice.Notes[0])
	}
	out.Labelled("RUNNER-UP", t.second())
	t.proved(out)
	for _, s := range t.warnings() {
		out.Labelled("BUT", s)
	}
	out.Printf("PROGRAM\n%s\n", indented(tune.Snippet(f.Config)))
	return out.Err
}

// described says a configuration in words.
func described(c catalog.Config) string {
	if c.Scheduler == catalog.RuntimeTimer {
		return c.Scheduler
	}
	said := c.Scheduler
	if c.Wheel() {
		said += fmt.Sprintf(", a tick of %s, %d slots", words.Span(float64(c.Tick)), c.Slots)
		if c.Scheduler == catalog.Hier {
			said += " a level"
		}
	}
	switch {
	case c.Waking == catalog.Tickless:
		said += ", sleeping until due"
	case c.Wheel():
		said += ", waking at every tick"
	default:
		said += ", waking every " + words.Span(float64(c.Tick))
	}
	if c.Waiting == catalog.Precise {
		said += ", waiting precisely"
	}
	return said
}

// remark says what follows from a choice.
func remark(c catalog.Config) string {
	if c.Scheduler == catalog.RuntimeTimer {
		return ": this workload needs no scheduler"
	}
	return ""
}

// costs says what is predicted of a configuration, and how much more that is than the least.
func (t *Tuning) costs(p *tune.Prediction) string {
	c := t.Choice
	late := fmt.Sprintf("%s %% of the timers at most %s late", words.Number(100*c.Requirements.Percentile), words.Time(p.Lateness.Value*1e9))
	return fmt.Sprintf("%s, %s, %s wake-ups, %s (predicted)\n%s", share(p.CPU), late, words.PerSecond(p.Wakeups),
		words.Trimmed(words.Bytes(p.Memory.Value)), t.regret(p))
}

// share writes a share of a core with its interval.
func share(e judge.Estimate) string {
	if e.Low == e.High {
		return words.Share(e.Value) + " of a core"
	}
	return fmt.Sprintf("%s of a core (%s to %s)", words.Share(e.Value), words.Share(max(e.Low, 0)), words.Share(e.High))
}

// regret says how much more is predicted for what is taken than for what takes the least.
func (t *Tuning) regret(p *tune.Prediction) string {
	c := t.Choice
	if c.Least == nil || c.Least.Config == p.Config {
		return fmt.Sprintf("the least of all %d that keep the limits", len(c.Ranked))
	}
	above := fmt.Sprintf("%s of a core above the least of all %d that keep the limits (%s)",
		words.Share(max(p.CPU.Value-c.Least.CPU.Value, 0)), len(c.Ranked), described(c.Least.Config))
	switch c.Told(p) {
	case judge.AsFast:
		return above + ", which nobody would notice"
	case judge.CannotTell:
		return above + ", which the costs of this machine do not tell from none"
	}
	return above
}

// leaves says what is left of each limit.
func (t *Tuning) leaves(p *tune.Prediction) string {
	var said []string
	for _, m := range t.Choice.MarginsOf(p) {
		said = append(said, left(m))
	}
	return strings.Join(said, "; ")
}

// second says what else could be taken, and why it is not.
func (t *Tuning) second() string {
	c, f := t.Choice, t.final()
	other := c.RunnerUp
	if f.Config != c.Pick.Config {
		other = c.Pick
	}
	if other == nil {
		return "nothing else keeps the limits"
	}
	late := fmt.Sprintf("%s late", words.Time(other.Lateness.Value*1e9))
	if d, ok := t.measured(f.Config, other.Config); ok {
		who := "it"
		if f.Config != c.Pick.Config {
			who = "it, which was predicted to be the best,"
		}
		return fmt.Sprintf("%s: measured side by side, %s; %s", described(other.Config), tune.SayMoreCPU(d, t.Proof.Same, who, "the pick", "round"), late)
	}
	return fmt.Sprintf("%s: %s; %s", described(other.Config), tune.SayMorePredicted(other, f, c.Requirements.Worthwhile()), late)
}

// measured returns how much more CPU another took than what is taken, if they are the two
// that were measured in the same rounds.
func (t *Tuning) measured(taken, other catalog.Config) (d judge.Difference, ok bool) {
	if t.Proof == nil || len(t.Proof.Runs) < 2 || t.Proof.MoreThanRunnerUp.Blocks == 0 {
		return d, false
	}
	switch first, second := t.Proof.Runs[0].Measured, t.Proof.Runs[1].Measured; {
	case first.Config == other && second.Config == taken:
		return t.Proof.MoreThanRunnerUp, true
	case first.Config == taken && second.Config == other:
		return tune.MoreCPU(second, first, t.Proof.Same, 1), true
	}
	return d, false
}

// proved says in a line for each what was measured of what was tried.
func (t *Tuning) proved(out *text.Page) {
	if t.Unproven != "" {
		out.Labelled("NOT PROVED", t.Unproven)
	}
	if t.Proof == nil {
		if t.Unproven == "" {
			out.Labelled("NOT PROVED", "nothing was played: all figures are predicted")
		}
		return
	}
	label := "PROVED"
	for i := range t.Proof.Runs {
		if r := &t.Proof.Runs[i]; i < 2 || r == t.Proof.Final { // what else was tried is among the reasons
			out.Labelled(label, t.ran(r))
			label = ""
		}
	}
}

// ran says what was measured of one configuration, and what is known by that.
func (t *Tuning) ran(r *tune.Proved) string {
	name := described(r.Measured.Config)
	switch r.Measured.Config {
	case t.final().Config:
		name = "the pick"
	case t.Choice.Pick.Config:
		name = "what was predicted to be the best"
	default:
		if q := t.Choice.RunnerUp; q != nil && q.Config == r.Measured.Config {
			name = "the runner-up"
		}
	}
	m := r.Measured
	said := fmt.Sprintf("%s, played for %s: %s", name, words.Span(rounded(m.For)), share(m.CPU.Estimate))
	if m.Fired > 0 {
		said += ", " + fmt.Sprintf("%s %% at most %s late", words.Number(100*t.Choice.Requirements.Percentile), ranging(m.Lateness.Estimate, inSeconds))
	}
	if r.Verdict.Finding() == judge.Holds {
		return said + ": no more than predicted, and within the limits"
	}
	return said + "; " + r.Verdict.Why
}

// warnings are what one has to know besides.
func (t *Tuning) warnings() []string {
	var said []string
	if f := t.final(); f.Config.Scheduler == catalog.List {
		said = append(said, tune.ListNote)
	}
	if busy := costs.SayBusy(t.Cached.Calibration.Busy, "while it was calibrated"); busy != "" {
		said = append(said, busy)
	}
	if t.Proof != nil {
		if t.Proof.Final == nil {
			said = append(said, "the pick is a prediction that was refuted, as was all that was tried")
		}
		said = append(said, t.Proof.Notes...)
	}
	if len(said) > mostWarnings {
		said = append(said[:mostWarnings-1], fmt.Sprintf("%s: see --why", words.Many(len(said)-mostWarnings+1, "more note")))
	}
	return said
}

// AnswerLines is how long an answer is at most, and mostWarnings how many warnings it has.
const (
	AnswerLines  = 40
	mostWarnings = 3
)

// nothing says that no choice keeps the limits, why, and what would have to change.
func (t *Tuning) nothing(out *text.Page) {
	in := t.Choice.Infeasible
	out.Labelled("PICK", "nothing meets what is asked for: "+strings.Join(asked(t.Choice.Asked), "; "))
	out.Labelled("BINDS", in.Binds)
	label := "CHANGE"
	for _, s := range slices.Concat(in.Change) {
		out.Labelled(label, s)
		label = ""
	}
}
