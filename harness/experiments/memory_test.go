package experiments

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// knownBytes is what each timer takes in a scheduler of known weight.
const knownBytes = 32

type weight struct {
	next *weight
	_    [knownBytes - 8]byte
}

// knownWeight is a scheduler that keeps each objects of known size for a timer.
type knownWeight struct {
	harness.EmptyScheduler
	each  int
	first *weight
}

func (k *knownWeight) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	for range k.each {
		k.first = &weight{next: k.first}
	}
	return k.EmptyScheduler.Schedule(deadline, value)
}

func (k *knownWeight) Cancel(id schedulers.ID) bool {
	for range k.each {
		k.first = k.first.next
	}
	return k.EmptyScheduler.Cancel(id)
}

func weighing(name string, each int) harness.Contestant {
	return harness.Contestant{Name: name, New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return &knownWeight{each: each}, nil
	}}
}

// TestAKnownWeightIsReadBack also where all together is only a few pages.
func TestAKnownWeightIsReadBack(t *testing.T) {
	p := tiny(weighing("known", 1))
	p.Pending, p.PendingGiven, p.Blocks = []int{300, 1_000, 20_000}, true, 5
	d := measured(t, p, rundata.Memory, rundata.OpPair)
	for _, n := range p.Pending {
		known := d.Select(rundata.Memory, "impl=known", fmt.Sprint("pending=", n))
		require.Len(t, known, 1)
		for _, unit := range []string{rundata.BytesPerTimer, rundata.ChurnedPerTimer} { // of which some have an object or two of the runtime's in it
			require.InDelta(t, knownBytes, judge.SummarizeFinite(known[0].Values[unit]).Median, 0.02*knownBytes+1000/float64(n), "%s of %d pending", unit, n)
		}
	}
}

func holder(name string, drivers *int) harness.Contestant {
	c := sound(name)
	c.Start = func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		*drivers++
		return driver.Start(heapsched.New[driver.Task](), opts...)
	}
	return c
}

func TestWhatHoldsFunctionsIsWeighedBesideTheRuntimesTimers(t *testing.T) {
	drivers := 0
	bare := sound("bare")
	bare.Start = nil
	p := tiny(holder("a", &drivers), bare, runtimeTimers())
	p.Pending = []int{1000}
	d := measured(t, p, rundata.Memory, rundata.OpPair)
	holding := d.Select(rundata.Memory, "holding="+rundata.HoldingFunctions)
	require.Equal(t, []string{"a", "runtime", "runtime-again"}, rundata.Distinct(holding, "impl"), "what has a driver, and the runtime")
	numbers := d.Select(rundata.Memory, "holding=", "horizon=")
	require.Equal(t, []string{"a", "bare", "bare-again"}, rundata.Distinct(numbers, "impl"), "who needs no driver")
	require.Equal(t, p.Blocks, drivers, "one for each population")
	one := func(list []*rundata.Series, impl, unit string) float64 {
		return (&rundata.Data{Series: list}).Select(rundata.Memory, "impl="+impl)[0].Values[unit][0]
	}
	require.Greater(t, one(holding, "a", rundata.BytesPerTimer), one(numbers, "a", rundata.BytesPerTimer), "a function is more than a number")
	require.InDelta(t, 16, one(holding, "a", rundata.NamePerTimer), 3)
	require.InDelta(t, 8, one(holding, "runtime", rundata.NamePerTimer), 1)
	require.InDelta(t, 8, one(numbers, "a", rundata.NamePerTimer), 1)
	for _, s := range holding {
		require.Len(t, s.Values[rundata.ChurnedPerTimer], p.Blocks, s.Name())
		require.Len(t, s.Values[rundata.GCNs], p.Blocks, s.Name())
	}
	require.NotContains(t, numbers[0].Values, rundata.GCNs, "a program has its timers behind a driver")
	require.Equal(t, lists.Each(horizons, time.Duration.String), rundata.Distinct(d.Select(rundata.Memory, "impl=a"), "horizon"))
	require.Empty(t, rundata.Distinct(d.Select(rundata.Memory, "impl=runtime"), "horizon"))
}

// Timers are weighed in the populations of cost cells, or else in their own, with the delays of the plan.
func TestTimersAreWeighedOncePerBlock(t *testing.T) {
	for name, experiments := range map[string][]string{"beside costs": {rundata.Cost, rundata.Memory}, "alone": {rundata.Memory}} {
		t.Run(name, func(t *testing.T) {
			p := tiny(sound("a"))
			p.Experiments, p.Pending, p.Delays = experiments, []int{100}, []string{"constant", "uniform"}
			d := must.Get(harness.Run(t.Context(), p, t.TempDir(), nil, nil))(t)
			for _, holding := range []string{"", rundata.HoldingFunctions} {
				weighed := d.Select(rundata.Memory, "impl=a", "pending=100", "holding="+holding)
				require.Len(t, weighed, 1)
				require.Equal(t, []int{0, 1}, weighed[0].Block)
			}
		})
	}
}

// What the runtime frees meanwhile may be more than a few timers take: these are not weighed then.
func TestSoFewTimersThatTheyWeighNothingAreNotWeighed(t *testing.T) {
	session, series := sessionOf(t, tiny(sound("a"))), &rundata.Series{}
	require.Nil(t, newScales(session, nil, 10, nil), "no series")
	weigh := func(readings ...float64) rundata.Values {
		w := newScales(session, series, 10, func() (bytes float64) {
			bytes, readings = readings[0], readings[1:]
			return bytes
		})
		w.named(80)
		w.weigh(rundata.BytesPerTimer)
		return w.churned()
	}
	weights := weigh(1000, 1320, 1480)
	require.Equal(t, rundata.Values{rundata.NamePerTimer: 8, rundata.BytesPerTimer: 24, rundata.ChurnedPerTimer: 40}, weights)
	for _, few := range [][]float64{{1000, 1000, 1480}, {1000, 1320, 900}, {1000, 900, 1480}} {
		require.Nil(t, weigh(few...), "%v", few)
	}
}

func TestABudgetWeighsTimersInTheFirstBlocks(t *testing.T) {
	s := sessionIn(t.Context(), tiny(sound("a")))
	weighs := func() bool {
		return newScales(s, &rundata.Series{}, 1, func() float64 { return 0 }) != nil
	}
	s.First = weighedBlocks
	require.True(t, weighs())
	s.Plan.Blocks = 0
	require.False(t, weighs())
	s.First--
	require.True(t, weighs())
}
