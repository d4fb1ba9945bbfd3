package choice

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// Tuning is what choosing for a workload came to.
type Tuning struct {
	Choice *tune.Choice
	// Cached is the calibration that it is from.
	Cached costs.Cached
	// Proof is what was measured, nil if nothing was.
	Proof *tune.Proof
	// Unproven says why there is no proof, where one was asked for.
	Unproven string
}

// Write writes what was chosen, why, what the alternatives are, what it proved to
// be, and the program.
func (t *Tuning) Write(w io.Writer) error {
	out := &text.Page{W: w}
	c := t.Choice
	t.requirements(out)
	if c.Infeasible != nil {
		t.infeasible(out)
	} else {
		t.choice(out)
	}
	out.Table(alternativesTable(c))
	t.optima(out)
	t.proof(out)
	if p := t.final(); p != nil {
		out.Heading("PROGRAM")
		out.Printf("%s\n", indented(tune.Snippet(p.Config)))
	}
	return out.Err
}

// requirements writes what is asked for, and what was assumed.
func (t *Tuning) requirements(out *text.Page) {
	out.Heading("REQUIREMENTS")
	for _, s := range asked(t.Choice.Asked) {
		out.Item(s)
	}
	for _, s := range t.Choice.Notes {
		out.Item(s)
	}
	out.Printf("\n")
}

// asked returns requirements in words.
func asked(r tune.Requirements) (said []string) {
	if r.Lateness > 0 {
		said = append(said, fmt.Sprintf("%s %% of the timers at most %s late", words.Number(100*r.Percentile), words.Span(float64(r.Lateness))))
	}
	if r.CPU > 0 {
		said = append(said, "at most "+words.Share(r.CPU)+" of one core")
	}
	if r.Memory > 0 {
		said = append(said, "at most "+words.Trimmed(words.Bytes(float64(r.Memory)))+" of memory")
	}
	for _, rule := range []struct {
		set  bool
		text string
	}{
		{r.MustTick, "the driver wakes up at every tick"},
		{r.MustNotTick, "the driver sleeps until something is due"},
		{r.NotPrecise, "waiting by the Go runtime's timers only"},
	} {
		if rule.set {
			said = append(said, rule.text)
		}
	}
	return said
}

// choice writes the pick, the runner-up and what is left over.
func (t *Tuning) choice(out *text.Page) {
	c := t.Choice
	out.Heading("PICK")
	out.Printf("  %v\n\n", c.Pick.Config)
	out.Item("predicted: " + foretold(c.Pick, c.Requirements))
	out.Item(c.Why)
	for _, m := range c.Margins {
		out.Item(left(m))
	}
	if c.Knee != nil {
		out.Item(fmt.Sprintf("the knee of what is predicted, from which on less lateness costs ever more CPU, is %v: %s late at CPU %s",
			c.Knee.Config, inSeconds(c.Knee.Lateness.Value), words.Percent(c.Knee.CPU.Value)))
	}
	out.Printf("\n")
	if c.RunnerUp != nil {
		out.Heading("RUNNER-UP")
		out.Printf("  %v\n\n", c.RunnerUp.Config)
		out.Item("predicted: " + foretold(c.RunnerUp, c.Requirements))
		out.Item(c.Lost)
		out.Printf("\n")
	}
}

// foretold writes a prediction.
func foretold(p *tune.Prediction, r tune.Requirements) string {
	said := fmt.Sprintf("CPU %s of one core, %s %% at most %s late, memory %s, %s wake-ups",
		ranging(p.CPU, words.Percent), words.Number(100*r.Percentile), ranging(p.Lateness, inSeconds),
		ranging(p.Memory, words.Bytes), words.PerSecond(p.Wakeups))
	if takes := parts(p); takes != "" {
		said += "; of the CPU, " + takes
	}
	return said
}

// parts says what takes the CPU: all that is a hundredth of it or more.
func parts(p *tune.Prediction) string {
	var said []string
	for _, part := range p.Split() {
		if share := part.CPU / p.CPU.Value; share >= 0.01 {
			said = append(said, fmt.Sprintf("%s %.0f %%", part.Text, 100*share))
		}
	}
	return strings.Join(said, ", ")
}

// left says what a requirement leaves over.
func left(m tune.Margin) string {
	if m.Left < 0 {
		return fmt.Sprintf("%s: %s more than the %s allowed", limitName(m.Limit), tune.WriteLimit(m.Limit, -m.Left), tune.WriteLimit(m.Limit, m.Allowed))
	}
	return fmt.Sprintf("%s: %s left of the %s allowed", limitName(m.Limit), tune.WriteLimit(m.Limit, m.Left), tune.WriteLimit(m.Limit, m.Allowed))
}

