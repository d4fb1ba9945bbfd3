package workload

import (
	"fmt"
	"strings"
	"time"

	"schedbench/internal/words"
)

// Describe returns some lines of text that say what the profile is and asks for,
// from the profile alone.
func (p *Profile) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Name, p.About)
	if p.Source != "" {
		fmt.Fprintf(&b, "  source: %s\n", p.Source)
	}
	fmt.Fprintf(&b, "  tick %s, timers are made for %s, no delay is longer than %s\n",
		words.Span(float64(p.Tick)), words.Span(float64(p.length)), words.Span(float64(p.Horizon())))
	for i := range p.populations {
		fmt.Fprintf(&b, "  %s\n", p.populations[i].Describe())
	}
	m, d := p.Mix(), p.Delay()
	fmt.Fprintf(&b, "  per second %s schedules, %s resets, %s cancels, %s deadlines reached\n",
		words.Count(m.Schedules), words.Count(m.Resets), words.Count(m.Cancels), words.Count(m.Fires))
	fmt.Fprintf(&b, "  of all times that a timer is set %s end by a reset, %s by a cancel, %s by the deadline\n",
		percent(m.ResetShare()), percent(m.CancelShare()), percent(m.FireShare()))
	fmt.Fprintf(&b, "  pending at the start %s, at the end of %s about %s\n",
		words.Count(float64(p.Initial())), words.Span(float64(p.length)), words.Count(p.Pending(p.length)))
	fmt.Fprintf(&b, "  delays: least %s, 10 %% %s, median %s, 90 %% %s, 99 %% %s, greatest %s\n",
		rounded(d.Min()), rounded(d.Quantile(0.1)), rounded(d.Quantile(0.5)),
		rounded(d.Quantile(0.9)), rounded(d.Quantile(0.99)), rounded(d.Max()))
	for _, c := range p.Choices {
		fmt.Fprintf(&b, "  choice: %s\n", c)
	}
	return b.String()
}

// Describe returns a line that says what the population is.
func (p *Population) Describe() string {
	parts := []string{p.arrivals.text}
	if p.periodic {
		parts = append(parts, "period "+p.delay.text)
	} else {
		parts = append(parts, "delay "+p.delay.text)
	}
	parts = append(parts, p.cancel.describe("cancelled")...)
	parts = append(parts, p.reset.describe("reset")...)
	if p.times > 0 {
		parts = append(parts, fmt.Sprintf("at most %d times", p.times))
	}
	if n := len(p.backoff.delays); n > 0 {
		parts = append(parts, fmt.Sprintf("backed off to %s in %d steps", words.Span(float64(p.backoff.delays[n-1])), n-1))
	}
	return p.name + ": " + strings.Join(parts, ", ")
}

func (e ending) describe(verb string) []string {
	switch {
	case !e.present:
		return nil
	case e.shared:
		return []string{fmt.Sprintf("%s %s after %s", percent(e.share), verb, e.after)}
	}
	return []string{fmt.Sprintf("%s after %s if that is first", verb, e.after)}
}

func percent(share float64) string { return fmt.Sprintf("%.4g %%", share*100) }

// rounded writes a duration with three digits or so.
func rounded(d time.Duration) string {
	unit := time.Nanosecond
	for _, u := range []time.Duration{time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, day} {
		if d >= 100*u {
			unit = u
		}
	}
	return words.Span(float64(d.Round(unit)))
}
