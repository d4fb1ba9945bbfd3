package experiments

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/live"
)

func TestCheckNamesTheBadValueAndWhatIsExpected(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*harness.Plan)
		want  []string
	}{
		"unknown experiment":    {func(p *harness.Plan) { p.Experiments = []string{rundata.Cost, "speed"} }, append(rundata.ExperimentNames(), `"speed"`)},
		"unknown operation":     {func(p *harness.Plan) { p.Ops = []string{"sort"} }, append(rundata.Ops(), `"sort"`)},
		"unknown distribution":  {func(p *harness.Plan) { p.Delays = []string{"normal"} }, append(Delays(), `"normal"`)},
		"nothing pending":       {func(p *harness.Plan) { p.Pending = []int{10, 0} }, []string{"pending count 0", "1 to 100000000"}},
		"too many pending":      {func(p *harness.Plan) { p.Pending = []int{200_000_000} }, []string{"pending count 200000000", "1 to 100000000"}},
		"too fine a tick":       {func(p *harness.Plan) { p.Ticks = []time.Duration{99 * time.Microsecond} }, []string{"tick 99µs", "100µs"}},
		"too coarse a tick":     {func(p *harness.Plan) { p.Ticks = []time.Duration{time.Minute} }, []string{"tick 1m0s", "10s"}},
		"no round":              {func(p *harness.Plan) { p.Rounds = 0 }, []string{"Rounds 0", "at least 1"}},
		"no block":              {func(p *harness.Plan) { p.Blocks = 0 }, []string{"Blocks 0 and Budget 0s", "one of them"}},
		"negative blocks":       {func(p *harness.Plan) { p.Blocks, p.Budget = -1, time.Hour }, []string{"Blocks -1", "one of them"}},
		"blocks and a budget":   {func(p *harness.Plan) { p.Budget = time.Hour }, []string{"Blocks 2 and Budget 1h0m0s", "one of them"}},
		"too short a watch":     {func(p *harness.Plan) { p.Watch = time.Millisecond }, []string{"Watch 1ms", "10ms"}},
		"too short an epoch":    {func(p *harness.Plan) { p.Epoch = 99 * time.Microsecond }, []string{"Epoch 99µs", "at least 100µs"}},
		"too short a slice":     {func(p *harness.Plan) { p.Slice = time.Millisecond }, []string{"Slice 1ms", "10ms"}},
		"no rate":               {func(p *harness.Plan) { p.Rate = 0 }, []string{"rate 0", "1 to 100000"}},
		"too high a rate":       {func(p *harness.Plan) { p.Rate = 100_001 }, []string{"rate 100001", "1 to 100000"}},
		"a negative burst":      {func(p *harness.Plan) { p.Burst = -1 }, []string{"Burst: -1", "0 to"}},
		"a negative drain":      {func(p *harness.Plan) { p.Drain = -1 }, []string{"Drain: -1", "0 to"}},
		"no contestant":         {func(p *harness.Plan) { p.Contestants = nil }, []string{"no contestants", "at least one"}},
		"a nameless contestant": {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound("")} }, []string{`name ""`}},
		"a slash in a name":     {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound("a/b")} }, []string{`"a/b"`, "without a slash"}},
		"a space in a name":     {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound("a b")} }, []string{`"a b"`, "or a space"}},
		"nothing to make it":    {func(p *harness.Plan) { p.Contestants = []harness.Contestant{{Name: "a"}} }, []string{"contestant a", "New"}},
		"the name of a control": {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound(rundata.EmptyControl)} }, []string{`"empty"`, "a control"}},
		"the name of a second":  {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound("a-again")} }, []string{`"a-again"`, "want another ending: -again"}},
		"made in two ways": {func(p *harness.Plan) {
			p.Contestants[0].Open = func(harness.Geometry) (live.Timers, error) { return nil, nil }
		}, []string{"contestant a has more than one of"}},
		"a contestant twice":    {func(p *harness.Plan) { p.Contestants = []harness.Contestant{sound("a"), sound("a")} }, []string{"contestant a", "twice"}},
		"an experiment twice":   {func(p *harness.Plan) { p.Experiments = []string{rundata.Cost, rundata.Idle, rundata.Cost} }, []string{"experiment Cost", "twice"}},
		"a pending count twice": {func(p *harness.Plan) { p.Pending = []int{10, 10} }, []string{"pending count 10", "twice"}},
		"a tick twice":          {func(p *harness.Plan) { p.Ticks = []time.Duration{time.Second, time.Second} }, []string{"tick 1s", "twice"}},
		"a distribution twice":  {func(p *harness.Plan) { p.Delays = []string{"uniform", "uniform"} }, []string{"distribution uniform", "twice"}},
		"an operation twice":    {func(p *harness.Plan) { p.Ops = []string{rundata.OpPair, rundata.OpPair} }, []string{"operation pair", "twice"}},
		"a workload's name":     {func(p *harness.Plan) { p.Profiles[0].Name = "a b" }, []string{"workload name"}},
		"a workload's tick":     {func(p *harness.Plan) { p.Profiles[0].Tick = 0 }, []string{"tick 0s"}},
		"a workload twice":      {func(p *harness.Plan) { p.Profiles = append(p.Profiles, p.Profiles[0]) }, []string{"given twice"}},
		"a limit of a replay":   {func(p *harness.Plan) { p.ReplayLimit = -1 }, []string{"-1ns for a replay"}},
		"steady too early":      {func(p *harness.Plan) { p.Profiles[0].Steady = -1 }, []string{"steady from -1ns"}},
		"the derived operation": {func(p *harness.Plan) { p.Ops = []string{rundata.OpLiveReset} }, []string{`"live-reset"`}},
	} {
		t.Run(name, func(t *testing.T) {
			p := tiny(sound("a"))
			c.spoil(p)
			err := p.Check()
			require.Error(t, err)
			for _, text := range c.want {
				require.ErrorContains(t, err, text)
			}
		})
	}
}

