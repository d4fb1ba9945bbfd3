package tune

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/judge"
)

// knownOf returns what was measured of a hierarchical wheel that ticks.
func knownOf(tick time.Duration, cpu, late float64) Measured {
	exactly := func(v float64) judge.Estimate { return judge.Estimate{Value: v, Low: v, High: v} }
	return Measured{
		Config: catalog.Config{Scheduler: catalog.Hier, Tick: tick, Slots: 256, Waking: catalog.Ticking},
		CPU:    exactly(cpu), Lateness: exactly(late),
	}
}

func TestAmongWhatIsKnownTheLeastCPUThatIsInTimeIsChosen(t *testing.T) {
	known := []Measured{
		knownOf(time.Millisecond, 0.03, 0.002), knownOf(5*time.Millisecond, 0.004, 0.006),
		knownOf(10*time.Millisecond, 0.002, 0.011), knownOf(100*time.Millisecond, 0.0001, 0.101),
	}
	ch := Among(known, Requirements{Percentile: 0.99, Lateness: 10 * time.Millisecond, CPU: 0.01})
	require.Equal(t, 5*time.Millisecond, ch.Pick.Config.Tick)
	require.Len(t, ch.Ranked, 1)
	require.Nil(t, ch.RunnerUp)
	require.NotNil(t, ch.Knee)

	ch = Among(known, Requirements{Lateness: time.Millisecond})
	require.Nil(t, ch.Pick)
	require.InDelta(t, 0.002, ch.Infeasible.Nearest[0].Reachable, 1e-12)

	ch = Among(known, Requirements{MustNotTick: true})
	require.Nil(t, ch.Pick)
	require.NotNil(t, ch.Infeasible)
	require.NotPanics(t, func() { Among(nil, Requirements{}) })
}

func TestWhatIsChosenAmongTheKnownIsBestOrNotSeparated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var known []Measured
		for i := range rapid.IntRange(1, 20).Draw(t, "n") {
			known = append(known, knownOf(time.Duration(i+1)*time.Millisecond,
				rapid.Float64Range(1e-6, 1).Draw(t, "cpu"), rapid.Float64Range(1e-5, 1).Draw(t, "late")))
		}
		r := Requirements{Lateness: 300 * time.Millisecond, CPU: 0.5}
		ch := Among(known, r)
		for _, p := range known {
			fits := p.Lateness.Value <= 0.3 && p.CPU.Value <= 0.5
			if ch.Pick == nil {
				require.False(t, fits, "%v fits", p)
			} else if fits {
				require.LessOrEqual(t, ch.Pick.CPU.Value, p.CPU.Value*(1+separate))
			}
		}
	})
}

func TestWhatWasNotMeasuredMeetsNoLimit(t *testing.T) {
	unknown := judge.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	known := []Measured{knownOf(time.Millisecond, 0.1, 0.002), knownOf(2*time.Millisecond, 0.1, 0.003), knownOf(time.Hour, 0.1, 0)}
	for i := range known {
		known[i].CPU = unknown
	}
	known[2].Lateness = unknown
	require.Equal(t, 2*time.Millisecond, Among(known, Requirements{Lateness: time.Second}).Pick.Config.Tick, "the longest tick that is in time")
	require.Nil(t, Among(known, Requirements{CPU: 0.5}).Pick)
}
