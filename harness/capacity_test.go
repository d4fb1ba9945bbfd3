package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/schedulers"
)

// limited returns a contestant that holds so many timers and no more, bare and live.
func limited(name string, most int) Contestant {
	c := sound(name)
	c.New = func(Geometry) (schedulers.Scheduler[uint64], error) {
		return &faulty[uint64]{Scheduler: heapsched.New[uint64](), schedule: full[uint64](most)}, nil
	}
	c.Start = func(_ Geometry, opts ...driver.Option) (*driver.Driver, error) {
		return driver.Start(&faulty[driver.Task]{Scheduler: heapsched.New[driver.Task](), schedule: full[driver.Task](most)}, opts...)
	}
	return c
}

// full returns a Schedule that refuses more than so many values as a scheduler does that has
// a limit.
func full[T any](most int) func(schedulers.Scheduler[T], time.Duration, T) (schedulers.ID, error) {
	return func(s schedulers.Scheduler[T], deadline time.Duration, value T) (schedulers.ID, error) {
		if s.Len() >= most {
			return 0, fmt.Errorf("limited: %w: %d", schedulers.ErrFull, most)
		}
		return s.Schedule(deadline, value)
	}
}

// crowded are plans of the cells in which timers are pending, by what each is of. They have no
// driver with a queue, which drops what is refused, and says so to a log.
func crowded(n int, contestants ...Contestant) map[string]*Plan {
	plans := map[string]*Plan{}
	for _, op := range Ops() {
		plans[op] = tiny(contestants...)
		plans[op].Experiments, plans[op].Ops = []string{Cost}, []string{op}
	}
	for _, experiment := range []string{Memory, Idle, Tails} {
		plans[experiment] = tiny(contestants...)
		plans[experiment].Experiments = []string{experiment}
	}
	for _, p := range plans {
		p.Pending, p.Asked, p.Goroutines, p.Blocks = []int{n}, true, []int{1}, 1
	}
	return plans
}

// measuredBy returns what the cells of a plan show in a session that has so many timers of
// several contestants at once.
func measuredBy(t *testing.T, p *Plan, atOnce int) (series []*Series) {
	t.Helper()
	s := sessionOf(t, p)
	s.most = atOnce
	for _, c := range p.Cells() {
		part, err := allBlocks(s, c)
		require.NoError(t, err)
		series = append(series, part...)
	}
	require.NotEmpty(t, series)
	return series
}

// leftIn returns the series of a contestant in cells with timers pending, the second
// measurement of it too.
func leftIn(series []*Series, name string) (of []*Series) {
	for _, s := range series {
		if strings.TrimSuffix(s.Get("impl"), AgainSuffix) == name && s.Get("pending") != "" {
			of = append(of, s)
		}
	}
	return of
}

func TestWhoRefusesTimersIsLeftOut(t *testing.T) {
	for _, atOnce := range []int{0, 100} { // side by side, and one after another
		for name, p := range crowded(2000, limited("small", 1000), standIn("a"), runtimeTimers()) {
			if name == Idle {
				needUsage(t)
			}
			t.Run(fmt.Sprint(name, " ", atOnce), func(t *testing.T) {
				series := measuredBy(t, p, atOnce)
				out := leftIn(series, "small")
				require.NotEmpty(t, out)
				for _, s := range out {
					require.Equal(t, CannotHold, s.State(), s.Name())
					require.Equal(t, "cannot hold 2k timers: limited: too many pending: 1000", s.Note)
					require.Equal(t, []int{0}, slices.Compact(slices.Clone(s.Block)), "as of the others")
					require.Equal(t, []string{ToHold}, sortedKeys(s.Values))
					require.Equal(t, 2000., s.Values[ToHold][0])
				}
				others := leftIn(series, "a")
				require.NotEmpty(t, others)
				for _, s := range others {
					require.Empty(t, s.Note, s.Name())
					require.NotContains(t, s.Values, ToHold)
				}
			})
		}
	}
}

func TestWhoWouldTakeMoreMemoryThanThereIsIsLeftOut(t *testing.T) {
	const n = 3000
	known := func(name string, of int) Contestant {
		c := sound(name)
		c.New = func(Geometry) (schedulers.Scheduler[uint64], error) { return &severalWeights{of: of}, nil }
		return c
	}
	for _, name := range []string{OpPair, OpInsert, OpTick, Memory} {
		t.Run(name, func(t *testing.T) {
			p := crowded(n, known("heavy", 100), known("light", 1))[name]
			p.Contestants[0].Start, p.Contestants[1].Start = nil, nil
			p.Memory = n * 50 * knownBytes
			series := measuredBy(t, p, 100)
			for _, s := range leftIn(series, "heavy") {
				require.Equal(t, CannotHold, s.State(), s.Name())
				require.Regexp(t, `^cannot hold 3k timers: that would take about 1\d(\.\d+)? MB of memory, and 4\.8 MB are available$`, s.Note)
			}
			require.NotEmpty(t, leftIn(series, "light"))
			for _, s := range leftIn(series, "light") {
				require.Empty(t, s.Note, s.Name())
			}
			for _, s := range leftIn(measuredBy(t, p, 0), "heavy") { // few enough are not looked at
				require.Empty(t, s.Note, s.Name())
			}
		})
	}
}

