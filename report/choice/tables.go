package choice

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
	"schedbench/tune"
	"schedbench/tune/costs"
)

// ranging writes an estimate and how far its interval goes.
func ranging(e judge.Estimate, f words.Format) string {
	if e.Value == 0 || e.Low == e.High && !math.IsNaN(e.Value) {
		return f(e.Value)
	}
	return words.Interval(e.Value, e.Low, e.High, f)
}

// inSeconds is a format for times given in seconds.
func inSeconds(v float64) string { return words.Nanos(v * 1e9) }

// loadTable has a workload in numbers.
func loadTable(l *tune.Load) *text.Table {
	t := &text.Table{Title: "The workload, once it is steady", Names: 1, Header: []string{"what", "figure"}}
	t.Add("timers made", words.PerSecond(l.Schedules))
	if l.Resets > 0 {
		t.Add("reset", words.PerSecond(l.Resets))
	}
	t.Add("cancelled", words.PerSecond(l.Cancels)+shareOf(l.Cancels, l))
	t.Add("fired", words.PerSecond(l.Fires)+shareOf(l.Fires, l))
	t.Add("pending", words.Count(math.Round(l.Pending))+fmt.Sprintf(" (at most %s)", words.Count(float64(l.MostPending))))
	t.Add("delay, on average", words.Span(rounded(l.MeanDelay)))
	t.Add("longest delay", words.Span(rounded(l.Horizon)))
	return t
}

// rounded returns a duration with three significant digits.
func rounded(d time.Duration) float64 { return math.Round(words.Round(float64(d))) }

// shareOf writes a rate as a share of all times that a timer was given a deadline.
func shareOf(rate float64, l *tune.Load) string {
	if all := l.Schedules + l.Resets; all > 0 {
		return fmt.Sprintf(" (%s)", words.Percent(rate/all))
	}
	return ""
}

// latencyTable has how late sleeps end, by way of waiting.
func latencyTable(c *costs.Calibration) *text.Table {
	t := &text.Table{Title: "How late a sleep ends", Names: 1, Header: []string{"waiting", "50 %", "90 %", "99 %", "99.9 %", "worst"}}
	for _, way := range slices.Sorted(maps.Keys(c.Latency)) {
		row := []string{way}
		for _, p := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
			row = append(row, inSeconds(quantileOf(c.Latency[way], p)))
		}
		t.Add(row...)
	}
	return t
}

// quantileOf returns a quantile of a distribution of which there are evenly spaced
// ones.
func quantileOf(even []float64, p float64) float64 {
	if len(even) == 0 {
		return math.NaN()
	}
	return even[int(math.Ceil(p*float64(len(even)-1)))]
}

// alternativesTable has the best prediction of each scheduler and way of waiting,
// with the tick and the slots that suit it; those that are named stand for their
// kinds.
func alternativesTable(c *tune.Choice) *text.Table {
	r, named := c.Requirements, namedOf(c)
	t := &text.Table{
		Title: "The alternatives, predicted: each scheduler and way of waiting at its best", Names: 3,
		Header: []string{"choice", "configuration", "driver", "CPU", lateAt(r.Percentile), "memory", "wake-ups", "misses"},
	}
	for _, q := range bestOfEach(c.All, named, r) {
		t.Add(namesOf(named, q.Config), shape(q.Config), driving(q.Config), ranging(q.CPU, words.Percent), ranging(q.Lateness, inSeconds),
			words.Bytes(q.Memory.Value), words.PerSecond(q.Wakeups), missing(q))
	}
	return t
}

// namedPrediction is a prediction with what it is, such as the pick.
type namedPrediction struct {
	name string
	tune.Prediction
}

// namedOf returns the predictions that a choice names, in the order of their
// importance.
func namedOf(c *tune.Choice) (named []namedPrediction) {
	for _, n := range []struct {
		name string
		p    *tune.Prediction
	}{{"pick", c.Pick}, {"runner-up", c.RunnerUp}, {"knee", c.Knee}} {
		if n.p != nil {
			named = append(named, namedPrediction{n.name, *n.p})
		}
	}
	return named
}

