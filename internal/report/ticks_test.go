package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/tune"
	"schedbench/internal/words"
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
func ticking(impl string, all ...gives) *rundata.Data { return tickingIn(8, impl, all...) }

func tickingIn(blocks int, impl string, all ...gives) *rundata.Data {
	g := newSynthetic(blocks)
	g.noise = 0
	around := func(give gives, v float64) (blocks []float64) {
		for range g.rounds {
			blocks = append(blocks, v*math.Exp(give.scatter*g.rng.NormFloat64()))
		}
		return blocks
	}
	for _, give := range all {
		if give.p99 > 0 {
			g.given(rundata.Jitter, fmt.Sprintf("impl=%s waking=%s rate=100", impl, give.waking), rundata.P99Late, around(give, float64(give.p99))...)
		}
		if give.share >= 0 {
			net := around(give, give.share)
			for i := range net {
				net[i] = 1e9 * (net[i] + idling)
			}
			g.given(rundata.Idle, fmt.Sprintf("impl=%s waking=%s pending=1000", impl, give.waking), rundata.CPUPerSecond, net...)
		}
	}
	g.given(rundata.Idle, "impl=process waking=none pending=1000", rundata.CPUPerSecond, around(gives{}, 1e9*idling)...)
	return g.data
}

const ms = time.Millisecond

var usual = []gives{
	{rundata.Tickless, 1 * ms, 0.05, 0.01}, {"1ms", 2 * ms, 0.031, 0.01}, {"5ms", 6 * ms, 0.004, 0.01}, {"10ms", 11 * ms, 0.002, 0.01}, {"100ms", 101 * ms, 0.0001, 0.01},
}

func TestTheLongestTickThatKeepsTheLimitsIsChosen(t *testing.T) {
	at := func(tick string, p99 time.Duration, scatter float64) gives { return gives{tick, p99, 0.004, scatter} }
	one := ticking("hierwheel", usual...)
	for _, s := range one.Series {
		s.Block = make([]int, len(s.Iterations))
	}
	for _, c := range []struct {
		name string
		data *rundata.Data
		req  tune.Requirements
		want time.Duration
	}{
		{"the longest that is in time", ticking("hierwheel", usual...), tune.Requirements{Lateness: 12 * ms, CPU: 0.01}, 10 * ms},
		{"the shorter one keeps them too", ticking("hierwheel", usual...), tune.Requirements{Lateness: 10 * ms, CPU: 0.05}, 5 * ms},
		{"the longest of all", ticking("hierwheel", usual...), tune.Requirements{Lateness: time.Second, CPU: 0.05}, 100 * ms},
		{"lateness binds", ticking("hierwheel", usual[1:]...), tune.Requirements{Lateness: 1 * ms, CPU: 0.01}, 0},
		{"CPU binds", ticking("hierwheel", usual[1:]...), tune.Requirements{Lateness: time.Second, CPU: 0.00001}, 0},
		{"only tickless", ticking("hierwheel", append([]gives{{rundata.Tickless, ms, 0, 0}}, usual[1:]...)...), tune.Requirements{Lateness: 5 * ms, CPU: 0.01}, 0},
		{"any other wheel", ticking("roundswheel", usual...), tune.Requirements{Lateness: 10 * ms}, 5 * ms},
		{"only the CPU matters", ticking("hierwheel", usual...), tune.Requirements{CPU: 0.01}, 100 * ms},
		{"no requirement", ticking("hierwheel", usual...), tune.Requirements{}, 0},
		{"no ticks", ticking("hierwheel", usual[0]), tune.Requirements{Lateness: ms}, 0},
		{"lateness not measured", ticking("hierwheel", gives{"5ms", 0, 0.01, 0}), tune.Requirements{Lateness: ms}, 0},
		{"CPU not measured", ticking("hierwheel", gives{"5ms", ms, -1, 0}, gives{"10ms", 2 * ms, -1, 0}), tune.Requirements{Lateness: 3 * ms}, 10 * ms},
		{"a limit that may be broken", ticking("hierwheel", at("1ms", 2*ms, 0.01), at("5ms", 9*ms, 0.3)), tune.Requirements{Lateness: 10 * ms}, 1 * ms},
		{"each limit may be broken", ticking("hierwheel", at("5ms", 9*ms, 0.3)), tune.Requirements{Lateness: 10 * ms}, 0},
		{"one block says nothing", one, tune.Requirements{Lateness: 10 * ms}, 0},
		{"nothing", nil, tune.Requirements{Lateness: ms}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := Options{Requirement: c.req}
			require.Equal(t, c.want, Judge(c.data, opt).recommended())
			tick := ""
			if c.want > 0 {
				tick = words.Span(float64(c.want))
			}
			if of := Judge(c.data, opt).Card().Tick; of != nil {
				require.Equal(t, tick, of.Tick)
			}
		})
	}
}

