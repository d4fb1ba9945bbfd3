package harness

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/listsched"
	"schedbench/schedulers"
)

// sharded returns a sound contestant that can be sharded.
func sharded(name string) Contestant {
	c := sound(name)
	c.Shard = func(Geometry) (schedulers.Scheduler[driver.Task], error) { return heapsched.New[driver.Task](), nil }
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

	again := &splitMix{1}
	first, second := again.state, (&splitMix{1}).state
	require.Equal(t, first, second)
	a, b := (&splitMix{7}), (&splitMix{7})
	for range 100 {
		ap, ad := a.next(n)
		bp, bd := b.next(n)
		require.Equal(t, ap, bp)
		require.Equal(t, ad, bd)
	}
}

// atOnce returns the numbers of goroutines of live pairs.
func atOnce() []string {
	return each(slices.Compact([]int{1, runtime.GOMAXPROCS(0)}), strconv.Itoa)
}

func TestALivePairSampleHasTimeAndCPU(t *testing.T) {
	needUsage(t)
	p := tiny(sound("a"), list("b"), runtimeTimers())
	p.Every = true
	series, err := runOnly(t, p, Cost, OpLivePair)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "runtime"}, firstTime(series))
	require.Equal(t, atOnce(), Distinct(series, "goroutines"))
	for _, s := range series {
		require.Len(t, s.Values[NsPerOp], p.Blocks, s.Name())
		require.Len(t, s.Values[CPUPerOp], p.Blocks, s.Name())
		for i := range s.Iterations {
			require.Positive(t, s.Values[NsPerOp][i])
			require.Positive(t, s.Values[CPUPerOp][i])
		}
	}
}

func TestLiveResetsAreTimedOnThePopulationOfThePairs(t *testing.T) {
	needUsage(t)
	drivers := 0
	p := tiny(holder("a", &drivers), runtimeTimers())
	p.Pending, p.Every = []int{100}, true
	series, err := runOnly(t, p, Cost, OpLivePair)
	require.NoError(t, err)
	require.Equal(t, len(atOnce())*p.Blocks, drivers, "one in each turn, by one goroutine and by as many as processors")
	d := &Data{Series: series}
	for _, s := range d.Select(Cost, "op="+OpLivePair) {
		twin := d.Select(Cost, "op="+OpLiveReset, "impl="+s.Get("impl"), "goroutines="+s.Get("goroutines"), "pending=100", "delay=uniform")
		require.Len(t, twin, 1, s.Name())
		require.Equal(t, s.Block, twin[0].Block)
		require.Len(t, twin[0].Iterations, len(s.Iterations))
		for i, n := range twin[0].Iterations {
			require.Equal(t, p.resetOps(Contestant{}, 100), n)
			require.Positive(t, twin[0].Values[NsPerOp][i])
			require.Positive(t, twin[0].Values[CPUPerOp][i])
		}
	}
	require.Len(t, d.Select(Cost, "op="+OpLiveReset), len(atOnce())*3)
}

// TestASortedListIsFilledInOrderForManyGoroutines: or each population but the first would walk
// past those before it, for hours with a million.
func TestASortedListIsFilledInOrderForManyGoroutines(t *testing.T) {
	var list *listsched.List[driver.Task]
	c := Contestant{Name: "list", LinearInsert: true, Start: func(_ Geometry, opts ...driver.Option) (*driver.Driver, error) {
		list = listsched.New[driver.Task]()
		return driver.Start(list, opts...)
	}}
	p := tiny(c)
	turn := &pairsTurn{s: sessionOf(t, p), r: runner{Contestant: c}, n: 2000, goroutines: 2}
	defer turn.close()
	require.NoError(t, turn.fill(1000, 2, nil))
	require.Equal(t, 2000, turn.len())
	require.Zero(t, list.Work().Visits)
}

// TestLiveResetsCatchWrongAnswers has a scheduler that is full with what is pending: a pair
// frees a place before it takes one, and a reset does so after.
func TestLiveResetsCatchWrongAnswers(t *testing.T) {
	p := tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](100)}))
	p.Pending, p.Asked = []int{100}, true
	_, err := runOnly(t, p, Cost, OpLivePair)
	ops := p.resetOps(Contestant{}, 100)
	require.ErrorContains(t, err, fmt.Sprintf("%d of %d operations gave a wrong answer, 100 are pending", ops, ops))
}

func TestResetsMoveEachTimerOnce(t *testing.T) {
	p := tiny(sound("a"))
	require.Equal(t, epochsOfPairs*int(p.Epoch/perOp), p.resetOps(sound("a"), 10))
	require.Equal(t, 100_000, p.resetOps(sound("a"), 100_000))
	require.Equal(t, p.ops(list("b"), 100_000), p.resetOps(list("b"), 100_000))
}