// namesOf returns all names of a configuration.
func namesOf(named []namedPrediction, c catalog.Config) string {
	var names []string
	for _, n := range named {
		if n.Config == c {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// bestOfEach returns a prediction for each scheduler and way of waiting, in the order
// of better: the first that is named, or else the best.
func bestOfEach(all []tune.Prediction, named []namedPrediction, r tune.Requirements) (best []tune.Prediction) {
	type kind struct {
		scheduler string
		waking    catalog.Waking
		waiting   catalog.Waiting
	}
	kindOf := func(c catalog.Config) kind { return kind{c.Scheduler, c.Waking, c.Waiting} }
	of := map[kind]tune.Prediction{}
	for _, q := range all {
		if have, ok := of[kindOf(q.Config)]; !ok || better(q, have, r) < 0 {
			of[kindOf(q.Config)] = q
		}
	}
	for _, n := range slices.Backward(named) {
		of[kindOf(n.Config)] = n.Prediction
	}
	return slices.SortedStableFunc(maps.Values(of), func(a, b tune.Prediction) int {
		return cmp.Or(better(a, b, r), cmp.Compare(a.Config.String(), b.Config.String()))
	})
}

// better compares predictions: what is possible first, then what misses fewer
// limits, misses them by less, takes less CPU, is less late, takes less memory.
func better(a, b tune.Prediction, r tune.Requirements) int {
	impossible := func(q tune.Prediction) int { return min(len(q.Impossible), 1) }
	return cmp.Or(
		cmp.Compare(impossible(a), impossible(b)), cmp.Compare(len(a.Misses), len(b.Misses)),
		cmp.Compare(excess(a, r), excess(b, r)),
		cmp.Compare(a.CPU.Value, b.CPU.Value), cmp.Compare(a.Lateness.Value, b.Lateness.Value),
		cmp.Compare(a.Memory.Value, b.Memory.Value))
}

// excess is how many times over a prediction misses what it misses by the most; 0 if
// it misses nothing.
func excess(q tune.Prediction, r tune.Requirements) (most float64) {
	for _, m := range q.Misses {
		switch m {
		case tune.LimitLateness:
			most = max(most, q.Lateness.High/r.Lateness.Seconds())
		case tune.LimitCPU:
			most = max(most, q.CPU.High/r.CPU)
		case tune.LimitMemory:
			most = max(most, q.Memory.High/float64(r.Memory))
		}
	}
	return most
}

// driving says how a configuration's driver waits.
func driving(c catalog.Config) string {
	if c.Scheduler == catalog.RuntimeTimer {
		return "none"
	}
	said := "sleeps until due"
	if c.Waking == catalog.Ticking {
		said = "ticks"
	}
	if c.Waiting == catalog.Precise {
		said += ", precisely"
	}
	return said
}

// missing says which limits a prediction misses, or may.
func missing(q tune.Prediction) string {
	if q.Impossible != "" {
		return q.Impossible
	}
	var said []string
	for _, m := range q.Misses {
		if slices.Contains(q.Perhaps, m) {
			m = "perhaps " + m
		}
		said = append(said, m)
	}
	return strings.Join(said, ", ")
}

// proofTable has what was predicted beside what was measured.
func proofTable(p *tune.Proof, percentile float64) *text.Table {
	t := &text.Table{
		Title: "The proof: predicted beside measured, live", Names: 2,
		Header: []string{"configuration", "what", "predicted", "measured", "error", "verdict"},
	}
	for _, r := range p.Runs {
		m, v := r.Measured, r.Verdict
		t.Add(m.Config.String(), "CPU", words.Percent(r.Prediction.CPU.Value), ranging(m.CPU.Estimate, words.Percent), deviation(v.CPUError), verdictWord(v.CPU))
		t.Add("", lateAt(percentile), inSeconds(r.Prediction.Lateness.Value), ranging(m.Lateness.Estimate, inSeconds), deviation(v.LatenessError), verdictWord(v.Lateness))
		t.Add("", "what is asked for", " ", " ", " ", keptWord(v.Kept))
		t.Add("", "wake-ups", words.PerSecond(r.Prediction.Wakeups), words.PerSecond(m.Wakeups), deviation(r.Prediction.Wakeups/m.Wakeups-1), " ")
		t.Add("", "fired", " ", fmt.Sprintf("%s in %s", words.Count(float64(m.Fired)), words.Span(float64(m.For.Round(10*time.Millisecond)))), " ", " ")
	}
	return t
}

// verdictWord and keptWord say what is known of a prediction and of limits.
func verdictWord(f judge.Finding) string { return wordOf(f, "confirmed", "refuted") }
func keptWord(f judge.Finding) string    { return wordOf(f, "kept", "broken") }

func wordOf(f judge.Finding, holds, fails string) string {
	switch f {
	case judge.Holds:
		return holds
	case judge.Fails:
		return fails
	}
	return f.String()
}

// deviation writes a relative error with its sign.
func deviation(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf("%+.0f %%", 100*v)
}
