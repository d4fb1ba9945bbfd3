package harness

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/schedulers"
)

// callsOf returns how many calls a series has in all.
func callsOf(s *Series) (n int) {
	for _, calls := range s.Iterations {
		n += calls
	}
	return n
}

func TestTailsHaveEveryCallOfEverybody(t *testing.T) {
	p := tiny(standIn("a"), list("b"), sound("c"), runtimeTimers())
	series, err := runOnly(t, p, Tails, OpPair)
	require.NoError(t, err)
	bare, functions := map[string]bool{}, map[string]bool{}
	for _, s := range series {
		require.Len(t, s.Iterations, p.Blocks, s.Name())
		require.Equal(t, []int{0, 1}, s.Block)
		whose := s.Get("impl") + " " + s.Get("op")
		if s.Get("during") != "" {
			require.Nil(t, s.Took)
			require.Len(t, s.Values, 2, s.Name())
			continue
		}
		require.EqualValues(t, callsOf(s), s.Took.TotalCount()+s.Collecting.TotalCount(), s.Name())
		for i := range s.Iterations {
			require.Positive(t, s.Values[P50Took][i], s.Name())
			for k, p := range tailShares[1:] {
				require.GreaterOrEqual(t, s.Values[p.unit][i], s.Values[tailShares[k].unit][i], "%s %s", s.Name(), p.unit)
			}
		}
		if s.Get("holding") == HoldingFunctions {
			functions[whose] = true
		} else {
			bare[whose] = true
		}
	}
	for _, c := range []string{"a", "b", "c", "a" + AgainSuffix, ClockControl} {
		for _, op := range Calls() {
			require.True(t, bare[c+" "+op], "%s %s", c, op)
		}
	}
	for _, c := range []string{"a", "runtime", "a" + AgainSuffix, ClockControl} {
		for _, op := range Calls()[:3] {
			require.True(t, functions[c+" "+op], "%s %s", c, op)
		}
		require.False(t, functions[c+" "+CallExpire])
	}
	require.NotContains(t, functions, "c schedule", "one stands for all, unless the plan is one of everything")
	require.NotContains(t, bare, "runtime schedule")
}

// What is done must not depend on who does it.
func TestTailsAreTheSameForAll(t *testing.T) {
	p := tiny(standIn("a"), sound("b"), list("c"))
	p.Pending = []int{300}
	series, err := runOnly(t, p, Tails, OpPair)
	require.NoError(t, err)
	d := &Data{Series: series}
	for _, s := range d.Select(Tails, "impl=a") {
		for _, other := range []string{"b", "c", "a" + AgainSuffix} {
			for _, o := range d.Select(Tails, "impl="+other, "op="+s.Get("op"), "during="+s.Get("during"), "holding="+s.Get("holding")) {
				require.Equal(t, s.Iterations, o.Iterations, o.Name())
			}
		}
	}
	phases := Distinct(d.Select(Tails, "impl=a", "holding="), "during")
	require.Equal(t, []string{"grow", "hold", "shrink", "few", "regrow", "cascade"}, phases)
}

func TestTailsGrowHoldShrinkAndFallDueInMasses(t *testing.T) {
	const n = 1000
	s := heapsched.New[uint64]()
	pending := map[string]int{}
	w := newStopwatch()
	l := life{ctx: t.Context(), n: n, watch: w, random: splitMix{1}, exact: true}
	calls := map[string]int{}
	l.endPhase = func(phase string) {
		pending[phase] = s.Len()
		w.endPhase(func(c callKind, d durations) {
			calls[phase+" "+c.name()], _ = w.tail(d)
		})
	}
	w.start()
	require.NoError(t, newLifeCourse(l, bareCalls(s)).live())
	require.Equal(t, map[string]int{"grow": n, "hold": n, "shrink": n / 10, "few": n / 10, "regrow": n, "cascade": 0}, pending)
	held := n / holdShare
	require.GreaterOrEqual(t, calls["grow schedule"], n)
	require.Equal(t, held, calls["hold expire"])
	require.Equal(t, held, calls["hold next"])
	require.Equal(t, held*holding, calls["hold cancel"])
	require.Equal(t, held*holding, calls["hold reset"])
	require.Greater(t, calls["hold schedule"], held*holding+held, "what comes due is replaced")
	require.InDelta(t, n*9/10, calls["shrink cancel"], n/50)
	require.Equal(t, leastHeld*holding, calls["few reset"])
	require.Equal(t, n/2, calls["cascade reset"])
	require.GreaterOrEqual(t, calls["cascade expire"], 2*levelSlots)
	require.Zero(t, calls["grow reset"]+calls["shrink schedule"]+calls["regrow cancel"])
}