// severalWeights is a scheduler that keeps so many objects of known size for each timer.
type severalWeights struct {
	knownWeight
	of int
}

func (w *severalWeights) Schedule(deadline time.Duration, value uint64) (id schedulers.ID, err error) {
	for range w.of - 1 {
		w.first = &weight{next: w.first}
	}
	return w.knownWeight.Schedule(deadline, value)
}

func (w *severalWeights) Cancel(id schedulers.ID) bool {
	for range w.of - 1 {
		w.first = w.first.next
	}
	return w.knownWeight.Cancel(id)
}

func TestMemoryIsEstimatedFromAFewTimers(t *testing.T) {
	s := sessionOf(t, tiny(sound("a")))
	weighs := func(c Contestant, n int) float64 {
		bytes, err := s.burdenOf(c, n, inOrder(c), func() (population, error) { return holdingNumbers(c, n) }).estimate()
		require.NoError(t, err)
		return bytes / headroom
	}
	known := sound("known")
	known.New = func(Geometry) (schedulers.Scheduler[uint64], error) { return &knownWeight{}, nil }
	const names = 8
	require.InEpsilon(t, 1e9*(knownBytes+names), weighs(known, 1e9), 0.02, "of a billion, though none of them was made")
	require.InEpsilon(t, 20_000*(knownBytes+names), weighs(known, 20_000), 0.02)
	known.LinearInsert = true
	require.InEpsilon(t, 1e9*(knownBytes+names+inOrderOf), weighs(known, 1e9), 0.02, "with the list of its deadlines")
	_, err := s.estimate(10, 0, func() (population, error) { return nil, errFake })
	require.ErrorIs(t, err, errFake)
}

// Of very many timers nobody holds any while another does.
func TestVeryManyAreHeldByOneAtATime(t *testing.T) {
	for _, atOnce := range []int{9, 10} {
		holding, most := 0, 0
		r := recordedOf(3)
		for _, c := range r.competitors {
			c.holds = burden{pending: 10, estimate: func() (float64, error) { return 10, nil }}
			c.build = func(int) error { holding++; most = max(most, holding); return nil }
			c.done = func() { holding-- }
		}
		s := sessionFor(t, 4, 3)
		s.most = atOnce
		series, err := interleave(s, "a cell", r.competitors)
		require.NoError(t, err)
		require.Len(t, r.turns, 3*4*3)
		for _, one := range series {
			require.Equal(t, roundsOf(4, 3), one.Values[NsPerOp], "in the order of the rounds")
			require.Equal(t, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, one.Block)
		}
		require.Equal(t, map[int]int{9: 1, 10: 3}[atOnce], most)
		require.Zero(t, holding)
	}
}

func TestTheOrderOfThoseWhoComeOneAfterAnotherChangesFromBlockToBlock(t *testing.T) {
	r := recordedOf(4)
	for _, c := range r.competitors {
		c.holds = burden{pending: 10, estimate: func() (float64, error) { return 10, nil }}
	}
	s := sessionFor(t, 4, 2)
	s.most = 1
	_, err := interleave(s, "a cell", r.competitors)
	require.NoError(t, err)
	follows := map[[2]int]bool{}
	for block := range 4 {
		turns := r.turns[8*block : 8*block+8]
		for i := 0; i < 8; i += 2 {
			require.Equal(t, turns[i], turns[i+1], "its rounds are one after another")
			if i > 0 {
				follows[[2]int{turns[i-1], turns[i]}] = true
			}
		}
	}
	require.Len(t, follows, 4*3, "everybody follows everybody")
}

func TestAnErrorThatIsNoLimitStillEndsTheCell(t *testing.T) {
	for _, atOnce := range []int{0, 1} {
		p := tiny(sound("a"), failing())
		p.Experiments, p.Ops = []string{Cost}, []string{OpPair}
		s := sessionOf(t, p)
		s.most = atOnce
		_, err := p.Cells()[0].measure(s)
		require.ErrorIs(t, err, errFake)
	}
}

// A look at the memory of a contestant ends too when the run is interrupted.
func TestAnInterruptionEndsALookAtMemory(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	i := &interrupter{at: 1000, interrupt: interrupt}
	p := tiny(i.contestant())
	p.Experiments, p.Ops, p.Pending = []string{Cost}, []string{OpPair}, []int{200_000}
	s := sessionIn(ctx, p)
	s.most = 10
	_, err := p.Cells()[0].measure(s)
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, i.calls, 1000+lookEvery)
}