// TestWhatIsDoneElsewhereIsCharged has a scheduler that leaves work to a
// goroutine of its own: its caller does not wait for that, but it is charged.
func TestWhatIsDoneElsewhereIsCharged(t *testing.T) {
	needUsage(t)
	var left sync.WaitGroup
	work := make(chan struct{}, 1<<16)
	defer close(work)
	go func() {
		var sink uint64
		for range work {
			sink += spin(3_000)
			left.Done()
		}
	}()
	idle, busy := sound("idle"), brokenLive(faulty[driver.Task]{
		schedule: func(s schedulers.Scheduler[driver.Task], deadline time.Duration, v driver.Task) (schedulers.ID, error) {
			left.Add(1)
			work <- struct{}{}
			return s.Schedule(deadline, v)
		}})
	for _, c := range []*Contestant{&idle, &busy} {
		start := c.Start
		c.Start = func(g Geometry, opts ...driver.Option) (*driver.Driver, error) {
			left.Wait() // nobody is charged for another's work
			return start(g, opts...)
		}
	}
	p := tiny(idle, busy)
	p.Pending = []int{100}
	series, err := runOnly(t, p, Cost, OpLivePair)
	require.NoError(t, err)
	left.Wait()
	require.Greater(t, sumOf(series[1].Values[CPUPerOp]), sumOf(series[0].Values[CPUPerOp]))
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func TestPairsAreEnoughToPayForTheirGarbage(t *testing.T) {
	p := tiny(sound("a"))
	require.GreaterOrEqual(t, p.pairOps(sound("a"), 100_000), 100_000)
	require.Equal(t, p.ops(list("b"), 100_000), p.pairOps(list("b"), 100_000), "a list does not allocate")
	p.Epoch = time.Second
	require.Equal(t, epochsOfPairs*int(time.Second/perOp), p.pairOps(sound("a"), 10))
}

func TestParallelCellsHaveEveryInbox(t *testing.T) {
	p := tiny(sharded("a"), runtimeTimers())
	series, err := runOnly(t, p, Parallel, OpPair)
	require.NoError(t, err)
	require.Equal(t, []string{InboxLocked, InboxSharded, InboxQueued, InboxRuntime}, Distinct(series, "inbox"))
	require.Equal(t, []string{"1", "2"}, Distinct(series, "goroutines"))
	require.Equal(t, []string{"100"}, Distinct(series, "pending"))
	for _, s := range series {
		require.Len(t, s.Iterations, p.Blocks, s.Name())
	}
}

func TestParallelCellsAreOfOneContestantAndTheRuntime(t *testing.T) {
	wheel, preset := sharded("wheel"), sound("netty")
	wheel.HasTick, preset.Preset = true, true
	forAll := sharded("wheel-for-all")
	forAll.StandsForAll = true
	for name, c := range map[string]struct {
		contestants []Contestant
		want        []string
	}{
		"the hierarchical wheel":     {[]Contestant{sharded("a"), wheel, forAll, runtimeTimers()}, []string{"wheel-for-all", "runtime"}},
		"or a wheel":                 {[]Contestant{sharded("a"), wheel}, []string{"wheel"}},
		"or what there is":           {[]Contestant{sound("a"), sound("b")}, []string{"a"}},
		"not a preset":               {[]Contestant{preset, runtimeTimers()}, []string{"runtime"}},
		"nor what has no real clock": {[]Contestant{broken(faulty[uint64]{})}, nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, implsOf(tiny(c.contestants...).standIns())) })
	}
}

func TestParallelCellsOfEverythingAreOfTwoSizes(t *testing.T) {
	p := tiny(sharded("a"))
	p.Pending, p.Every = []int{10, 1_000_000}, true
	require.Equal(t, []int{1_000, 100_000}, p.parallelPending())
	p.Every = false
	require.Equal(t, []int{1_000}, p.parallelPending())
	p.Pending = []int{10}
	require.Equal(t, []int{10}, p.parallelPending())
	p.Pending = nil
	require.Empty(t, p.parallelCells())
}

func TestParallelCellsCatchWrongAnswers(t *testing.T) {
	usual := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a queue finds out later that a timer is refused, and says so
	defer slog.SetDefault(usual)
	for name, c := range map[string]struct {
		faults faulty[driver.Task]
		want   string
	}{
		"refused":      {faulty[driver.Task]{schedule: afterwards[driver.Task](3)}, ""},
		"not stopped":  {faulty[driver.Task]{cancel: func(schedulers.Scheduler[driver.Task], schedulers.ID) bool { return false }}, "gave a wrong answer"},
		"wrong count":  {faulty[driver.Task]{length: func(s schedulers.Scheduler[driver.Task]) int { return s.Len() + s.Len()/100 }}, "101 are pending, want 100"},
		"cannot start": {faulty[driver.Task]{length: func(schedulers.Scheduler[driver.Task]) int { return 1 }}, "holds 1 values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runOnly(t, tiny(brokenLive(c.faults)), Parallel, OpPair)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "impl=broken")
		})
	}
}
