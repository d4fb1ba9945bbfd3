package experiments

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/must"
)

func TestTailsHaveEveryCallOfEverybody(t *testing.T) {
	p := tiny(standIn("a"), list("b"), sound("c"), runtimeTimers())
	series := must.Get(runOnly(t, p, rundata.Tails, rundata.OpPair))(t)
	parts := map[string][]string{} // by contestant, bare or not
	for _, s := range series {
		require.Len(t, s.Iterations, p.Blocks, s.Name())
		calls := 0
		for i, n := range s.Iterations {
			calls += n
			require.Positive(t, s.Values[rundata.P50Took][i], s.Name())
			require.GreaterOrEqual(t, s.Values[rundata.P99Took][i], s.Values[rundata.P50Took][i], s.Name())
			require.GreaterOrEqual(t, s.Values[rundata.P999Took][i], s.Values[rundata.P99Took][i], s.Name())
			if s.Get("during") == rundata.DuringHold {
				require.GreaterOrEqual(t, n, leastHeld, "%s: a p99.9 takes 1,000 calls", s.Name())
			}
			if s.Get("op") == rundata.CallExpire {
				require.Positive(t, s.Values[rundata.LongestExpire][i], s.Name())
			}
		}
		require.EqualValues(t, calls, s.Took.TotalCount()+s.Collecting.TotalCount(), s.Name())
		who := s.Get("impl") + " " + s.Get("holding")
		parts[who] = append(parts[who], s.Get("op")+" "+s.Get("during"))
	}
	live := []string{"schedule grow", "schedule hold", "cancel hold", "reset hold", "cancel shrink"}
	bare := append(slices.Clone(live), "expire hold", "next hold")
	control := []string{"expire hold"}
	want := map[string][]string{rundata.ClockControl + " ": control, rundata.ClockControl + " " + rundata.HoldingFunctions: control}
	for _, c := range []string{"a", "b", "c", "a" + rundata.AASuffix} {
		want[c+" "] = bare
	}
	for _, c := range []string{"a", "runtime", "a" + rundata.AASuffix} { // one stands for all
		want[c+" "+rundata.HoldingFunctions] = live
	}
	require.Equal(t, want, parts)
}

// What is done must not depend on who does it.
func TestTailsAreTheSameForAll(t *testing.T) {
	p := tiny(standIn("a"), sound("b"), list("c"))
	p.Pending = []int{300}
	d := measured(t, p, rundata.Tails, rundata.OpPair)
	for _, s := range d.Select(rundata.Tails, "impl=a") {
		for _, other := range []string{"b", "c", "a" + rundata.AASuffix} {
			for _, o := range d.Select(rundata.Tails, "impl="+other, "op="+s.Get("op"), "during="+s.Get("during"), "holding="+s.Get("holding")) {
				require.Equal(t, s.Iterations, o.Iterations, o.Name())
			}
		}
	}
}

func TestTailsGrowHoldCascadeAndShrink(t *testing.T) {
	const n = 40_000
	wheel := must.Get(hierwheel.New[uint64](costTick, levelSlots))(t)
	l := life{s: sessionIn(t.Context(), &harness.Plan{}), n: n, watch: newStopwatch(), random: splitMix{1}, exact: true}
	l.watch.start()
	course := newLifeCourse(l, bareCalls(wheel))
	l.watch.enter(rundata.DuringHold)
	for _, phase := range []struct {
		of           func()
		fewest, most int
	}{{course.fill, n, n}, {course.hold, n, n}, {course.gather, n / 2, n - 1}, {course.cascade, n / 3, n * 2 / 3}, {course.shrink, n/10 - n/100, n / 10}, {course.end, 0, 0}} {
		phase.of()
		require.GreaterOrEqual(t, wheel.Len(), phase.fewest)
		require.LessOrEqual(t, wheel.Len(), phase.most)
	}

	l.watch.start()
	wheel = must.Get(hierwheel.New[uint64](costTick, levelSlots))(t)
	require.NoError(t, newLifeCourse(l, bareCalls(wheel)).live())
	require.Zero(t, wheel.Len())
	calls := func(c callKind, during string) int {
		n, _ := l.watch.tail(tailPart{c, during})
		return n
	}
	held := n / holdShare
	require.GreaterOrEqual(t, calls(callSchedule, rundata.DuringGrow), n)
	require.Equal(t, held, calls(callExpire, rundata.DuringHold))
	require.Equal(t, held, calls(callNext, rundata.DuringHold))
	require.Equal(t, held*holding, calls(callCancel, rundata.DuringHold))
	require.Equal(t, held*holding, calls(callReset, rundata.DuringHold))
	require.Greater(t, calls(callSchedule, rundata.DuringHold), held*holding+held, "what comes due is replaced")
	require.Greater(t, calls(callCancel, rundata.DuringShrink), n/4)
}

