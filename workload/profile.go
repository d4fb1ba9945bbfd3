package workload

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

//go:embed profiles/*.toml
var files embed.FS

// Profile describes the timers of a program. Parse, Find and Builtin make profiles, which do not change.
type Profile struct {
	Name string
	// About says in a sentence what it stands for.
	About string
	// Source is where its figures are from.
	Source string
	// Choices are the figures and models that are not from the source, and their reasons.
	Choices []string
	// Tick is the tick of schedulers, unless flags give another.
	Tick time.Duration

	length      time.Duration
	populations []Population
	digest      uint64   // of its text
	pending     sync.Map // what Pending has computed, by time: it takes a millisecond
}

// builtin are the names of the embedded profiles, in their order.
func builtin() []string {
	return []string{
		"kafka-purgatory", "rpc-timeout", "http-deadline", "idle-keepalive", "tcp-rto",
		"long-uniform", "heartbeat", "pacing", "delayed-message", "cache-ttl",
		"mixed-horizon", "business-ack", "sub-ms", "idle",
	}
}

// Builtin returns the profiles that come with the package, always in the same order.
func Builtin() []*Profile { return lists.Each(builtin(), embedded) }

// embedded reads a profile of the package. A test finds faults in these.
func embedded(name string) *Profile {
	path := "profiles/" + name + ".toml"
	text, readErr := files.ReadFile(path)
	p, err := Parse(bytes.NewReader(text), path)
	if err := errors.Join(readErr, err); err != nil {
		panic(err)
	}
	return p
}

// unknown is the error for a name that no profile and no file has.
type unknown struct{ error }

// Is makes it fs.ErrNotExist.
func (unknown) Is(target error) bool { return target == fs.ErrNotExist }

// Find returns the package's profile of that name, or reads the file of that name.
func Find(nameOrFile string) (*Profile, error) {
	if slices.Contains(builtin(), nameOrFile) {
		return embedded(nameOrFile), nil
	}
	f, err := os.Open(nameOrFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = unknown{check.Unknown("profile or file", nameOrFile, builtin())}
	}
	if err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	defer f.Close()
	return Parse(f, nameOrFile)
}

// Populations returns the kinds of timers in the profile.
func (p *Profile) Populations() []Population { return slices.Clone(p.populations) }

// Length returns the virtual time in which timers are made. Options.For overrides it.
func (p *Profile) Length() time.Duration { return p.length }

// Horizon returns the longest delay: no timer of the profile is due later than this after it was armed.
func (p *Profile) Horizon() time.Duration {
	var longest time.Duration
	for i := range p.populations {
		longest = max(longest, p.populations[i].horizon())
	}
	return longest
}

// Initial returns the number of timers pending at the start.
func (p *Profile) Initial() (n int) {
	for i := range p.populations {
		n += p.populations[i].initial
	}
	return n
}

// Mix returns the mix of all timers together.
func (p *Profile) Mix() Mix {
	var m Mix
	for i := range p.populations {
		m = m.plus(1, p.populations[i].mix)
	}
	return m
}

// Pending returns the mean number of timers pending after a time.
func (p *Profile) Pending(after time.Duration) (n float64) {
	if n, known := p.pending.Load(after); known {
		return n.(float64)
	}
	for i := range p.populations {
		n += p.populations[i].pendingAfter(float64(after))
	}
	p.pending.Store(after, n)
	return n
}

// Delay returns the distribution of the delays of all armings. A population counts as often as it arms.
func (p *Profile) Delay() Distribution {
	if len(p.populations) == 1 {
		return p.populations[0].Delay()
	}
	var parts []law
	var weights []float64
	for i := range p.populations {
		parts = append(parts, p.populations[i].Delay().law)
		weights = append(weights, p.populations[i].mix.Armings())
	}
	return Distribution{law: newMixture(parts, weights), text: "all delays of " + p.Name}
}

// Describe returns some lines that describe the profile.
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
		words.Short(d.Min()), words.Short(d.Quantile(0.1)), words.Short(d.Quantile(0.5)),
		words.Short(d.Quantile(0.9)), words.Short(d.Quantile(0.99)), words.Short(d.Max()))
	for _, c := range p.Choices {
		fmt.Fprintf(&b, "  choice: %s\n", c)
	}
	return b.String()
}

// Describe returns a line that describes the population.
func (p *Population) Describe() string {
	parts := []string{p.arrivals.text, "delay " + p.delay.text}
	if p.periodic {
		parts[1] = "period " + p.delay.text
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
