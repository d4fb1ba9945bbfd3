package experiments

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

// TestEveryCellThatComparesMeasuresOneTwice looks at each cell, of what stands still and of
// what runs on the clock, but for that of processes, which has a test of its own.
func TestEveryCellThatComparesMeasuresOneTwice(t *testing.T) {
	needUsage(t)
	p := tiny(sound("a"), standIn("b"), runtimeTimers())
	p.Drain, p.Blocks = 10, 1
	for _, c := range p.Cells() {
		if c.Experiment == rundata.Control || c.Experiment == rundata.Slack || c.Name == "memory-empty" {
			continue // which compare nobody with anybody
		}
		synctest.Test(t, func(t *testing.T) {
			series, err := c.Measure(sessionOf(t, p))
			require.NoError(t, err, c.Name)
			require.Contains(t, rundata.Distinct(series, "impl"), "b"+rundata.AASuffix, c.Name)
		})
	}
}

func TestWhoIsMeasuredTwiceHasADriverOfItsOwn(t *testing.T) {
	drivers := 0
	b := holder("b", &drivers)
	b.Representative = true
	variants := harness.WithAA(tickless((&harness.Plan{Contestants: []harness.Contestant{sound("a"), b, sound("c")}})))
	require.Equal(t, []string{"a", "b", "c", "b" + rundata.AASuffix}, lists.Each(variants, func(r variant) string { return r.Name }))
	var made []*driver.Driver
	for _, r := range []variant{variants[1], variants[3]} {
		timers := must.Get(r.start(finestTick, jitterHorizon))(t)
		made = append(made, timers.driver)
		defer timers.population(0).close()
	}
	require.Equal(t, 2, drivers)
	require.NotSame(t, made[0], made[1])
	require.Empty(t, harness.WithAA([]variant(nil)), "nobody twice is nobody")
}
