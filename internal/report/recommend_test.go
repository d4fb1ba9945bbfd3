package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// gives are what the ticks of a made-up contestant give, and by how much that differs from
// block to block: 0 is not at all.
type gives struct {
	waking  string
	p99     time.Duration
	share   float64
	scatter float64
}

// idling is what an idle process takes of a core.
const idling = 0.001

// ticking makes up what each waking gives in eight blocks.
func ticking(impl string, all ...gives) *rundata.Data {
	g := newSynthetic(8)
	g.noise = 0
	around := func(give gives, v float64) (blocks []float64) {
		for range g.rounds {
			blocks = append(blocks, v*math.Exp(give.scatter*g.rng.NormFloat64()))
		}
		return blocks
	}
	add := func(experiment, params, unit string, blocks []float64) {
		s := g.series(experiment, params, map[string]float64{unit: 0})
		s.Values[unit] = blocks
	}
	for _, give := range all {
		if give.p99 > 0 {
			add(rundata.Jitter, fmt.Sprintf("impl=%s waking=%s rate=100", impl, give.waking), rundata.P99Late, around(give, float64(give.p99)))
		}
		if give.share >= 0 {
			net := around(give, give.share)
			for i := range net {
				net[i] = 1e9 * (net[i] + idling)
			}
			add(rundata.Idle, fmt.Sprintf("impl=%s waking=%s pending=1000", impl, give.waking), rundata.CPUPerSecond, net)
		}
	}
	add(rundata.Idle, "impl=process waking=none pending=1000", rundata.CPUPerSecond, around(gives{}, 1e9*idling))
	return g.data
}

const ms = time.Millisecond

var usual = []gives{
	{rundata.Tickless, 1 * ms, 0.05, 0.01}, {"1ms", 2 * ms, 0.031, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}, {"10ms", 11 * ms, 0.002, 0.01}, {"100ms", 101 * ms, 0.0001, 0.01},
}

// tickless returns the usual ticks, with something else without.
func tickless(p99 time.Duration, share, scatter float64) []gives {
	return append([]gives{{rundata.Tickless, p99, share, scatter}}, usual[1:]...)
}

func TestRecommendation(t *testing.T) {
	better := tickless(ms, 0, 0)
	for _, c := range []struct {
		name           string
		data           *rundata.Data
		req            Requirement
		waking         string
		feasible, free bool
		words          []string
	}{
		{"the longest that is in time", ticking("hierwheel", usual...), Requirement{12 * ms, 0.01}, "10ms", true, false,
			[]string{"Tick for hierwheel: 10ms, the longest measured that keeps the limits", "10ms gives p99 10.9 ms ±1%, within the 12 ms allowed, and idle CPU 0.2 %",
				", within the 1 % allowed", "100ms gives p99 101 ms ±1%, more than the 12 ms allowed, and idle CPU 0.01 %",
				"Tickless gives p99 1 ms", "idle CPU 5.02 % ±1%, more than the 1 % allowed"}},
		{"the shorter one keeps them too", ticking("hierwheel", usual...), Requirement{10 * ms, 0.05}, "5ms", true, false, []string{"10ms gives p99 10.9 ms ±1%, more than"}},
		{"the longest of all", ticking("hierwheel", usual...), Requirement{time.Second, 0.05}, "100ms", true, false, nil},
		{"tickless is better", ticking("hierwheel", better...), Requirement{10 * ms, 0.01}, "5ms", true, true,
			[]string{"it takes less CPU, so take it unless something needs a tick"}},
		{"lateness binds", ticking("hierwheel", usual[1:]...), Requirement{1 * ms, 0.01}, "", false, false,
			[]string{"No measured tick of hierwheel keeps the limits", "1ms gives p99 2 ms ±1%, more than the 1 ms allowed"}},
		{"CPU binds", ticking("hierwheel", usual[1:]...), Requirement{time.Second, 0.00001}, "", false, false,
			[]string{"No measured tick of hierwheel keeps the limits", "100ms gives p99 100 ms ±1%, within the 1 s allowed, and idle CPU 0.01 % ±1%, more than the 0.001 % allowed"}},
		{"only tickless", ticking("hierwheel", better...), Requirement{5 * ms, 0.01}, rundata.Tickless, true, false,
			[]string{"No measured tick of hierwheel keeps the limits", "Tickless gives", ", within the 1 % allowed: take it."}},
		{"any other wheel", ticking("roundswheel", usual...), Requirement{P99: 10 * ms}, "5ms", true, false,
			[]string{"Tick for roundswheel: 5ms"}},
		{"only the CPU matters", ticking("hierwheel", usual...), Requirement{CPUShare: 0.01}, "100ms", true, false, nil},
		{"no requirement", ticking("hierwheel", usual...), Requirement{}, "", false, false, []string{"No requirement"}},
		{"no ticks", ticking("hierwheel", usual[0]), Requirement{P99: ms}, "", false, false, []string{"No contestant was measured with a tick"}},
		{"lateness not measured", ticking("hierwheel", gives{"5ms", 0, 0.01, 0}), Requirement{P99: ms}, "", false, false,
			[]string{"No measured tick of hierwheel clearly keeps the limits. 5ms gives p99 that was not measured, and idle CPU 1 %"}},
		{"CPU not measured", ticking("hierwheel", gives{"5ms", ms, -1, 0}, gives{"10ms", 2 * ms, -1, 0}), Requirement{P99: 3 * ms}, "10ms", true, false, nil},
		{"nothing", nil, Requirement{P99: ms}, "", false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Verdict(c.data, Options{Requirement: c.req}).Recommendation
			require.Equal(t, []any{c.waking, c.feasible, c.free}, []any{r.Waking, r.Feasible, r.TicklessBetter}, r.Reason)
			tick, _ := time.ParseDuration(c.waking)
			require.Equal(t, tick, r.Tick)
			for _, w := range c.words {
				require.Contains(t, r.Reason, w)
			}
		})
	}
}

