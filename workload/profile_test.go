package workload

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Every embedded file is a profile of the list, and says where it is from.
func TestBuiltin(t *testing.T) {
	require.Len(t, must.Get(fs.ReadDir(files, "profiles"))(t), len(builtin()))
	for i, p := range Builtin() {
		require.Equal(t, builtin()[i], p.Name)
		require.NotEmpty(t, p.About, p.Name)
		require.NotEmpty(t, p.Source, p.Name)
		require.NotEmpty(t, p.Choices, p.Name)
		require.Positive(t, p.Horizon(), p.Name)
		require.Less(t, p.Tick, p.Horizon(), p.Name)
		for _, population := range p.Populations() {
			require.NotEmpty(t, population.name, p.Name)
			require.NotEmpty(t, population.Arrivals(), p.Name)
		}
		require.InDelta(t, 1, p.Mix().ResetShare()+p.Mix().CancelShare()+p.Mix().FireShare(), 1e-9, p.Name)
		require.LessOrEqual(t, p.Delay().Max(), p.Horizon(), p.Name)
	}
	// Of 548 armings a second 400 are those of the shortest period.
	require.InDelta(t, 400.0/548, find(t, "heartbeat").Delay().law.cdf(1e8), 1e-9)
}

func TestFind(t *testing.T) {
	require.Equal(t, "idle", find(t, "idle").Name)
	file := filepath.Join(t.TempDir(), "own.toml")
	require.NoError(t, os.WriteFile(file, must.Get(files.ReadFile("profiles/pacing.toml"))(t), 0o600))
	require.Equal(t, "pacing", find(t, file).Name)

	_, err := Find("no-such")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, `"no-such", want one of kafka-purgatory, rpc-timeout`)
	_, err = Find(filepath.Dir(file))
	require.ErrorContains(t, err, "is a directory")
}

func TestDescribe(t *testing.T) {
	text := find(t, "business-ack").Describe()
	for _, want := range []string{
		"business-ack: Messages that are sent again", "source: Acknowledgement", "tick 1ms",
		"made for 6m40s, no delay is longer than 10s", "messages: poisson(1k/s), delay 10s",
		"cancelled after exponential(10.35s) if that is first", "reset after 3s if that is first, at most 7 times",
		"per second 1k schedules, 2.58k resets, 950 cancels, 50 deadlines reached",
		"at the end of 6m40s about 9.83k", "median 10s", "choice: 1000 messages a second",
	} {
		require.Contains(t, text, want)
	}
	require.Contains(t, find(t, "tcp-rto").Describe(), "backed off to 2m in 10 steps")
	require.Contains(t, find(t, "idle").Describe(), "period 500ms")
}

// within is how far a count may be off: by one per cent and some standard deviations of independent events.
func within(expected float64) float64 { return 0.01*expected + 4.5*math.Sqrt(expected) }

// observation is how a profile is run to be compared with its claims, which count once it is warm, up to For.
type observation struct {
	Options
	warm time.Duration
}

// observations have some hundred thousand operations in the steady state each. The longest delays are a small part of them.
func observations() map[string]observation {
	return map[string]observation{
		"kafka-purgatory": {Options{Seed: 11, For: 20 * time.Second}, time.Second},
		"rpc-timeout":     {Options{Seed: 11, Scale: 0.005, For: 120 * time.Second}, 31 * time.Second},
		"http-deadline":   {Options{Seed: 11, Scale: 0.0003, For: 2 * time.Hour}, 5 * time.Minute},
		"idle-keepalive":  {Options{Seed: 11, Scale: 0.003, For: 12 * time.Hour}, 5 * time.Minute},
		"tcp-rto":         {Options{Seed: 11, Scale: 0.03, For: 25 * time.Minute}, 5 * time.Minute},
		"long-uniform":    {Options{Seed: 11, Scale: 0.03, For: 1500 * time.Second}, 1},
		"heartbeat":       {Options{Seed: 11, For: 20 * time.Minute}, 5 * time.Second},
		"pacing":          {Options{Seed: 11, For: time.Second / 3}, 10 * time.Millisecond},
		"delayed-message": {Options{Seed: 11, Scale: 0.03, For: 10_000 * time.Second}, 1},
		"cache-ttl":       {Options{Seed: 11, Scale: 0.003, For: 10_000 * time.Second}, 1},
		"business-ack":    {Options{Seed: 11, Scale: 0.03, For: 4000 * time.Second}, 40 * time.Second},
		"sub-ms":          {Options{Seed: 11, For: 2 * time.Second}, time.Millisecond},
		"idle":            {Options{Seed: 11, For: 100 * time.Hour}, time.Second},
	}
}

