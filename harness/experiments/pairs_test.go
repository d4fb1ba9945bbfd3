package experiments

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/listsched"
	"schedbench/schedulers"
)

func sharded(name string) harness.Contestant {
	c := sound(name)
	c.Shard = func(harness.Geometry) (schedulers.Scheduler[driver.Task], error) {
		return heapsched.New[driver.Task](), nil
	}
	return c
}

func TestAFlowIsUniformAndStaysInBounds(t *testing.T) {
	const n, draws = 10, 100_000
	f := &splitMix{1}
	picked := make([]int, n)
	var sum float64
	for range draws {
		pick, delay := f.next(n)
		picked[pick]++
		require.GreaterOrEqual(t, delay, shortest)
		require.Less(t, delay, longest)
		sum += delay.Seconds()
	}
	for pick, times := range picked {
		require.InDelta(t, draws/n, times, draws/n/10, "pick %d", pick)
	}
	require.InDelta(t, (shortest+longest).Seconds()/2, sum/draws, 30)
}

func oneAndAll() []string {
	return lists.Each(slices.Compact([]int{1, runtime.GOMAXPROCS(0)}), strconv.Itoa)
}

func TestLiveResetsAreTimedOnThePopulationOfThePairs(t *testing.T) {
	needUsage(t)
	drivers := 0
	a := holder("a", &drivers)
	a.Representative = true
	p := tiny(a, runtimeTimers())
	p.Pending, p.Full = []int{100}, true
	series := must.Get(runOnly(t, p, rundata.Cost, rundata.OpLivePair))(t)
	require.Equal(t, []string{"a", "runtime"}, firstTime(series))
	require.Equal(t, oneAndAll(), rundata.Distinct(series, "goroutines"))
	require.Equal(t, 2*len(oneAndAll())*p.Blocks, drivers, "one in each turn, and another for the A/A, by one goroutine and by as many as processors")
	d := &rundata.Data{Series: series}
	for _, s := range d.Select(rundata.Cost, "op="+rundata.OpLivePair) {
		twin := d.Select(rundata.Cost, "op="+rundata.OpLiveReset, "impl="+s.Get("impl"), "goroutines="+s.Get("goroutines"), "pending=100", "delay=uniform")
		require.Len(t, twin, 1, s.Name())
		require.Equal(t, s.Block, twin[0].Block)
		require.Len(t, twin[0].Iterations, len(s.Iterations))
		for i, n := range twin[0].Iterations {
			require.GreaterOrEqual(t, n+runtime.GOMAXPROCS(0), liveOps(p, harness.Contestant{}, 100)/turnsOfPairs, "more while garbage is collected")
			for _, timed := range []*rundata.Series{s, twin[0]} {
				require.Positive(t, timed.Values[rundata.NsPerOp][i], timed.Name())
				require.Positive(t, timed.Values[rundata.CPUPerOp][i], timed.Name())
			}
		}
	}
	require.Len(t, d.Select(rundata.Cost, "op="+rundata.OpLiveReset), len(oneAndAll())*3)
}

// Otherwise each population but the first would walk past those before it, for hours with a million.
func TestASortedListIsFilledInOrderForManyGoroutines(t *testing.T) {
	var list *listsched.List[driver.Task]
	c := harness.Contestant{Name: "list", LinearInsert: true, Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		list = listsched.New[driver.Task]()
		return driver.Start(list, opts...)
	}}
	p := tiny(c)
	turn := &pairsTurn{s: sessionOf(t, p), r: variant{Contestant: c}, n: 2000, goroutines: 2, crew: newCrew(p, 2)}
	defer turn.close()
	require.NoError(t, turn.fill(nil))
	require.Equal(t, 2000, turn.len())
	require.Zero(t, list.Work().Visits)
}

// A pair frees a place before it takes one, and a reset does so after: the scheduler is full with what is pending.
func TestLiveResetsCatchWrongAnswers(t *testing.T) {
	p := tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](100)}))
	p.Pending, p.PendingGiven = []int{100}, true
	_, err := runOnly(t, p, rundata.Cost, rundata.OpLivePair)
	ops := min(100, liveOps(p, harness.Contestant{}, 100)/turnsOfPairs)
	require.ErrorContains(t, err, fmt.Sprintf("%d of %d operations gave a wrong answer, 100 are pending", ops, ops))
}

// TestWhatIsDoneElsewhereIsCharged has a scheduler that leaves work to a goroutine: its caller does not wait for that.
func TestWhatIsDoneElsewhereIsCharged(t *testing.T) {
	needUsage(t)
	var left sync.WaitGroup
	work := make(chan struct{}, 1<<6) // of a few hundred: most is done in time even if the goroutine gets no processor for a while
	defer close(work)
	go func() {
		var sink uint64
		for range work {
			sink += spin(3_000)
			left.Done()
		}
	}()
	idle, busy := sound("idle"), brokenLive(noting[driver.Task](func() {
		left.Add(1)
		work <- struct{}{}
	}))
	for _, c := range []*harness.Contestant{&idle, &busy} {
		start := c.Start
		c.Start = func(g harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			left.Wait() // no turn is charged for another's work
			return start(g, opts...)
		}
	}
	p := tiny(idle, busy)
	p.Pending = []int{100}
	series := must.Get(runOnly(t, p, rundata.Cost, rundata.OpLivePair))(t)
	left.Wait()
	require.Greater(t, sumOf(series[1].Values[rundata.CPUPerOp]), sumOf(series[0].Values[rundata.CPUPerOp]))
}

