package experiments

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

func afterwards[T any](n int) func(schedulers.Scheduler[T], time.Duration, T) (schedulers.ID, error) {
	return func(s schedulers.Scheduler[T], deadline time.Duration, value T) (schedulers.ID, error) {
		if s.Len() >= n {
			return 0, errFake
		}
		return s.Schedule(deadline, value)
	}
}

func never(bareScheduler, schedulers.ID) bool { return false }

// losing, doubling and keeping hand out the first that is due not at all, twice, and without forgetting it.
func losing(s bareScheduler, now time.Duration, due []uint64) int {
	n := s.Expire(now, due)
	return copy(due, due[min(n, 1):n])
}

func doubling(s bareScheduler, now time.Duration, due []uint64) int {
	n := s.Expire(now, due[:len(due)-1])
	if n > 0 {
		due[n] = due[0]
		n++
	}
	return n
}

func keeping(s bareScheduler, now time.Duration, due []uint64) int {
	n := s.Expire(now, due)
	if n > 0 {
		_, _ = s.Schedule(now+time.Hour, due[0])
	}
	return n
}

func TestCostCellsCatchWrongAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     string
		faults faulty[uint64]
		want   string
	}{
		{"a pending timer is not cancelled", rundata.OpPair, faulty[uint64]{cancel: never}, "gave a wrong answer"},
		{"nor to be replaced", rundata.OpReset, faulty[uint64]{cancel: never}, "gave a wrong answer"},
		{"nor after insertion", rundata.OpInsert, faulty[uint64]{cancel: never}, "gave a wrong answer"},
		{"a timer is refused", rundata.OpPair, faulty[uint64]{schedule: afterwards[uint64](3)}, "insertions failed"},
		{"a timer too many is refused", rundata.OpInsert, faulty[uint64]{schedule: afterwards[uint64](10)}, "gave a wrong answer"},
		{"the count is wrong", rundata.OpPair, faults()["the count"], "11 are pending, want 10"},
		{"a timer is there twice", rundata.OpPair, faults()["doubled"], "are pending, want 10"},
		{"a timer comes out of an idle tick", rundata.OpTick, faulty[uint64]{expire: func(bareScheduler, time.Duration, []uint64) int { return 1 }}, "gave a wrong answer"},
		{"a timer is lost when it is due", rundata.OpExpire, faulty[uint64]{expire: losing}, "are pending, want 10"},
		{"a timer never comes due", rundata.OpExpire, faulty[uint64]{expire: func(bareScheduler, time.Duration, []uint64) int { return 0 }}, "gave a wrong answer"},
		{"a timer comes out twice", rundata.OpExpire, faulty[uint64]{expire: doubling}, "gave a wrong answer"},
		{"a timer is kept when it is handed out", rundata.OpExpire, faulty[uint64]{expire: keeping}, "gave a wrong answer"},
		{"another timer comes out", rundata.OpExpire, faults()["another"], "gave a wrong answer"},
	} {
		experiments := []string{rundata.Cost}
		if c.op == rundata.OpPair { // which weighs timers too
			experiments = append(experiments, rundata.Memory)
		}
		for _, experiment := range experiments {
			t.Run(experiment+" "+c.name, func(t *testing.T) {
				_, err := runOnly(t, tiny(sound("a"), broken(c.faults)), experiment, c.op)
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, "broken")
			})
		}
	}
}

// What is done at once is no part of a sample: to make room beyond the population, and to bring a wheel to its first timer.
func TestWhatIsDoneOnceIsOffTheClock(t *testing.T) {
	const n = 100
	most, done := 0, uint64(0)
	once := faulty[uint64]{
		schedule: func(s bareScheduler, deadline time.Duration, value uint64) (schedulers.ID, error) {
			most = max(most, s.Len()+1)
			return s.Schedule(deadline, value)
		},
		expire: func(s bareScheduler, now time.Duration, due []uint64) int {
			done = 1 // by the first call
			return s.Expire(now, due)
		},
		work: func() schedulers.Work { return schedulers.Work{Cascades: done} },
	}
	c := must.Get(cost("cell", []string{rundata.OpInsert, rundata.OpExpire}, n, "uniform")(sessionOf(t, tiny(sound("a")))))(t)(variant{Contestant: broken(once)})
	require.NoError(t, c.Build())
	require.Equal(t, n+insertedAtOnce(n), most)
	_, _, err := c.Turn(0)
	require.NoError(t, err)
	require.Equal(t, n+insertedAtOnce(n), most)
	require.Equal(t, []float64{0}, c.Also[0].Values[rundata.CascadesPerOp])
	require.NotZero(t, done)
}

func TestACellThatCannotBeginFreesWhatItHolds(t *testing.T) {
	for _, op := range rundata.Ops() { // the drivers of the first two must not outlive the test: see TestMain
		_, err := runOnly(t, tiny(sound("a"), runtimeTimers(), failing()), rundata.Cost, op)
		require.ErrorIs(t, err, errFake, op)
		second := broken(faulty[uint64]{schedule: afterwards[uint64](3)})
		if op == rundata.OpLivePair {
			second = brokenLive(faulty[driver.Task]{schedule: afterwards[driver.Task](3)})
		}
		_, err = runOnly(t, tiny(sound("a"), second), rundata.Cost, op)
		require.ErrorContains(t, err, "broken", op)
	}
}