func TestTheLimitOfMemoryIsTakenBack(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	s := newSession(t.Context(), &Plan{Memory: 1 << 30}, 0)
	few := []*competitor{{holds: burden{pending: mostFitting}}}
	s.limitMemory(few)()
	require.Equal(t, before, debug.SetMemoryLimit(-1), "what always fits has no limit")
	end := s.limitMemory([]*competitor{{}, {holds: burden{pending: mostFitting + 1}}})
	within := debug.SetMemoryLimit(-1)
	end()
	require.Less(t, within, before)
	require.Greater(t, within, int64(1<<30), "and what is taken already")
	require.Equal(t, before, debug.SetMemoryLimit(-1))
}

func TestALimitThatIsGivenCountsIfItIsLess(t *testing.T) {
	p := &Plan{Memory: 5e6}
	left, limited := newSession(t.Context(), p, 0).memoryLeft()
	require.True(t, limited)
	require.LessOrEqual(t, left, 5e6)
	if has, known := available(); known {
		p.Memory = 1 << 60
		left, _ = newSession(t.Context(), p, 0).memoryLeft()
		require.InEpsilon(t, has, left, 0.5)
	}
	p.Memory = -1
	require.ErrorContains(t, p.Check(), "memory of -1 bytes")
}

// What is left out is in the files as it is in memory, and runs of it can be merged.
func TestWhoIsLeftOutIsKept(t *testing.T) {
	p := tiny(limited("small", 50), sound("a"))
	p.Experiments, p.Ops = []string{Cost}, []string{OpPair}
	d, err := Run(t.Context(), p, t.TempDir(), nil, nil)
	require.NoError(t, err)
	require.True(t, d.Complete)
	at := func(n, impl string) *Series { return d.Select(Cost, "impl="+impl, "pending="+n)[0] }
	require.Empty(t, at("10", "small").Note)
	require.Contains(t, at("10", "small").Values, NsPerOp)
	require.Equal(t, "cannot hold 100 timers: limited: too many pending: 50", at("100", "small").Note)
	require.Empty(t, at("100", "a").Note)
}

// Of very many a budget has one block, which nothing is judged by, and a number of blocks is what it is.
func TestVeryManyHaveOneBlockUnlessMoreAreAskedFor(t *testing.T) {
	p := tiny(sound("a"), sound("b"))
	p.Blocks, p.Budget = 0, time.Hour
	require.Equal(t, []int{0, 1}, []int{atMost(0, mostJudged), atMost(0, mostJudged+1)})
	require.Contains(t, implsOf(p.costContestants(mostJudged)), "b"+AgainSuffix)
	require.NotContains(t, implsOf(p.costContestants(mostJudged+1)), "b"+AgainSuffix)
	p.Blocks, p.Budget = 12, 0
	require.Contains(t, implsOf(p.costContestants(mostJudged+1)), "b"+AgainSuffix)
}

func TestOfLargeCountsOnlyPairsAreMeasured(t *testing.T) {
	p := tiny(sound("a"), runtimeTimers())
	p.Every, p.Delays = true, Delays()
	few := map[string]bool{}
	for _, c := range p.Cells() {
		few[c.Name] = true
	}
	p.Large = []int{10_000_000, 100_000_000}
	require.NoError(t, p.Check())
	var more []string
	for _, c := range p.Cells() {
		if !few[c.Name] {
			more = append(more, c.Name)
		}
	}
	require.ElementsMatch(t, []string{
		"cost-10000000-uniform", "cost-100000000-uniform",
	}, more)
	p.Large = []int{MostPending + 1}
	require.ErrorContains(t, p.Check(), "pending count 100000001, want 1 to 100000000")
	p.Large = []int{100}
	require.ErrorContains(t, p.Check(), "pending count 100 is given twice")
}

// Deadlines of very many lie further ahead, by as long as they take to arrive.
func TestAWheelReachesAsFarAsVeryManyTimersDo(t *testing.T) {
	require.Equal(t, longest+time.Minute, costGeometry(OpPair, 1_000_000, longest).Horizon)
	require.Equal(t, 2*time.Minute, costGeometry(OpPair, 1_000_000, time.Minute).Horizon, "a near horizon has fewer slots")
	for _, n := range []int{10_000_000, 100_000_000} {
		arrivals := time.Duration(n+n/2+n) * arrival // made, aged, and replaced
		require.Greater(t, costGeometry(OpPair, n, longest).Horizon, longest+arrivals)
	}
}

func TestALinearInsertIsLeftOutOfVeryMany(t *testing.T) {
	p := tiny(sound("a"), list("b"))
	require.True(t, p.fillTooSlow(MostPending))
	require.True(t, p.tooSlow(MostPending))
}

func TestOnlyALimitIsLeftOut(t *testing.T) {
	c := &competitor{holds: burden{pending: 5}}
	require.False(t, c.leaveOut(errors.Join(errTurn, context.Canceled)))
	require.Empty(t, c.left)
	require.True(t, c.leaveOut(fmt.Errorf("of somebody: %w", &tooMuch{14e9, 9e9})))
	require.Equal(t, "cannot hold 5 timers: of somebody: that would take about 14 GB of memory, and 9 GB are available", c.left)
}