func TestPlansWithDefaultsAreSound(t *testing.T) {
	for name, of := range map[string]func(...harness.Contestant) *harness.Plan{"default": DefaultPlan, "quick": QuickPlan} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, of().Check(), "no contestants", "and nothing else is wrong")
			p := of(sound("a"), runtimeTimers())
			require.NoError(t, p.Check())
			require.NotContains(t, p.Experiments, rundata.Drain, "which takes long")
			asked := map[string]bool{}
			for _, c := range p.Cells() {
				asked[c.Experiment] = true
			}
			for _, e := range p.Experiments {
				require.Equal(t, e != rundata.Profiles && e != rundata.Live, asked[e], "only workloads are missing: %s", e)
			}
		})
	}
	require.Less(t, QuickPlan(sound("a")).Time(), DefaultPlan(sound("a")).Time())
}

func list(name string) harness.Contestant {
	c := sound(name)
	c.LinearInsert = true
	return c
}

func TestCellsHaveNamesOfTheirOwn(t *testing.T) {
	large := tiny(sound("a"), list("b"), runtimeTimers())
	large.Pending = []int{1, 10, 100_000, 1_000_000}
	large.Delays = Delays()
	every := tiny(sound("a"), list("b"), runtimeTimers())
	every.Pending, every.Delays, every.Full = large.Pending, large.Delays, true
	for name, p := range map[string]*harness.Plan{"tiny": tiny(sound("a")), "large": large, "every": every} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, c := range p.Cells() {
				require.False(t, seen[c.Name], c.Name)
				require.NotContains(t, c.Name, " ")
				require.Positive(t, c.Time, c.Name)
				require.Contains(t, rundata.ExperimentNames(), c.Experiment)
				seen[c.Name] = true
			}
			require.GreaterOrEqual(t, len(seen), len(rundata.ExperimentNames()))
		})
	}
}

func TestCellsFollowTheOrderOfTheExperiments(t *testing.T) {
	p := tiny(sound("a"))
	p.Experiments = []string{rundata.Memory, rundata.Control}
	require.Equal(t, p.Experiments, slices.Compact(lists.Each(p.Cells(), func(c harness.Cell) string { return c.Experiment })))
}

// A plan takes as long as its blocks, or its budget, but no less than its first blocks.
func TestTheTimeOfAPlanIsThatOfItsBlocks(t *testing.T) {
	p := tiny(sound("a"))
	p.Experiments, p.Ops, p.Pending = []string{rundata.Cost, rundata.Jitter}, []string{rundata.OpPair}, []int{10}
	block, beside := time.Duration(0), time.Duration(0)
	for _, c := range p.Cells() {
		if c.ParallelBlocks > 0 {
			beside += c.Time / time.Duration(c.ParallelBlocks)
		} else {
			block += c.Time
		}
	}
	for _, blocks := range []int{1, 2, 12} {
		p.Blocks, p.Budget = blocks, 0
		require.Equal(t, time.Duration(blocks)*(block+beside), p.Time())
	}
	p.Blocks, p.Budget = 0, time.Hour
	require.Equal(t, harness.FirstBlocks*block+harness.BlocksBeside*beside, p.Least())
	require.Equal(t, time.Hour, p.Time())
	p.Budget = 1
	require.Equal(t, p.Least(), p.Time())
}

