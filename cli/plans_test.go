package cli

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// sizedPlan makes the plan of a size, once, since its workloads take a while to read.
func sizedPlan(f planFlags) func() (*harness.Plan, error) {
	return sync.OnceValues(func() (*harness.Plan, error) { return f.plan(nil) })
}

// The plans of the sizes. Tests must leave them as they are.
var (
	defaultPlan = sizedPlan(planFlags{})
	quickPlan   = sizedPlan(planFlags{Quick: true})
	fullPlan    = sizedPlan(planFlags{Full: true})
	sizes       = map[string]func() (*harness.Plan, error){"default": defaultPlan, "quick": quickPlan, "full": fullPlan}
)

func planned(t *testing.T, f planFlags) *harness.Plan {
	t.Helper()
	return must.Get(f.plan(nil))(t)
}

// oneWorkload is for plans whose workloads do not matter.
var oneWorkload = []string{"idle"}

func TestEverySizeIsAPlanOfAllContestants(t *testing.T) {
	t.Parallel()
	for name, plan := range sizes {
		t.Run(name, func(t *testing.T) {
			p := must.Get(plan())(t)
			full := name == "full"
			want := len(catalog.All())
			if full {
				want += len(catalog.Presets())
			}
			require.Len(t, p.Contestants, want)
			require.Subset(t, rundata.ExperimentNames(), p.Experiments)
			require.Equal(t, full, len(rundata.ExperimentNames()) == len(p.Experiments))
			require.NotEmpty(t, p.Cells())
			require.Equal(t, full, p.Full)
		})
	}
}

func TestFlagsReplaceWhatASizeMeasures(t *testing.T) {
	p := planned(t, planFlags{
		Experiments: []string{"cost", "Idle"},
		Contestants: []string{"time.AfterFunc", "heapsched"},
		Pending:     []number{7},
		Ticks:       []time.Duration{time.Second},
		Delays:      []string{"constant"},
		Ops:         []string{"pair"},
		Burst:       new(5),
		Drain:       new(0), // 0 is a size too: it leaves the experiment out
		Seed:        9,
	})
	require.Equal(t, []string{rundata.Cost, rundata.Idle}, p.Experiments, "in either case")
	require.Len(t, p.Contestants, 2)
	require.Equal(t, []int{7}, p.Pending)
	require.Equal(t, []time.Duration{time.Second}, p.Ticks)
	require.Equal(t, []string{"constant"}, p.Delays)
	require.Equal(t, []string{"pair"}, p.Ops)
	require.Equal(t, 5, p.Burst)
	require.Zero(t, p.Drain)
	require.Equal(t, uint64(9), p.Seed)
}

func TestExperimentsAreNamedAsTheCommandLineHasThem(t *testing.T) {
	for _, e := range rundata.ExperimentNames() {
		require.Equal(t, []string{e}, must.Get(experimentsOf([]string{strings.ToLower(e)}))(t))
	}
	for name, want := range map[string]string{
		"nosuch":    `unknown experiment "nosuch", want one of ` + experimentNames(),
		"":          `unknown experiment "", want one of ` + experimentNames(),
		" cost":     `unknown experiment " cost"`,
		"cost,Cost": "experiment cost is given twice",
	} {
		_, err := experimentsOf(strings.Split(name, ","))
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, strings.ToLower(experimentNames()), experimentNames())
}

func TestOnlyPresetsAreMeasuredIfAskedFor(t *testing.T) {
	p := planned(t, planFlags{Quick: true, group: onlyPresets, Profiles: oneWorkload})
	require.Len(t, p.Contestants, len(catalog.Presets())+1)
	for _, c := range p.Contestants {
		require.True(t, c.Preset || c.Runtime, c.Name)
	}
	require.NotEmpty(t, p.Cells())
}

func TestAsManyBlocksAreMeasuredAsAreAskedFor(t *testing.T) {
	few := planned(t, planFlags{Experiments: []string{"cost"}, Pending: []number{1_000_000}})
	many := planned(t, planFlags{Experiments: []string{"cost"}, Pending: []number{1_000_000}, Blocks: new(12)})
	require.Equal(t, 12, many.Blocks)
	require.Zero(t, many.Budget)
	require.Zero(t, few.Blocks)
	require.Greater(t, many.Time(), few.Least())
	_, err := (&planFlags{Blocks: new(0)}).plan(nil)
	require.ErrorContains(t, err, "--blocks 0, want 1 or more")
}

func TestTheFlagsOfAPlanCanBePassedOn(t *testing.T) {
	f := planFlags{Quick: true, Pending: []number{1000, 100000}, Ticks: []time.Duration{time.Millisecond, 5 * time.Millisecond},
		Ops: []string{"pair", "reset"}, Blocks: new(2), Budget: 90 * time.Second, Seed: 7}
	require.Equal(t, []string{"--quick", "--pending=1000,100000", "--ticks=1ms,5ms", "--ops=pair,reset", "--blocks=2", "--seed=7", "--budget=1m30s"}, f.args())
	require.Equal(t, []string{"--seed=0"}, (&planFlags{}).args(), "one that is not said is 1")
}

func TestABudgetIsKept(t *testing.T) {
	p := planned(t, planFlags{Budget: time.Hour, Profiles: oneWorkload})
	require.Equal(t, time.Hour, p.Budget)
	require.Equal(t, time.Hour, p.Time())
	_, err := (&planFlags{Budget: time.Second, Profiles: oneWorkload}).plan(nil)
	require.ErrorContains(t, err, "--budget 1s: the plan takes ")
	require.ErrorContains(t, err, " at least; choose fewer experiments, contestants or pending counts")
}

// The largest counts of a full run are for pairs and memory alone; those that are asked for are for everything.
func TestAFullRunHasAHundredMillionPending(t *testing.T) {
	t.Parallel()
	p := must.Get(fullPlan())(t)
	require.Equal(t, []int{10_000_000, 100_000_000}, p.Large)
	names := map[string]harness.Cell{}
	for _, c := range p.Cells() {
		names[c.Name] = c
	}
	for _, want := range []string{"cost-10000000-uniform", "cost-100000000-uniform"} {
		require.Contains(t, names, want)
		require.Less(t, names[want].Time, 15*time.Minute, want)
	}
	require.NotContains(t, names, "cost-tick-10000000")
	asked := planned(t, planFlags{Full: true, Pending: []number{1000, harness.MostPending}, Memory: 9e9, Profiles: oneWorkload})
	require.Empty(t, asked.Large)
	require.Equal(t, []int{1000, 100_000_000}, asked.Pending)
	require.Equal(t, int64(9e9), asked.Memory)
	usual := must.Get(defaultPlan())(t)
	require.Empty(t, usual.Large)
	require.Zero(t, usual.Memory, "what there is")
}