// A host that disturbs a few blocks of all participants changes no choice; one that disturbs half of them leaves it open.
func TestBlocksThatTheHostDisturbedDoNotChooseTheTick(t *testing.T) {
	for _, c := range []struct {
		disturbed int
		want      time.Duration
	}{{0, 10 * ms}, {6, 10 * ms}, {12, 0}} {
		d := tickingIn(24, "hierwheel", gives{"1ms", 2 * ms, 0.031, 0.05}, gives{"10ms", 11 * ms, 0.010, 0.05}, gives{"100ms", 101 * ms, 0.001, 0.05})
		for _, s := range d.Select(rundata.Idle) {
			for i := range c.disturbed {
				s.Values[rundata.CPUPerSecond][i*24/c.disturbed] *= 7
			}
		}
		require.Equal(t, c.want, Judge(d, Options{Requirement: tune.Requirements{Lateness: 20 * ms, CPU: 0.02}}).recommended(), "%d of 24 blocks disturbed", c.disturbed)
	}
}

func TestWhatAAShowsIsNoDifference(t *testing.T) {
	d := ticking("hierwheel", gives{rundata.Tickless, ms, 0.002, 0.01}, gives{"5ms", 6 * ms, 0.004, 0.01})
	require.InDelta(t, judge.Imperceptible, Judge(d, Options{}).sameIdle("hierwheel"), 1e-9)
	d.Series = append(d.Series, ticking("hierwheel"+rundata.AASuffix, gives{rundata.Tickless, 0, 0.005, 0.01}).Series[0])
	require.InDelta(t, 0.003, Judge(d, Options{}).sameIdle("hierwheel"), 0.0002)
}

// Whatever was measured, no share that is shown grows with the tick.
func TestIdleCPUNeverGrowsWithTheTick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ticks []wakingCost
		for i := range rapid.IntRange(0, 6).Draw(t, "ticks") {
			blocks := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-0.01, 0.05), rapid.Just(math.NaN())), 0, 5).Draw(t, "blocks")
			ticks = append(ticks, wakingCost{tick: time.Duration(i + 1), cpu: judge.Middle(blocks)})
		}
		falling(ticks)
		last := math.Inf(1)
		for _, p := range ticks {
			if p.costed() {
				require.LessOrEqual(t, p.cpu.Value, last)
				last = p.cpu.Value
			}
		}
	})
}

// Shares that fall stay as they are; those that grow become the mean of both, block by block.
func TestTicksThatGrowArePooled(t *testing.T) {
	of := func(cpu ...[]float64) (ticks []wakingCost) {
		for i, blocks := range cpu {
			ticks = append(ticks, wakingCost{tick: time.Duration(i + 1), cpu: judge.Middle(blocks)})
		}
		falling(ticks)
		return ticks
	}
	values := func(ticks []wakingCost) []float64 {
		return lists.Each(ticks, func(p wakingCost) float64 { return p.cpu.Value })
	}
	require.Equal(t, []float64{4, 2, 1}, values(of([]float64{4, 4}, []float64{2, 2}, []float64{1, 1})))
	require.Equal(t, []float64{4, 2, 2}, values(of([]float64{4, 4}, []float64{1, 2}, []float64{2, 3})))
	require.Equal(t, []float64{3, 3, 3}, values(of([]float64{3, 3}, []float64{1, 1}, []float64{5, 5})), "pools are pooled again")
	pooled := of([]float64{1, 2, math.NaN()}, []float64{3, 4, 9})
	require.Equal(t, []float64{2, 3, 9}, pooled[0].cpu.Blocks, "a block that one lacks is the other's")
	require.Equal(t, pooled[0].cpu.Estimate, pooled[1].cpu.Estimate)
}