func TestNoCellIsWithoutSomebodyToMeasure(t *testing.T) {
	baseline := sound("a")
	baseline.Baseline = true
	for name, p := range map[string]*harness.Plan{
		"baselines":      tiny(baseline),
		"runtime timers": tiny(runtimeTimers()),
		"a slow list":    tiny(list("b")),
	} {
		t.Run(name, func(t *testing.T) {
			p.Pending = []int{1, 20_000}
			for _, c := range p.Cells() {
				if c.Experiment == rundata.Jitter || c.Experiment == rundata.Idle || c.Experiment == rundata.Control {
					continue // which have controls
				}
				if c.Experiment == rundata.Slow {
					continue // which takes long
				}
				series, err := c.Measure(sessionOf(t, p))
				if errors.Is(err, live.ErrBehind) {
					continue // of a machine that stood still: a contestant was there
				}
				require.NoError(t, err, c.Name)
				require.NotEmpty(t, series, c.Name)
				require.NotEqual(t, []string{rundata.EmptyControl}, rundata.Distinct(series, "impl"), c.Name)
			}
		})
	}
}

func TestALinearInsertIsLeftOutWhereItTakesTooLong(t *testing.T) {
	p := tiny(sound("a"), list("b"))
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpInsert, rundata.OpExpire}
	p.Pending = []int{10, 1_000_000}
	require.Contains(t, namesOf(bare(p, 10, fewestPassed(10))), "b")
	require.NotContains(t, namesOf(bare(p, 1_000_000, fewestPassed(1_000_000))), "b")
	require.Equal(t, []string{"a", "b"}, namesOf(filled(p, tickless(p), 10)))
	require.Equal(t, []string{"a"}, namesOf(filled(p, tickless(p), 1_000_000)))
}

func namesOf(variants []variant) []string {
	return lists.Each(variants, func(r variant) string { return r.Name })
}

func implsOf(contestants []harness.Contestant) []string {
	return lists.Each(contestants, func(c harness.Contestant) string { return c.Name })
}

// Cells about the driver and ticks are of one contestant, unless a full plan tries the ticks on all.
func TestOneContestantIsTheRepresentative(t *testing.T) {
	wheel, hier, preset := sound("wheel"), standIn("wheel-for-all"), sound("netty")
	wheel.HasTick, preset.Preset = true, true
	for name, c := range map[string]struct {
		contestants                   []harness.Contestant
		representatives, ticked, full []string
	}{
		"the marked one": {[]harness.Contestant{sound("a"), wheel, hier, runtimeTimers()}, []string{"wheel-for-all", "runtime"}, []string{"wheel-for-all"}, []string{"a", "wheel", "wheel-for-all"}},
		"or a wheel":     {[]harness.Contestant{sound("a"), wheel}, []string{"wheel"}, []string{"wheel"}, []string{"a", "wheel"}},
		"or any":         {[]harness.Contestant{sound("a"), sound("b")}, []string{"a"}, nil, []string{"a", "b"}},
		"not a preset":   {[]harness.Contestant{preset, runtimeTimers()}, []string{"runtime"}, nil, nil},
		"nor a bare one": {[]harness.Contestant{broken(faulty[uint64]{})}, nil, nil, nil},
	} {
		p := tiny(c.contestants...)
		require.Equal(t, c.representatives, implsOf(representatives(p)), name)
		require.Equal(t, c.ticked, implsOf(ticked(p)), name)
		p.Full = true
		require.Equal(t, c.full, implsOf(ticked(p)), name)
	}
}

