package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
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
func ticking(impl string, all ...gives) *harness.Data {
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
			add(harness.Jitter, fmt.Sprintf("impl=%s waking=%s rate=100", impl, give.waking), harness.P99Late, around(give, float64(give.p99)))
		}
		if give.share >= 0 {
			net := around(give, give.share)
			for i := range net {
				net[i] = 1e9 * (net[i] + idling)
			}
			add(harness.Idle, fmt.Sprintf("impl=%s waking=%s pending=1000", impl, give.waking), harness.CPUPerSecond, net)
		}
	}
	add(harness.Idle, "impl=process waking=none pending=1000", harness.CPUPerSecond, around(gives{}, 1e9*idling))
	return g.data
}

const ms = time.Millisecond

var usual = []gives{
	{harness.Tickless, 1 * ms, 0.05, 0.01}, {"1ms", 2 * ms, 0.031, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}, {"10ms", 11 * ms, 0.002, 0.01}, {"100ms", 101 * ms, 0.0001, 0.01},
}

// tickless returns the usual ticks, with something else without.
func tickless(p99 time.Duration, share, scatter float64) []gives {
	return append([]gives{{harness.Tickless, p99, share, scatter}}, usual[1:]...)
}

func TestRecommendation(t *testing.T) {
	better := tickless(ms, 0, 0)
	for _, c := range []struct {
		name           string
		data           *harness.Data
		req            Requirement
		waking         string
		feasible, free bool
		words          []string
	}{
		{"the least CPU that is in time", ticking("hierwheel", usual...), Requirement{10 * ms, 0.01}, "5ms", true, false,
			[]string{"Tick for hierwheel: 5ms", "p99 6.01 ms ±1% (at most 10 ms allowed)", "0.401 % ±1% (at most 1 % allowed)",
				"10ms gives p99 10.9 ms ±1%, 924 µs too late, and idle CPU 0.2 %", "1ms gives p99 2 ms ±1%, and idle CPU 3.1 % ±1%, more than allowed",
				"Tickless gives p99 1 ms", "idle CPU 5.02 % ±1%, more than allowed"}},
		{"tickless is better", ticking("hierwheel", better...), Requirement{10 * ms, 0.01}, "5ms", true, true,
			[]string{"meets the requirement for less, by 0.401 % of a core (0.396 % to 0.406 %), so take it unless something needs a tick"}},
		{"lateness binds", ticking("hierwheel", usual[1:]...), Requirement{1 * ms, 0.01}, "", false, false,
			[]string{"No measured tick of hierwheel meets", "lateness binds: at most 1 ms", "nearest is p99 2 ms ±1% at 1ms"}},
		{"CPU binds", ticking("hierwheel", usual[1:]...), Requirement{time.Second, 0.00001}, "", false, false,
			[]string{"idle CPU binds: at most 0.001 %", "nearest is idle CPU 0.01 % ±1% at 100ms"}},
		{"both bind", ticking("hierwheel", usual...), Requirement{5 * ms, 0.01}, "", false, false,
			[]string{"not both at once", "1ms gives p99 2 ms ±1%, and idle CPU 3.1 % ±1%", "5ms gives p99 6.01 ms ±1%, 1.01 ms too late"}},
		{"only tickless", ticking("hierwheel", better...), Requirement{5 * ms, 0.01}, harness.Tickless, true, false,
			[]string{"not both at once", "Tickless gives", "it meets the requirement, so take it"}},
		{"any other wheel", ticking("roundswheel", usual...), Requirement{P99: 10 * ms}, "5ms", true, false,
			[]string{"Tick for roundswheel: 5ms"}},
		{"only the CPU matters", ticking("hierwheel", usual...), Requirement{CPUShare: 0.01}, "100ms", true, false, nil},
		{"no requirement", ticking("hierwheel", usual...), Requirement{}, "", false, false, []string{"No requirement"}},
		{"no ticks", ticking("hierwheel", usual[0]), Requirement{P99: ms}, "", false, false, []string{"No contestant was measured with a tick"}},
		{"lateness not measured", ticking("hierwheel", gives{"5ms", 0, 0.01, 0}), Requirement{P99: ms}, "", false, false,
			[]string{"Lateness was not measured"}},
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

// Equals with scatter are told neither better nor worse, and what differs plainly is.
func TestTicklessIsRecommendedOnEvidenceOnly(t *testing.T) {
	const forLess, asLittle, open = "for less,", "it takes as little as the tick", "whether it takes less than the tick cannot be told"
	for name, c := range map[string]struct {
		free  gives
		says  string
		never []string
	}{
		"plainly less":              {gives{harness.Tickless, ms, 0.0002, 0.02}, forLess, []string{asLittle, open}},
		"a little less, surely":     {gives{harness.Tickless, ms, 0.0035, 0.01}, asLittle, []string{forLess, open}},
		"the same":                  {gives{harness.Tickless, ms, 0.0040, 0.02}, asLittle, []string{forLess, open}},
		"the same, scattered":       {gives{harness.Tickless, ms, 0.0040, 0.70}, open, []string{forLess, asLittle}},
		"more":                      {gives{harness.Tickless, ms, 0.0080, 0.02}, "it meets the requirement too, and it takes 0.4", []string{forLess, asLittle, open}},
		"less, but too late":        {gives{harness.Tickless, 20 * ms, 0, 0}, "10 ms too late", []string{forLess, asLittle, open, "it meets"}},
		"less, but perhaps late":    {gives{harness.Tickless, 9 * ms, 0.0001, 0.3}, "which may be too late", []string{forLess, asLittle, open, "it meets"}},
		"its CPU was not measured":  {gives{harness.Tickless, ms, -1, 0}, "Tickless gives p99 1 ms ±0%: it meets the requirement too", []string{forLess, asLittle, open}},
		"its lateness was measured": {gives{harness.Tickless, 0, 0, 0}, "Tickless gives idle CPU 0 %", []string{forLess, asLittle, open, "it meets"}},
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

func TestALongerTickTakesEvidence(t *testing.T) {
	ticks := func(short, long, scatter float64) []gives {
		return []gives{{"5ms", 6 * ms, short, scatter}, {"50ms", 51 * ms, long, scatter}}
	}
	for name, c := range map[string]struct {
		ticks []gives
		tick  string
		says  []string
		never []string
	}{
		"plainly less": {ticks(0.02, 0.004, 0.02), "50ms", []string{"5ms gives p99 6 ms ±3%, and idle CPU 2.02 % ±1%, it takes 1.62 % of a core more (1.59 % to 1.65 %) than 50ms"},
			[]string{"shorter", "cannot be told", "as little"}},
		"nobody notices": {ticks(0.0006, 0.0001, 0.02), "5ms", []string{"takes as little as 5ms", "where up to 0.1 % counts as none, so the shorter is taken"},
			[]string{"cannot be told"}},
		"equal, scattered": {ticks(0.01, 0.01, 0.6), "5ms", []string{"whether it takes less than 5ms cannot be told", "more blocks would tell, so the shorter is taken"},
			[]string{"as little"}},
		"one that tells little between two": {[]gives{{"1ms", 2 * ms, 0.05, 0.01}, {"5ms", 6 * ms, 0.03, 1.2}, {"50ms", 51 * ms, 0.01, 0.01}}, "5ms",
			[]string{"whether it takes less than 5ms cannot be told", "so the shorter is taken; 1ms gives", "but it takes 4", "than 50ms"}, []string{"as little"}},
	} {
		t.Run(name, func(t *testing.T) {
			tick, reason := reasonOf(Requirement{CPUShare: 0.1}, c.ticks...)
			require.Equal(t, c.tick, tick, reason)
			for _, says := range c.says {
				require.Contains(t, reason, says)
			}
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
	require.Contains(t, reason, "5ms gives p99 9.15 ms ±27%, which may be too late (")

	tick, reason = reasonOf(Requirement{P99: 10 * ms}, at("5ms", 9*ms, 0.3))
	require.Empty(t, tick)
	require.Contains(t, reason, "No measured tick of hierwheel is told to meet the requirement. 5ms gives p99 8.9 ms ±49%, which may be too late")

	_, reason = reasonOf(Requirement{CPUShare: 0.005}, at("5ms", 9*ms, 0.4))
	require.Contains(t, reason, "which may be more than allowed (")
}

// Rounds that nobody says to be blocks are one block, which tells nothing.
func TestOneBlockRecommendsNothing(t *testing.T) {
	d := ticking("hierwheel", usual...)
	for _, s := range d.Series {
		s.Block = make([]int, len(s.Iterations))
	}
	r := Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation
	require.False(t, r.Feasible)
	require.Contains(t, r.Reason, "5ms gives p99 6 ms ±∞, which may be too late (1 more block would tell)")
}

// What a contestant differs from itself, built separately, is no difference.
func TestWhatTheMachineCannotTellIsNoDifference(t *testing.T) {
	less := []gives{{harness.Tickless, ms, 0.002, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}}
	d := ticking("hierwheel", less...)
	require.True(t, Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation.TicklessBetter)
	twice := ticking("hierwheel"+harness.AgainSuffix, gives{harness.Tickless, 0, 0.005, 0.01})
	d.Series = append(d.Series, twice.Series[0])
	r := Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation
	require.False(t, r.TicklessBetter)
	require.Contains(t, r.Reason, "takes as little as the tick: 0.199 % of a core less (0.195 % to 0.202 %), ")
	require.Contains(t, r.Reason, "where up to 0.299 % counts as none")
}

// A thousand draws of a tick and of waiting without one that take the same, as one
// machine measures them: what is not so is said in as many as is stated.
func TestFalseRecommendationsAreRare(t *testing.T) {
	const draws = 1000
	r := rand.New(rand.NewPCG(3, 4))
	for _, scatter := range []float64{0.0002, 0.001, 0.005} {
		false_ := 0
		for range draws {
			d := ticking("hierwheel", gives{harness.Tickless, ms, 0, 0}, gives{"5ms", 6 * ms, 0, 0})
			for _, s := range d.Select(harness.Idle) {
				for i := range s.Values[harness.CPUPerSecond] {
					s.Values[harness.CPUPerSecond][i] = 1e9 * (0.01 + scatter*r.NormFloat64())
				}
			}
			if Verdict(d, Options{Requirement: Requirement{P99: 10 * ms}}).Recommendation.TicklessBetter {
				false_++
			}
		}
		require.LessOrEqual(t, float64(false_)/draws, 0.05, "scatter %g", scatter)
	}
}