func sumOf[N int | float64](values []N) (sum N) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Every second timer is replaced, and moved, at least. A list does fewer.
func TestATimingHasOperationsInProportionToTheTimers(t *testing.T) {
	p := tiny(sound("a"))
	require.Equal(t, turnsOfPairs*int(p.Epoch/perOp), liveOps(p, sound("a"), 10))
	require.Equal(t, 50_000, liveOps(p, sound("a"), 100_000))
	require.Equal(t, ops(p, list("b"), 100_000), liveOps(p, list("b"), 100_000))
}

// A contestant that leaves garbage goes on until it has left its share of what makes a collection due.
func TestGarbageIsPaidFor(t *testing.T) {
	var garbage [][]byte
	clean, leaves := sound("clean"), brokenLive(noting[driver.Task](func() { garbage = append(garbage[:0], make([]byte, 128)) }))
	p := tiny(clean, leaves)
	p.Pending, p.Blocks, p.Rough = []int{100}, 1, false
	timed := liveOps(p, clean, 100)
	d := measured(t, p, rundata.Cost, rundata.OpLivePair)
	of := func(impl string) int {
		return turnsOfPairs * d.Select(rundata.Cost, "op="+rundata.OpLivePair, "impl="+impl, "goroutines=1")[0].Iterations[0]
	}
	require.Less(t, of("clean"), of("broken"), "as many as planned, unless the garbage of other tests is collected meanwhile")
	require.Greater(t, of("broken"), 2*timed)
	require.NotEmpty(t, garbage)
}

func TestATurnEndsThoughGarbageIsAlwaysCollected(t *testing.T) {
	var garbage []byte
	p := tiny(brokenLive(noting[driver.Task](func() { garbage = make([]byte, 64<<10) })))
	p.Pending, p.Blocks, p.Rough, p.Epoch = []int{100}, 1, false, 100*time.Microsecond
	series := must.Get(runOnly(t, p, rundata.Cost, rundata.OpLivePair))(t)
	require.Positive(t, series[0].Values[rundata.NsPerOp][0])
	require.NotEmpty(t, garbage)
}

// TestAPresetIsAloneWhileItIsTimed: others have no timers that wake in its turns, nor it in theirs.
func TestAPresetIsAloneWhileItIsTimed(t *testing.T) {
	var scheduled []string
	preset := func(name string) harness.Contestant {
		c := brokenLive(noting[driver.Task](func() { scheduled = append(scheduled, name) }))
		c.Name, c.Preset = name, true
		return c
	}
	p := tiny(preset("x"), preset("y"), sound("a"))
	p.Pending, p.Blocks = []int{100}, 1
	cells := livePairCells(p, 100)
	for _, c := range must.Get(cells[0].Make(sessionOf(t, p)))(t) {
		require.Equal(t, "a", strings.TrimSuffix(c.Series.Get("impl"), rundata.AASuffix))
	}
	require.Equal(t, "cost-live-pair-100-1-apart", cells[1].Name)
	series := must.Get(cells[1].Measure(sessionOf(t, p)))(t)
	require.Equal(t, []string{"x", "y"}, rundata.Distinct(series, "impl"), "no A/A: that is in the other cell")
	require.Len(t, slices.Compact(scheduled), 2, "all of one before all of the other")
	for _, s := range series {
		require.Len(t, s.Iterations, 1)
	}
}

func TestParallelCellsHaveEveryInbox(t *testing.T) {
	p := tiny(sharded("a"), runtimeTimers())
	p.Blocks = 1
	series := must.Get(runOnly(t, p, rundata.Parallel, rundata.OpPair))(t)
	require.Equal(t, []string{rundata.InboxLocked, rundata.InboxSharded, rundata.InboxQueued, rundata.RuntimeWaking}, rundata.Distinct(series, "inbox"))
	require.Equal(t, lists.Each(atOnce(), strconv.Itoa), rundata.Distinct(series, "goroutines"))
	require.Equal(t, []string{"100"}, rundata.Distinct(series, "pending"))
	for _, s := range series {
		require.Len(t, s.Iterations, turnsOfPairs*p.Blocks, "a sample of each turn: %s", s.Name())
	}
}

func TestTurnsTakeCachesUpToALimit(t *testing.T) {
	require.Equal(t, 2*100*perLiveTimer, memoryOfTurns(2, 100))
	require.Equal(t, memoryOfTurns(1, distributed), memoryOfTurns(1, 100*distributed))
}
