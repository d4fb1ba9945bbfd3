package choice

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedbench/internal/words"
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

// Why writes the reasons of an answer: the workload in numbers, what was asked for, what was
// chosen and why, the alternatives, the closed forms, what was predicted beside what was
// measured, and the costs of the machine, each of them if so wanted.
func (t *Tuning) Why(w io.Writer, eachCost bool) error {
	if err := Workload(w, t.Choice.Load); err != nil {
		return err
	}
	out := &text.Page{W: w}
	c := t.Choice
	t.requirements(out)
	if c.Infeasible == nil {
		t.choice(out)
	}
	out.Table(alternativesTable(c))
	t.optima(out)
	t.proof(out)
	if out.Err != nil {
		return out.Err
	}
	return Calibration(w, t.Cached, eachCost)
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
	out.Heading("PREDICTED TO BE THE BEST")
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
		out.Heading("PREDICTED TO BE NEXT")
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
}

// sideBySide says how the pick compares with the runner-up where both were measured.
func sideBySide(p *tune.Proof) []string {
	d := p.MoreThanRunnerUp
	if d.Blocks == 0 {
		return nil
	}
	return []string{fmt.Sprintf("side by side in %s, %s", words.Many(d.Blocks, "round"), tune.SayMoreCPU(d, p.Same, "the pick", "the runner-up", "round"))}
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
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line != "\n" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
