package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// Whatever was measured, no share that is shown grows with the tick.
func TestIdleCPUNeverGrowsWithTheTick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ticks []wakingCost
		for i := range rapid.IntRange(0, 6).Draw(t, "ticks") {
			blocks := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-0.01, 0.05), rapid.Just(math.NaN())), 0, 5).Draw(t, "blocks")
			ticks = append(ticks, wakingCost{tick: time.Duration(i + 1), cpu: judge.Mean(blocks)})
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
			ticks = append(ticks, wakingCost{tick: time.Duration(i + 1), cpu: judge.Mean(blocks)})
		}
		falling(ticks)
		return ticks
	}
	values := func(ticks []wakingCost) (v []float64) {
		for _, p := range ticks {
			v = append(v, p.cpu.Value)
		}
		return v
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
		"grows":       {[]gives{{"10ms", 11 * ms, 0.004, 0.01}, {"100ms", 101 * ms, 0.008, 0.01}}, "idle CPU is not to be trusted: a tick of 100ms takes 0.799 % of a core, one of 10ms only 0.402 %"},
		"may grow":    {[]gives{{"10ms", 11 * ms, 0.004, 0.5}, {"100ms", 101 * ms, 0.005, 0.5}}, ""},
		"unnoticed":   {[]gives{{"10ms", 11 * ms, 0.0001, 0.01}, {"100ms", 101 * ms, 0.0006, 0.01}}, ""},
		"no CPU":      {[]gives{{"10ms", 11 * ms, -1, 0}, {"100ms", 101 * ms, -1, 0}}, ""},
		"one of many": {append([]gives{{"1ms", 2 * ms, 0.001, 0.01}}, usual[2:]...), "of a core, one of 1ms only 0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			made := NewCard(ticking("hierwheel", c.ticks...), required)
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

// One rule for all shares: the mean, or under what the run can measure.
func TestSharesOfTicksAreOfOneKind(t *testing.T) {
	small := []gives{{"10ms", 11 * ms, 0.008, 0.3}, {"50ms", 51 * ms, 0.0006, 0.9}, {"100ms", 101 * ms, 0.0001, 0.9}}
	made := NewCard(ticking("hierwheel", small...), required)
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
	require.Contains(t, paragraph(NewCard(d, required), "IF YOU TICK"), "100ms: 112 ms, under 0.1", "an idle process that scatters hides more")
}

// The limits stand in the paragraph, as flags.
func TestTheLimitsOfATickAreSaid(t *testing.T) {
	said := func(req Requirement) string {
		return paragraph(NewCard(ticking("hierwheel", usual...), Options{Requirement: req}), "IF YOU TICK")
	}
	require.Contains(t, said(Requirement{20 * ms, 0.02}), "10ms: 99 % of timers at most 10.9 ms late, 0.2 % of a core while idle; the longest that keeps the limits (--p99 20ms --cpu 2%)\n1ms: ")
	require.Contains(t, said(Requirement{P99: 7 * ms}), "5ms: 99 % of timers at most 6.01 ms late, 0.401 % of a core while idle; the longest that keeps the limits (--p99 7ms)\n")
	require.Contains(t, said(Requirement{1 * ms, 0.001}), "no measured tick clearly keeps the limits (--p99 1ms --cpu 0.1%)\n1ms: 99 % of timers")
	require.NotContains(t, said(Requirement{}), "limits")
}