func TestTailsFindWhatIsAnsweredWrong(t *testing.T) {
	type sched = schedulers.Scheduler[uint64]
	early := func(s sched, now time.Duration, due []uint64) int { return s.Expire(now+2*costTick, due) }
	for name, f := range map[string]faulty[uint64]{
		"early":     {expire: early},
		"cancelled": {cancel: func(s sched, id schedulers.ID) bool { return !s.Cancel(id) }},
		"not cancelled": {cancel: func(sched, schedulers.ID) bool {
			return true
		}},
		"late": {schedule: func(s sched, at time.Duration, v uint64) (schedulers.ID, error) {
			return s.Schedule(at+3*costTick, v)
		}},
		"lost": {schedule: func(s sched, at time.Duration, v uint64) (schedulers.ID, error) {
			if v%10 == 3 {
				at = math.MaxInt64
			}
			return s.Schedule(at, v)
		}},
		"doubled": {schedule: func(s sched, at time.Duration, v uint64) (schedulers.ID, error) {
			_, _ = s.Schedule(at, v)
			return s.Schedule(at, v)
		}},
		"another": {schedule: func(s sched, at time.Duration, v uint64) (schedulers.ID, error) { return s.Schedule(at, v+1e9) }},
		"length":  {length: func(s sched) int { return s.Len() + 1 }},
	} {
		p := tiny(broken(f))
		_, err := runOnly(t, p, Tails, OpPair)
		require.ErrorContains(t, err, "wrong answer", name)
	}
	_, err := runOnly(t, tiny(broken(faulty[uint64]{schedule: afterwards[uint64](20)})), Tails, OpPair)
	require.Error(t, err)
	_, err = runOnly(t, tiny(brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](20)})), Tails, OpPair)
	require.Error(t, err)
	_, err = runOnly(t, tiny(failing()), Tails, OpPair)
	require.ErrorIs(t, err, errFake)
}

func TestTailsEndWithTheRun(t *testing.T) {
	for _, c := range []Contestant{sound("a"), runtimeTimers()} {
		p := tiny(c)
		for _, cell := range p.tailCells() {
			_, err := cell.measure(sessionIn(ended(t), p))
			require.Error(t, err)
		}
	}
	s := heapsched.New[uint64]()
	l := life{ctx: ended(t), n: 100, watch: newStopwatch(), endPhase: func(string) { t.Error("no phase has ended") }}
	require.ErrorIs(t, newLifeCourse(l, bareCalls(s)).live(), ended(t).Err())
	require.Zero(t, s.Len())
}

// A list takes too long with many, and nobody can take a tenth of nine.
func TestTailsAreOfWhoCanTakePart(t *testing.T) {
	p := tiny(standIn("a"), list("b"))
	p.Pending, p.ListCell = []int{100_000}, time.Second
	for _, c := range p.tailCells() {
		require.LessOrEqual(t, c.Time, time.Duration(3*p.Blocks)*200*time.Millisecond, "%s: the list is not in it", c.Name)
	}
	p.Pending, p.Asked = []int{fewestTail - 1, mostTail + 1}, true
	require.Empty(t, p.tailCells())
	p.Pending, p.Asked = nil, false
	require.Empty(t, p.tailCells())
}

func TestAStopwatchFilesEveryCall(t *testing.T) {
	w := newStopwatch()
	w.start()
	collecting := false
	w.gc.read = func() (uint64, uint64) {
		if collecting {
			return w.gc.cycles, w.gc.pauses + 1
		}
		return w.gc.cycles, w.gc.pauses
	}
	for i := range 3 * chunkCalls / 2 {
		collecting = i >= chunkCalls
		w.note(callCancel, time.Second, time.Second+time.Duration(i%100+1))
	}
	w.note(callNext, 0, time.Hour)
	phases := 0
	w.endPhase(func(c callKind, d durations) {
		phases++
		calls, tail := w.tail(d)
		if c == callNext {
			require.Equal(t, 1, calls)
			require.InEpsilon(t, float64(time.Minute), tail[MaxTook], 0.01, "what is beyond the range counts as the highest")
			return
		}
		require.Equal(t, callCancel, c)
		require.Equal(t, 3*chunkCalls/2, calls)
		require.InEpsilon(t, 50.5, tail[NsPerOp], 0.01)
		delete(tail, NsPerOp)
		require.Equal(t, sample{P50Took: 50, P99Took: 99, P999Took: 100, P9999Took: 100, MaxTook: 100}, tail)
		require.EqualValues(t, chunkCalls, d.calm.TotalCount())
		require.EqualValues(t, chunkCalls/2, d.collecting.TotalCount())
	})
	require.Equal(t, 2, phases)
	w.endPhase(func(callKind, durations) { t.Error("nothing has been called since") })
	whole, _ := w.tail(w.whole[callCancel])
	require.Equal(t, 3*chunkCalls/2, whole)
	w.start()
	whole, _ = w.tail(w.whole[callCancel])
	require.Zero(t, whole)
	require.Zero(t, testing.AllocsPerRun(chunkCalls, func() { w.note(callReset, w.now(), w.now()) }))
}

// Of more timers than a cache holds there is a control that touches as much memory.
func TestControlsOfTails(t *testing.T) {
	names := func(n int) (names []string) {
		for _, c := range tailControls(n) {
			names = append(names, c.Name)
		}
		return names
	}
	require.Equal(t, []string{ClockControl}, names(middling))
	require.Equal(t, []string{ClockControl, MemoryControl}, names(middling+1))

	s, err := tailControls(2 * middling)[1].New(Geometry{})
	require.NoError(t, err)
	touching := s.(*touchingScheduler)
	id, err := s.Schedule(time.Second, 1)
	require.NoError(t, err)
	require.Equal(t, 1, s.Len())
	_, err = touching.Reset(id, time.Second)
	require.NoError(t, err)
	require.True(t, s.Cancel(id))
	require.Zero(t, s.Expire(time.Second, make([]uint64, 1)))
	s.Next()
	touched := uint64(0)
	for _, c := range touching.cells {
		touched += c[0]
	}
	require.EqualValues(t, 5, touched, "one for each call")
}