// A longer tick that is significantly dearer is a caution; one that scatters is not.
func TestALongerTickThatIsDearerIsACaution(t *testing.T) {
	for name, c := range map[string]struct {
		ticks []gives
		want  string
	}{
		"falls":       {usual, ""},
		"grows":       {[]gives{{"10ms", 11 * ms, 0.004, 0.01}, {"100ms", 101 * ms, 0.008, 0.01}}, "do not trust idle CPU: a tick of 100ms takes 0.799 % of a core, a tick of 10ms only 0.402 %"},
		"may grow":    {[]gives{{"10ms", 11 * ms, 0.004, 0.5}, {"100ms", 101 * ms, 0.005, 0.5}}, ""},
		"unnoticed":   {[]gives{{"10ms", 11 * ms, 0.0001, 0.01}, {"100ms", 101 * ms, 0.0006, 0.01}}, ""},
		"no CPU":      {[]gives{{"10ms", 11 * ms, -1, 0}, {"100ms", 101 * ms, -1, 0}}, ""},
		"one of many": {append([]gives{{"1ms", 2 * ms, 0.001, 0.01}}, usual[2:]...), "of a core, a tick of 1ms only 0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			made := Judge(ticking("hierwheel", c.ticks...), required).Card()
			others := paragraph(made, "CAUTION")
			if c.want == "" {
				require.NotContains(t, others, "idle CPU")
			} else {
				require.Contains(t, others, c.want)
			}
			for i := 1; i < len(made.Tick.Ticks)-1; i++ {
				require.False(t, made.Tick.Ticks[i].CPU > made.Tick.Ticks[i-1].CPU)
			}
		})
	}
}

// Blocks that the host disturbed make the mean of a longer tick the greater one: the caution says nothing that the figures,
// which are medians, contradict.
func TestACautionAboutTicksAgreesWithItsFigures(t *testing.T) {
	caution := func(disturbed int) string {
		d := tickingIn(24, "hierwheel", gives{"1ms", 2 * ms, 0.010, 0}, gives{"10ms", 11 * ms, 0.009, 0})
		blocks := d.Select(rundata.Idle, "waking=10ms")[0].Values[rundata.CPUPerSecond]
		for i := range disturbed {
			blocks[i] *= 6
		}
		return paragraph(Judge(d, required).Card(), "CAUTION")
	}
	require.NotContains(t, caution(0), "idle CPU")
	require.NotContains(t, caution(11), "idle CPU")
	require.Contains(t, caution(14), "do not trust idle CPU: a tick of 10ms takes")
}

// One rule for all shares: the median, or under what the run can measure.
func TestSharesOfTicksAreOfOneKind(t *testing.T) {
	small := []gives{{"10ms", 11 * ms, 0.008, 0.3}, {"50ms", 51 * ms, 0.0006, 0.9}, {"100ms", 101 * ms, 0.0001, 0.9}}
	made := Judge(ticking("hierwheel", small...), required).Card()
	got := paragraph(made, "IF YOU TICK")
	require.Contains(t, got, "100ms: 112 ms, under 0.05 %")
	require.Contains(t, got, "50ms: ")
	require.NotContains(t, got, "at most 0.")
	require.InDelta(t, leastShare, float64(made.Tick.Least), 1e-9)

	d := ticking("hierwheel", small...)
	process := d.Select(rundata.Idle, "impl="+rundata.ProcessControl)[0]
	for i := range process.Values[rundata.CPUPerSecond] {
		process.Values[rundata.CPUPerSecond][i] += 4e6 * float64(i%2)
	}
	require.Contains(t, paragraph(Judge(d, required).Card(), "IF YOU TICK"), "100ms: 112 ms, under 0.2", "an idle process that scatters hides more")
}

// The limits stand in the paragraph, as flags.
func TestTheLimitsOfATickAreSaid(t *testing.T) {
	said := func(req tune.Requirements) string {
		return paragraph(Judge(ticking("hierwheel", usual...), Options{Requirement: req}).Card(), "IF YOU TICK")
	}
	require.Contains(t, said(tune.Requirements{Lateness: 20 * ms, CPU: 0.02}), "10ms (hierwheel, waking at each tick): 99 % of timers at most 10.9 ms late, 0.2 % of a core while idle; the longest measured tick that keeps --p99 20ms --cpu 2%\nsleeping until due: 1 ms, ")
	require.Contains(t, said(tune.Requirements{Lateness: 7 * ms}), "5ms (hierwheel, waking at each tick): 99 % of timers at most 6.01 ms late, 0.402 % of a core while idle; the longest measured tick that keeps --p99 7ms\n")
	require.Contains(t, said(tune.Requirements{Lateness: 1 * ms, CPU: 0.001}), "no measured tick clearly keeps the limits (--p99 1ms --cpu 0.1%)\n1ms (hierwheel, waking at each tick): 99 % of timers")
	require.NotContains(t, said(tune.Requirements{}), "limits")
}