// Rates, shares and the number pending are what the profile says that they are.
func TestClaims(t *testing.T) {
	for name, o := range observations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkRates(t, find(t, name), o)
		})
	}
}

func checkRates(t *testing.T, p *Profile, o observation) {
	m, c, scale := p.Mix(), checkedStream(t, p, o.Options, o.warm, o.For), cmp.Or(o.Scale, 1)
	seconds := (o.For - o.warm).Seconds()
	for kind, rate := range map[Kind]float64{Schedule: m.Schedules, Reset: m.Resets, Cancel: m.Cancels, 0: m.Fires} {
		expected, count := rate*scale*seconds, c.happened[kind]
		require.InDelta(t, expected, count, within(expected), kind)
		if expected > 3e5 {
			require.InEpsilon(t, expected, count, 0.01, kind)
		}
	}
	armings := float64(c.happened[Schedule] + c.happened[Reset])
	require.InDelta(t, m.CancelShare(), float64(c.happened[Cancel])/armings, 0.01, "share cancelled")
	require.InDelta(t, m.ResetShare(), float64(c.happened[Reset])/armings, 0.01, "share reset")
	require.InEpsilon(t, m.Pending*scale, c.pending.Seconds()/seconds, 0.01, "pending")
}

// The steady state of a profile that reaches a year is never seen; its timers end as it says all the same.
func TestClaimsOfMixedHorizon(t *testing.T) {
	p := find(t, "mixed-horizon")
	c := checkedStream(t, p, Options{Seed: 11}, p.Length()-time.Second, p.Length())
	timers := 1000 * p.Length().Seconds()
	require.InEpsilon(t, timers, c.ended[Cancel]+c.ended[0], 0.01)
	require.InEpsilon(t, timers*p.Mix().CancelShare(), c.ended[Cancel], 0.01)
	require.InEpsilon(t, p.Pending(p.Length()), c.pending.Seconds(), 0.01)
	require.Equal(t, year, c.longest)
}

func TestDelaysOfStreams(t *testing.T) {
	for name, o := range observations() {
		p := find(t, name)
		o.For /= 2
		var sample []float64
		for _, op := range collect(t, name, o.Options, 512, everything) {
			if op.Kind != Cancel && op.At > 0 {
				sample = append(sample, float64(op.Delay))
			}
		}
		cdf := p.Delay().law.cdf
		limit := critical(len(sample))
		if !slices.ContainsFunc(p.Populations(), func(p Population) bool { return !p.periodic }) {
			limit = 0.01 // not drawn, but cut short at the end
		}
		rounded := func(x float64) float64 { return cdf(math.Floor(x) + 0.5) }
		require.Less(t, distance(sample, rounded), limit, name)
	}
}

// A back-off doubles the delay after each deadline, up to the greatest. Any other end begins anew.
func TestBackoffSteps(t *testing.T) {
	deadline, last := map[uint32]time.Duration{}, map[uint32]time.Duration{}
	steps := 0
	for _, op := range collect(t, "tcp-rto", Options{Seed: 2, Scale: 0.1, For: 10 * time.Minute}, 512, everything) {
		switch {
		case op.Kind == Cancel:
			delete(deadline, op.Timer)
			continue
		case op.Kind == Schedule && deadline[op.Timer] == op.At && op.At > 0 && last[op.Timer] > 0:
			require.Equal(t, min(2*last[op.Timer], 120*time.Second), op.Delay)
			steps++
		default:
			require.Equal(t, 200*time.Millisecond, op.Delay)
		}
		deadline[op.Timer], last[op.Timer] = op.At+op.Delay, op.Delay
	}
	require.Greater(t, steps, 1000)
}

func TestDocumentation(t *testing.T) {
	text := must.Get(os.ReadFile("../docs/workloads.md"))(t)
	var example []string
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example = append(example, code)
		}
	}
	require.Equal(t, "rpc", must.Get(Parse(strings.NewReader(strings.Join(example, "")), "example.toml"))(t).Name)
}