// The longest Expire of a cascade is kept with its own work, and not with that of another.
func TestTheLongestExpireHasItsWork(t *testing.T) {
	one := longestExpire{took: time.Hour, due: 2, cascaded: 300}
	for _, c := range []struct {
		phase   string
		counts  bool
		calls   []longestExpire
		longest longestExpire
	}{
		{duringCascade, true, []longestExpire{{took: time.Millisecond, due: 1, cascaded: 10}, one, {took: time.Second, cascaded: 4000}}, longestExpire{time.Hour, 2, 300, true}},
		{duringCascade, false, []longestExpire{one}, longestExpire{time.Hour, 2, 0, false}},
		{"", true, []longestExpire{one}, longestExpire{}},
		{rundata.DuringHold, true, []longestExpire{one}, longestExpire{}},
	} {
		w, counter := newStopwatch(), uint64(7)
		w.start()
		w.enter(c.phase)
		l := &lifeCourse[int]{life: life{n: 1, watch: w}, timers: make([]heldTimer[int], 1), due: make([]uint64, 4)}
		if c.counts {
			l.cascaded = func() uint64 { return counter }
		}
		for _, call := range c.calls {
			l.expire = func(time.Duration, []uint64) int {
				w.began = w.began.Add(-call.took)
				counter += call.cascaded
				return call.due
			}
			require.Equal(t, call.due, l.takeOut(0))
		}
		w.longest.took = w.longest.took.Truncate(time.Hour)
		require.Equal(t, c.longest, w.longest, "%+v", c)
	}
	for _, counted := range []bool{true, false} { // what is not counted is not 0
		values := rundata.Values{}
		longestExpire{time.Second, 2, 300, counted}.addTo(values)
		require.Equal(t, 1e9, values[rundata.LongestExpire])
		require.Equal(t, 2.0, values[rundata.LongestDue])
		require.Equal(t, counted, values[rundata.LongestCascaded] == 300)
		require.Len(t, values, map[bool]int{true: 3, false: 2}[counted])
	}
}

func TestTailsEndWithTheRun(t *testing.T) {
	for _, c := range []harness.Contestant{sound("a"), runtimeTimers()} {
		p := tiny(c)
		for _, cell := range tailCells(p) {
			_, err := cell.Measure(sessionIn(ended(t), p))
			require.Error(t, err)
		}
	}
	s := heapsched.New[uint64]()
	l := life{s: sessionIn(ended(t), &harness.Plan{}), n: 100, watch: newStopwatch()}
	require.ErrorIs(t, newLifeCourse(l, bareCalls(s)).live(), ended(t).Err())
	require.Zero(t, s.Len())
}

func TestTailsHaveTheContestantsThatCanRunThem(t *testing.T) {
	p := tiny(standIn("a"), list("b"))
	p.Pending, p.ListCell = []int{100_000}, time.Second
	for _, c := range tailCells(p) {
		require.LessOrEqual(t, c.Time, time.Duration(3*p.Blocks)*200*time.Millisecond, "%s: the list is not in it", c.Name)
	}
	p.Pending, p.PendingGiven = []int{fewestTail - 1, mostTail + 1}, true
	require.Empty(t, tailCells(p))
	p.Pending, p.PendingGiven = nil, false
	require.Empty(t, tailCells(p))
}

func TestAStopwatchFilesEveryCall(t *testing.T) {
	w := newStopwatch()
	collecting := false
	w.gc.Read = func() (cycles, pauses uint64) {
		if collecting {
			return 0, 1
		}
		return 0, 0
	}
	w.start()
	w.enter(rundata.DuringHold)
	for i := range 3 * chunkCalls / 2 {
		collecting = i >= chunkCalls
		w.note(callCancel, time.Second, time.Second+time.Duration(i%100+1))
	}
	w.note(callNext, 0, time.Hour)
	w.enter("another")
	w.note(callCancel, 0, time.Second)
	w.file()

	calls, tail := w.tail(tailPart{callNext, rundata.DuringHold})
	require.Equal(t, 1, calls)
	require.InEpsilon(t, float64(time.Minute), tail[rundata.P999Took], 0.01, "what is beyond the range counts as the highest")
	held := tailPart{callCancel, rundata.DuringHold}
	calls, tail = w.tail(held)
	require.Equal(t, 3*chunkCalls/2, calls, "those of another phase are not among them")
	require.Equal(t, rundata.Values{rundata.P50Took: 50, rundata.P99Took: 99, rundata.P999Took: 100}, tail)
	require.EqualValues(t, chunkCalls, w.took[held].calm.TotalCount())
	require.EqualValues(t, chunkCalls/2, w.took[held].collecting.TotalCount())
	w.start()
	calls, _ = w.tail(held)
	require.Zero(t, calls)
	require.Zero(t, testing.AllocsPerRun(chunkCalls, func() { w.note(callReset, w.now(), w.now()) }))
}