// reasonOf returns what is said of a contestant whose ticks give something.
func reasonOf(req Requirement, all ...gives) (tick string, reason string) {
	r := Verdict(ticking("hierwheel", all...), Options{Requirement: req}).Recommendation
	return r.Waking, r.Reason
}

// Tickless is said to take less only where it significantly does.
func TestTicklessIsRecommendedOnEvidenceOnly(t *testing.T) {
	const less, too = "it takes less CPU, so take it", "it keeps the limits too"
	for name, c := range map[string]struct {
		free  gives
		says  string
		never []string
	}{
		"plainly less":              {gives{rundata.Tickless, ms, 0.0002, 0.02}, less, []string{too}},
		"a little less, surely":     {gives{rundata.Tickless, ms, 0.0035, 0.01}, too, []string{less}},
		"the same":                  {gives{rundata.Tickless, ms, 0.0040, 0.02}, too, []string{less}},
		"the same, scattered":       {gives{rundata.Tickless, ms, 0.0040, 0.70}, too, []string{less}},
		"more":                      {gives{rundata.Tickless, ms, 0.0080, 0.02}, too, []string{less}},
		"less, but too late":        {gives{rundata.Tickless, 20 * ms, 0, 0}, "p99 20 ms ±0%, more than the 10 ms allowed", []string{less, too}},
		"less, but perhaps late":    {gives{rundata.Tickless, 9 * ms, 0.0001, 0.3}, "which may be more than the 10 ms allowed", []string{less, too}},
		"its CPU was not measured":  {gives{rundata.Tickless, ms, -1, 0}, "Tickless gives p99 1 ms ±0%, within the 10 ms allowed: it keeps the limits too", []string{less}},
		"its lateness was measured": {gives{rundata.Tickless, 0, 0, 0}, "Tickless gives p99 that was not measured, and idle CPU 0 %", []string{less, too}},
	} {
		t.Run(name, func(t *testing.T) {
			req := Requirement{P99: 10 * ms}
			tick, reason := reasonOf(req, append([]gives{c.free}, usual[1:]...)...)
			require.Equal(t, "5ms", tick)
			require.Contains(t, reason, c.says)
			for _, never := range c.never {
				require.NotContains(t, reason, never)
			}
		})
	}
}

// A tick is recommended only if all of the interval keeps the limits.
func TestALimitThatMayBeBrokenIsNotMet(t *testing.T) {
	at := func(tick string, p99 time.Duration, scatter float64) gives { return gives{tick, p99, 0.004, scatter} }
	tick, reason := reasonOf(Requirement{P99: 10 * ms}, at("1ms", 2*ms, 0.01), at("5ms", 9*ms, 0.3))
	require.Equal(t, "1ms", tick)
	require.Contains(t, reason, "5ms gives p99 9.15 ms ±27%, which may be more than the 10 ms allowed (")

	tick, reason = reasonOf(Requirement{P99: 10 * ms}, at("5ms", 9*ms, 0.3))
	require.Empty(t, tick)
	require.Contains(t, reason, "No measured tick of hierwheel clearly keeps the limits. 5ms gives p99 8.9 ms ±49%, which may be more than the 10 ms allowed (")

	_, reason = reasonOf(Requirement{CPUShare: 0.005}, at("5ms", 9*ms, 0.4))
	require.Contains(t, reason, "which may be more than the 0.5 % allowed (")
}

// Rounds that are not said to be blocks are one block, which says nothing.
func TestOneBlockRecommendsNothing(t *testing.T) {
	d := ticking("hierwheel", usual...)
	for _, s := range d.Series {
		s.Block = make([]int, len(s.Iterations))
	}
	r := Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation
	require.False(t, r.Feasible)
	require.Contains(t, r.Reason, "5ms gives p99 6 ms ±?, which may be more than the 10 ms allowed (1 more block would decide)")
}

// What the A/A series of a contestant differ by is no difference.
func TestWhatAAShowsIsNoDifference(t *testing.T) {
	less := []gives{{rundata.Tickless, ms, 0.002, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}}
	d := ticking("hierwheel", less...)
	require.True(t, Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation.TicklessBetter)
	twice := ticking("hierwheel"+rundata.AASuffix, gives{rundata.Tickless, 0, 0.005, 0.01})
	d.Series = append(d.Series, twice.Series[0])
	r := Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation
	require.False(t, r.TicklessBetter)
	require.Contains(t, r.Reason, "it keeps the limits too")
}

// A tick and waiting without one that take the same, in a thousand draws: tickless is called
// better in at most 5 %.
func TestFalseRecommendationsAreRare(t *testing.T) {
	const draws = 1000
	r := rand.New(rand.NewPCG(3, 4))
	for _, scatter := range []float64{0.0002, 0.001, 0.005} {
		false_ := 0
		for range draws {
			d := ticking("hierwheel", gives{rundata.Tickless, ms, 0, 0}, gives{"5ms", 6 * ms, 0, 0})
			for _, s := range d.Select(rundata.Idle) {
				for i := range s.Values[rundata.CPUPerSecond] {
					s.Values[rundata.CPUPerSecond][i] = 1e9 * (0.01 + scatter*r.NormFloat64())
				}
			}
			if Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation.TicklessBetter {
				false_++
			}
		}
		require.LessOrEqual(t, float64(false_)/draws, 0.05, "scatter %g", scatter)
	}
}