// A plan that differs in any field is another: what a run has measured is not mixed.
func TestTheFingerprintTellsPlansApart(t *testing.T) {
	base := func() *harness.Plan {
		p := tiny(sound("a"), sound("b"))
		p.Custom = []harness.CustomCell{{Participants: []harness.Participant{{Params: []rundata.Param{{Key: "held", Value: "10"}}}}}}
		return p
	}
	require.Equal(t, base().Fingerprint(), base().Fingerprint())
	require.Len(t, base().Fingerprint(), 16)
	seen := map[string]string{base().Fingerprint(): "the plan itself"}
	differs := func(name string, change func(*harness.Plan)) {
		p := base()
		change(p)
		f := p.Fingerprint()
		require.Empty(t, seen[f], "%s makes the fingerprint of %s", name, seen[f])
		seen[f] = name
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[harness.Plan]()) {
		if !slices.Contains([]string{"Known", "About", "Start"}, field.Name) { // functions
			differs(field.Name, func(p *harness.Plan) { change(reflect.ValueOf(p).Elem().FieldByIndex(field.Index)) })
		}
	}
	differs("the order of contestants", func(p *harness.Plan) { slices.Reverse(p.Contestants) })
	differs("a parameter of a custom cell", func(p *harness.Plan) { p.Custom[0].Participants[0].Params[0].Value = "20" })
	differs("the name of a workload", func(p *harness.Plan) { p.Profiles[0].Name += "2" })
	differs("its tick", func(p *harness.Plan) { p.Profiles[0].Tick++ })
	differs("its steady state", func(p *harness.Plan) { p.Profiles[0].Steady++ })
	differs("its version", func(p *harness.Plan) { p.Profiles[0].Version += "2" })
}

func change(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.Len() > 0:
		v.SetLen(v.Len() - 1)
	default:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	}
}

func TestCellsHaveThePendingCountsOfThePlan(t *testing.T) {
	for _, c := range []struct {
		pending                      []int
		full, given                  bool
		idle, parallel, maps, others []int
	}{
		{[]int{10, 100_000, 1000}, false, false, []int{middling}, []int{1000}, []int{100, 1_000, 10_000, 100_000}, []int{0, 100_000}},
		{[]int{10, 10_000}, false, false, []int{10_000}, []int{1000}, []int{100, 1_000, 10_000}, []int{0, 10_000}},
		{[]int{10}, false, false, []int{10}, []int{10}, []int{10}, []int{0, 10}},
		{nil, false, false, []int{0}, []int{0}, []int{0}, []int{0}},
		{[]int{10, 1_000_000}, true, false, []int{0, 1, middling, 1_000_000}, []int{1000, middling}, []int{100, 1_000, 10_000, 100_000, 1_000_000}, []int{0, middling}},
		{[]int{1}, true, false, []int{0, 1}, []int{1}, []int{1}, []int{0, 1}},
		{[]int{77}, false, true, []int{77}, []int{77}, []int{77}, []int{0, 77}},
	} {
		p := tiny(sharded("a"))
		p.Pending, p.Full, p.PendingGiven = c.pending, c.full, c.given
		require.Equal(t, [][]int{c.idle, c.parallel, c.maps, c.others}, [][]int{idlePending(p), p.Counts(inFull(p, 1_000, middling)...), mapPending(p), others(p)}, "%v", c)
		require.Equal(t, len(c.pending) > 0, len(parallelCells(p)) > 0)
	}
}

// docs/card.md lists what votes. Bare schedulers are weighed with the cells of costs.
func TestCellsWithoutAVoteHaveASmallWeight(t *testing.T) {
	preset := sound("preset")
	preset.Preset = true
	p := tiny(sharded("a"), runtimeTimers(), preset)
	p.Full, p.Short, p.Pending = true, true, []int{100}
	votes := regexp.MustCompile(`^(profile-.*|cost-live-pair-\d+-\d+|jitter|live-.*|memory-.*)$`)
	for _, c := range p.Cells() {
		require.Equal(t, votes.MatchString(c.Name), c.Weight == 0, "%s has the weight %v", c.Name, c.Weight)
	}
}

// The pending counts that a user gives are measured, all of them.
func TestPendingCountsAskedForAreNotCutDown(t *testing.T) {
	p := tiny(sharded("a"), runtimeTimers())
	p.Pending, p.PendingGiven = []int{20, 1_000_000}, true
	p.Ops = []string{rundata.OpLivePair, rundata.OpTick}
	p.Experiments = []string{rundata.Cost, rundata.Parallel, rundata.Idle, rundata.Memory}
	require.Subset(t, cellNames(p), []string{
		"cost-live-pair-20-1", "cost-live-pair-1000000-1", "cost-tick-20", "cost-tick-1000000",
		"parallel-20-1", "parallel-1000000-1", "idle-20", "idle-1000000",
	})
}