func limitName(name string) string {
	if name == tune.LimitCPU {
		return "CPU"
	}
	return name
}

// infeasible writes why nothing can be chosen, and what would have to change.
func (t *Tuning) infeasible(out *text.Page) {
	in := t.Choice.Infeasible
	out.Heading("NOTHING MEETS THE REQUIREMENTS")
	out.Item(in.Binds)
	for _, s := range in.Change {
		out.Item(s)
	}
	out.Printf("\n")
}

// optima writes the closed forms.
func (t *Tuning) optima(out *text.Page) {
	tab := &text.Table{Title: "Closed forms, to compare with", Names: 2, Header: []string{"what", "formula", "here"}}
	for _, o := range t.Choice.Optima {
		here := "does not apply"
		if o.Applies {
			here = optimumValue(o)
		}
		tab.Add(o.Name, o.Formula, here)
	}
	out.Table(tab)
	for _, o := range t.Choice.Optima {
		if o.Note != "" {
			out.Item(o.Name + ": " + o.Note)
		}
	}
	if len(t.Choice.Optima) > 0 {
		out.Printf("\n")
	}
}

func optimumValue(o tune.Optimum) string {
	if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
		return "?"
	}
	return words.Count(o.Value) + " " + o.Unit
}

// proof writes what was predicted beside what was measured, and the verdict.
func (t *Tuning) proof(out *text.Page) {
	if t.Unproven != "" {
		out.Printf("NOT PROVED: %s\n\n", t.Unproven)
	}
	if t.Proof == nil {
		return
	}
	out.Table(proofTable(t.Proof, t.Choice.Requirements.Percentile))
	for _, r := range t.Proof.Runs {
		out.Item(fmt.Sprintf("%v: %s", r.Measured.Config, r.Verdict.Why))
	}
	for _, s := range slices.Concat(sideBySide(t.Proof), t.played(), t.Proof.Notes) {
		out.Item(s)
	}
	out.Printf("\n")
	if said := t.taken(); said != "" {
		out.Printf("  %s\n\n", said)
	}
}

// sideBySide says how the pick compares with the runner-up where both were measured.
func sideBySide(p *tune.Proof) []string {
	d := p.MoreThanRunnerUp
	if d.Blocks == 0 {
		return nil
	}
	return []string{fmt.Sprintf("side by side in %s, %s", words.Many(d.Blocks, "round"), tune.SayMoreCPU(d, p.Same, "the pick", "the runner-up", "round"))}
}

// taken says what is to be taken after a proof, if that is not the pick or it was not
// confirmed.
func (t *Tuning) taken() string {
	f := t.Proof.Final
	if f == nil {
		return "The pick stands as a prediction that was refuted, as all that was tried."
	}
	confirmed := f.Verdict.Finding() == judge.Holds
	switch {
	case f.Measured.Config == t.Choice.Pick.Config && confirmed:
		return ""
	case f.Measured.Config == t.Choice.Pick.Config:
		return "The pick stands as a prediction that was neither confirmed nor refuted."
	}
	why, known := "the pick was refuted", "this was confirmed"
	if t.Proof.Runs[0].Verdict.Finding() != judge.Fails {
		why = "it takes less than the pick"
	}
	if !confirmed {
		known = "this was neither confirmed nor refuted"
	}
	return fmt.Sprintf("Take %v: %s, and %s.", f.Measured.Config, why, known)
}

// played says what is predicted for the workload as it was played, where that is so
// much less or more than for what it is.
func (t *Tuning) played() []string {
	const worthSaying = 0.1
	var others []string
	for _, r := range t.Proof.Runs {
		i := slices.IndexFunc(t.Choice.All, func(q tune.Prediction) bool { return q.Config == r.Prediction.Config })
		if i < 0 {
			continue
		}
		whole, played := t.Choice.All[i].CPU.Value, r.Prediction.CPU.Value
		if math.Abs(played-whole) > worthSaying*whole {
			others = append(others, fmt.Sprintf("%s in place of %s for %s", words.Percent(played), words.Percent(whole), shape(r.Prediction.Config)))
		}
	}
	if others == nil {
		return nil
	}
	return []string{"CPU is predicted here for the workload as it was played, with its operations in groups: " + strings.Join(others, ", ")}
}

// final returns what to take: what the proof says, or else the pick.
func (t *Tuning) final() *tune.Prediction {
	if t.Proof != nil && t.Proof.Final != nil {
		return &t.Proof.Final.Prediction
	}
	if t.Choice.Infeasible != nil {
		return nil
	}
	return t.Choice.Pick
}

func indented(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ") + "\n"
}