func TestLiveCellsCatchWrongAnswers(t *testing.T) {
	usual := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a queue finds out later that a timer is refused, and says so
	defer slog.SetDefault(usual)
	calls := 0
	refused, most := afterwards[driver.Task](3), afterwards[driver.Task](20)
	for _, c := range []struct {
		experiment string
		broken     harness.Contestant
		want       string
	}{
		{rundata.Cost, brokenLive(faulty[driver.Task]{schedule: func(s liveScheduler, deadline time.Duration, value driver.Task) (schedulers.ID, error) {
			if calls++; calls > 50 {
				return 0, errFake
			}
			return s.Schedule(deadline, value)
		}}), "gave a wrong answer"},
		{rundata.Parallel, brokenLive(faulty[driver.Task]{schedule: refused}), ""},
		{rundata.Parallel, brokenLive(faulty[driver.Task]{length: func(liveScheduler) int { return 1 }}), "holds 1 values"},
		{rundata.Drain, brokenLive(faulty[driver.Task]{schedule: refused}), errFake.Error()},
		{rundata.Tails, brokenLive(faulty[driver.Task]{schedule: most}), ""},
		{rundata.Tails, failing(), errFake.Error()},
		{rundata.Flood, brokenTimers(stoppedButDenied), "wrong answer"},
	} {
		t.Run(c.experiment+" "+c.want, func(t *testing.T) {
			p := tiny(c.broken)
			p.Drain = 10
			_, err := runOnly(t, p, c.experiment, rundata.OpLivePair)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "impl="+c.broken.Name)
		})
	}
}

func TestACostCellHasASampleARoundOfEveryone(t *testing.T) {
	for _, op := range []string{rundata.OpPair, rundata.OpInsert, rundata.OpReset, rundata.OpExpire, rundata.OpTick} {
		t.Run(op, func(t *testing.T) {
			p := tiny(sound("a"), list("b"), runtimeTimers())
			series := must.Get(runOnly(t, p, rundata.Cost, op))(t)
			for _, s := range series {
				require.Len(t, s.Iterations, p.Blocks*p.Rounds, s.Name())
				require.Len(t, s.Blocks(rundata.NsPerOp), p.Blocks, s.Name())
				require.Equal(t, op, s.Get("op"))
				require.Positive(t, s.Iterations[0])
			}
			require.Equal(t, []string{rundata.EmptyControl, "a", "b", "b" + rundata.AASuffix}, rundata.Distinct(series, "impl"),
				"bare schedulers alone, and one of them a second time")
		})
	}
}

// Operations that share populations are rotated, for all contestants alike.
func TestAllContestantsDoTheSameWork(t *testing.T) {
	p := tiny(sound("a"), sound("b"), standIn("wheel-for-all"))
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpPair, rundata.OpInsert, rundata.OpReset}
	cells := costCells(p)
	require.Len(t, cells, len(p.Pending))
	for _, cell := range cells {
		d := &rundata.Data{Series: must.Get(allBlocks(sessionOf(t, p), cell))(t)}
		for _, op := range p.Ops {
			a := d.Select(rundata.Cost, "op="+op, "impl=a")[0]
			require.Equal(t, []int{0, 0, 1, 1}, a.Block)
			for _, impl := range []string{"b", "wheel-for-all", "wheel-for-all" + rundata.AASuffix} {
				s := d.Select(rundata.Cost, "op="+op, "impl="+impl)[0]
				require.Equal(t, a.Values[rundata.VisitsPerOp], s.Values[rundata.VisitsPerOp], s.Name())
				require.Equal(t, a.Values[rundata.MovesPerOp], s.Values[rundata.MovesPerOp], s.Name())
				require.Equal(t, a.Iterations, s.Iterations, s.Name())
			}
		}
	}
}

func TestARoughPlanHasAsManyOperations(t *testing.T) {
	p := tiny(sound("a"))
	p.Pending, p.Blocks = []int{100}, 1
	rough := must.Get(runOnly(t, p, rundata.Cost, rundata.OpPair))(t)
	p.Rough = false
	series := must.Get(runOnly(t, p, rundata.Cost, rundata.OpPair))(t)
	require.Len(t, series, len(rough))
	for i, s := range series {
		require.Equal(t, rough[i].Name(), s.Name())
		require.Equal(t, rough[i].Block, s.Block, s.Name())
		require.Equal(t, rough[i].Iterations, s.Iterations, s.Name())
	}
}

func TestDelaysLieWithinTheHorizon(t *testing.T) {
	for _, name := range Delays() {
		draw, horizon, err := delayOf(name)
		require.NoError(t, err)
		r := seeded(1)
		for range 10_000 {
			delay := draw(r)
			require.GreaterOrEqual(t, delay, shortest, name)
			require.LessOrEqual(t, delay, horizon, name)
		}
	}
}

func TestReplacementsPickFromAllTimers(t *testing.T) {
	const n = 7
	sc := newReplacements(1000)
	sc.draw(seeded(1), n, uniform(time.Second, time.Minute))
	picked := map[uint32]bool{}
	for i, p := range sc.picks {
		picked[p] = true
		require.Less(t, p, uint32(n))
		require.GreaterOrEqual(t, sc.delays[i], time.Second)
		require.Less(t, sc.delays[i], time.Minute)
	}
	require.Len(t, picked, n)
}

func TestWhatTheCachesCannotHoldIsNotWarmed(t *testing.T) {
	for n, warm := range map[int]int{distributed: distributed, 2 * distributed: replacedAtOnce} {
		scheduled := 0
		counts := broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], deadline time.Duration, value uint64) (schedulers.ID, error) {
			scheduled++
			return s.Schedule(deadline, value)
		}})
		c := must.Get(cost("cell", []string{rundata.OpPair}, n, "uniform")(sessionOf(t, tiny(counts))))(t)(variant{Contestant: counts})
		require.NoError(t, c.Build())
		scheduled = 0
		_, _, err := c.Turn(0)
		require.NoError(t, err)
		parts := (warm + replacedAtOnce - 1) / replacedAtOnce
		require.Equal(t, parts*replacedAtOnce+c.Series.Iterations[0], scheduled)
	}
}
