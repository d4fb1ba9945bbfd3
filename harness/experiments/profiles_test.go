package experiments

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/internal/replay"
	"schedbench/schedulers"
	"schedbench/workload"
	"schedbench/workload/workloadtest"
)

func recording(ops []workload.Op) *workloadtest.Stream {
	return &workloadtest.Stream{Ops: ops, AtOnce: 100}
}

func workloadOf(name string, ops []workload.Op) workload.Source {
	return workload.Source{
		Name: name, Tick: time.Millisecond, Version: fmt.Sprint(len(ops)),
		Open: func(workload.Options) (workload.Stream, error) { return recording(ops), nil },
	}
}

// program begins with 50 timers and sets one in each step, cancels two thirds, and resets some.
func program(steps int) (ops []workload.Op) {
	r := rand.New(rand.NewPCG(1, 2))
	delay := func() time.Duration { return time.Duration(r.Int64N(int64(20 * time.Millisecond))) }
	for i := range 50 {
		ops = append(ops, workload.Op{Kind: workload.Schedule, Timer: uint32(i), Delay: delay()})
	}
	at := time.Duration(0)
	for i := range steps {
		at += time.Duration(1 + r.IntN(int(200*time.Microsecond)))
		ops = append(ops, workload.Op{At: at, Kind: workload.Schedule, Timer: uint32(50 + i), Delay: delay()})
		if i%3 > 0 {
			ops = append(ops, workload.Op{At: at, Kind: workload.Cancel, Timer: uint32(r.IntN(50 + i))})
		}
		if i%5 == 0 {
			ops = append(ops, workload.Op{At: at, Kind: workload.Reset, Timer: uint32(50 + i), Delay: delay()})
		}
	}
	return ops
}

func SampleWorkload() workload.Source { return workloadOf("program", program(200)) }

func replayPlan(w workload.Source, contestants ...harness.Contestant) *harness.Plan {
	p := tiny(contestants...)
	p.Experiments, p.Profiles, p.ReplayAll = []string{rundata.Profiles}, []workload.Source{w}, true
	return p
}

// replayed measures the cell of a plan of one workload, and returns the series by contestant.
func replayed(t *testing.T, p *harness.Plan) (map[string]*rundata.Series, error) {
	t.Helper()
	s := sessionOf(t, p)
	cells := p.Cells()
	require.Len(t, cells, 1)
	series, err := allBlocks(s, cells[0])
	byName := map[string]*rundata.Series{}
	for _, one := range series {
		byName[one.Get("impl")] = one
		for unit, values := range one.Values {
			require.Len(t, values, len(one.Iterations), "%s of %s", unit, one.Name())
		}
	}
	return byName, err
}

func TestAProfileIsReplayedToItsEndInSlices(t *testing.T) {
	ops := program(1000)
	p := replayPlan(workloadOf("mine", ops), sound("a"), sound("b"))
	p.Rounds = 7
	got := must.Get(replayed(t, p))(t)
	require.Len(t, got, 4, "the control, the two, and one again")
	model := must.Get(replay.NewModel(time.Millisecond))(t)
	require.NoError(t, model.Play(ops))
	model.RunOut()
	want := model.Answer()
	for _, name := range []string{"a", "b", "b-again"} {
		s := got[name]
		require.Equal(t, "Profiles/profile=mine/impl="+name+"/tick=1ms", s.Name())
		require.Empty(t, s.Note)
		require.Len(t, s.Iterations, p.Blocks*7)
		require.Len(t, s.Blocks(rundata.NsPerOp), p.Blocks, "each with a scheduler of its own")
		require.Equal(t, len(ops)-50, sumOf(s.Iterations[:7]), "what it begins with is off the clock")
		require.Equal(t, float64(len(ops)), s.Values[rundata.TotalOps][0])
		require.Equal(t, float64(want.Fired), s.Values[rundata.TotalFired][0])
		require.Equal(t, float64(want.Granted), s.Values[rundata.TotalGranted][6])
		require.Equal(t, float64(want.Refused), s.Values[rundata.TotalRefused][0])
		require.Equal(t, float64(want.Hash&(1<<48-1)), s.Values[rundata.AnswerBits][0])
		require.Positive(t, s.Values[rundata.WakeupsPerVirtual][0])
		require.Contains(t, s.Values, rundata.VisitsPerOp)
	}
	require.Empty(t, got[rundata.EmptyControl].Note, "its answers mean nothing")
}

func TestOnlySomeOperationsAreReplayedIfThePlanSaysSo(t *testing.T) {
	p := replayPlan(workloadOf("mine", program(1000)), sound("a"))
	p.ReplayAll, p.Epoch, p.Rounds = false, 100*time.Microsecond, 1 // of 1000 operations
	got := must.Get(replayed(t, p))(t)
	require.Equal(t, []int{1000, 1000}, got["a"].Iterations, "a round in each block")
	require.Equal(t, 1050.0, got["a"].Values[rundata.TotalOps][0])
}

func TestSamplesAreOfTheSteadyState(t *testing.T) {
	ops := program(1000)
	w := workloadOf("mine", ops)
	w.Steady = 50 * time.Millisecond
	got := must.Get(replayed(t, replayPlan(w, sound("a"))))(t)
	later := lists.Only(ops, func(op workload.Op) bool { return op.At > w.Steady })
	require.Equal(t, len(later), got["a"].Iterations[0]+got["a"].Iterations[1])
	require.Equal(t, float64(len(ops)), got["a"].Values[rundata.TotalOps][0])
}

func TestAStreamOfItsBeginningOnlyIsMeasured(t *testing.T) {
	p := replayPlan(workloadOf("mine", program(0)), sound("a"))
	got := must.Get(replayed(t, p))(t)
	require.Equal(t, []int{25, 25, 25, 25}, got["a"].Iterations)
	require.Equal(t, 50.0, got["a"].Values[rundata.TotalFired][0])
}

func TestABrokenStreamFailsTheCell(t *testing.T) {
	source := errors.New("no such stream")
	backwards := []workload.Op{{At: 2, Kind: workload.Schedule}, {At: 1, Kind: workload.Schedule}}
	for name, c := range map[string]struct {
		open func(n int) (workload.Stream, error)
		want string
	}{
		"cannot be opened": {func(int) (workload.Stream, error) { return nil, source }, "mine: no such stream"},
		"is empty":         {func(int) (workload.Stream, error) { return recording(nil), nil }, "no operation"},
		"is not one":       {func(int) (workload.Stream, error) { return workloadtest.Stalled{}, nil }, "nothing and no error"},
		"runs backwards":   {func(int) (workload.Stream, error) { return recording(backwards), nil }, "operation 1: time 1ns"},
		"is shorter later": {func(n int) (workload.Stream, error) { return recording(program(100 - 10*n)), nil }, "had 236 the first time"},
		"cannot open again": {func(n int) (workload.Stream, error) {
			return recording(program(100)), []error{nil, source}[n]
		}, "no such stream"},
	} {
		t.Run(name, func(t *testing.T) {
			w, n := workloadOf("mine", nil), 0
			w.Open = func(workload.Options) (workload.Stream, error) { n++; return c.open(n - 1) }
			_, err := replayed(t, replayPlan(w, sound("a")))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestStreamsAreClosed(t *testing.T) {
	closed := 0
	w := workloadOf("mine", nil)
	w.Open = func(workload.Options) (workload.Stream, error) {
		return &workloadtest.Stream{Ops: program(100), Closed: &closed}, nil
	}
	must.Get(replayed(t, replayPlan(w, sound("a"))))(t)
	require.Equal(t, 2*2, closed, "the survey's and the replay's, in each block")
}

func TestAnInterruptedReplayIsNoCell(t *testing.T) {
	p := replayPlan(workloadOf("mine", program(1000)), sound("a"))
	_, err := p.Cells()[0].Measure(sessionIn(ended(t), p))
	require.ErrorIs(t, err, ended(t).Err())
}

func TestWithoutASchedulerThereIsNoProfileCell(t *testing.T) {
	p := replayPlan(workloadOf("mine", program(300)), runtimeTimers())
	require.Empty(t, p.Cells())
}

func TestTheTimeOfAProfileIsEstimated(t *testing.T) {
	w := workloadOf("mine", nil)
	w.Ops, w.Pending = 1_000_000, 100_000
	p := replayPlan(w, sound("a"))
	long := p.Time()
	require.Positive(t, long)
	p.ReplayAll = false
	require.Less(t, p.Time(), long)
	p.ReplayAll, p.ReplayLimit = true, time.Microsecond
	require.Less(t, p.Time(), long)
}

// TestAContestantThatIsWrongIsOut has one contestant with a fault; the other is measured nevertheless.
func TestAContestantThatIsWrongIsOut(t *testing.T) {
	for name, c := range map[string]struct {
		faults faulty[uint64]
		says   string
	}{
		"loses one late": {faulty[uint64]{expire: func(s schedulers.Scheduler[uint64], now time.Duration, due []uint64) int {
			n := s.Expire(now, due)
			if now > 50*time.Millisecond && n > 0 {
				n--
			}
			return n
		}}, " fired, "},
		"grants all": {faulty[uint64]{cancel: func(s schedulers.Scheduler[uint64], id schedulers.ID) bool {
			s.Cancel(id)
			return true
		}}, "granted"},
		"lies about its length": {faulty[uint64]{length: func(schedulers.Scheduler[uint64]) int { return 3 }}, "pending"},
		"breaks its contract":   {faulty[uint64]{expire: func(schedulers.Scheduler[uint64], time.Duration, []uint64) int { return -1 }}, "returned -1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := replayPlan(workloadOf("mine", program(1000)), broken(c.faults), sound("a"))
			p.Rounds = 5
			got := must.Get(replayed(t, p))(t)
			s := got["broken"]
			require.Equal(t, rundata.Wrong, s.State())
			require.Contains(t, s.Note, c.says)
			require.Contains(t, s.Note, `; run "bench verify", which names the broken rule`)
			require.Len(t, s.Iterations, p.Blocks*5, "as many samples as the others, for the file")
			require.NotContains(t, s.Values, rundata.NsPerOp)
			require.Empty(t, got["a"].Note)
			require.Contains(t, got["a"].Values, rundata.NsPerOp)
		})
	}
}

func TestTheSeriesOfAContestantThatCannotHoldAWorkloadSaysWhy(t *testing.T) {
	refusing := broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], d time.Duration, v uint64) (schedulers.ID, error) {
		if s.Len() == 60 {
			return 0, fmt.Errorf("broken: %w: 60", schedulers.ErrFull)
		}
		return s.Schedule(d, v)
	}})
	short := harness.Contestant{Name: "short", New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return nearby{heapsched.New[uint64]()}, nil
	}}
	w := workloadOf("mine", program(1000))
	w.Horizon = time.Hour
	got := must.Get(replayed(t, replayPlan(w, refusing, short, failing(), sound("a"))))(t)
	for name, says := range map[string]string{
		"broken":  "cannot hold operation ",
		"short":   "cannot hold delays of 1h0m0s: with a tick of 1ms it reaches 1m0s ahead",
		"failing": "cannot hold delays of 1h0m0s with a tick of 1ms: fake failure",
	} {
		require.Equal(t, rundata.CannotHold, got[name].State())
		require.Contains(t, got[name].Note, says)
		require.NotContains(t, got[name].Values, rundata.NsPerOp)
	}
	require.Contains(t, got["a"].Values, rundata.NsPerOp)
	require.Zero(t, got["short"].Values[rundata.TotalOps][0], "before anything is measured")
}

type nearby struct{ schedulers.Scheduler[uint64] }

func (nearby) Horizon() time.Duration { return time.Minute }

func lazy() harness.Contestant {
	return broken(noting[uint64](func() { time.Sleep(time.Millisecond) }))
}

func TestAContestantThatTakesTooLongGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := replayPlan(workloadOf("mine", program(20_000)), lazy(), sound("a"))
		p.ReplayLimit, p.Rounds = 5*time.Second, 6
		got := must.Get(replayed(t, p))(t)
		s := got["broken"]
		require.Equal(t, rundata.GaveUp, s.State())
		require.Regexp(t, `^gave up after 5s with \d+ of 37383 operations done, at .*; its answers to the first 6273 are right$`, s.Note)
		require.NotContains(t, s.Values, rundata.NsPerOp)
		require.InDelta(t, 8000, s.Values[rundata.TotalOps][0], 1500)
		require.Contains(t, got["a"].Values, rundata.NsPerOp)

		p.Contestants[0].LinearInsert, p.ListCell = true, 2*time.Second
		got = must.Get(replayed(t, p))(t)
		require.Contains(t, got["broken"].Note, "gave up after 2s", "a list has its own limit")
	})
}

// Who gave up in one block is out of the cell, and the next blocks do without.
func TestAContestantThatGaveUpStaysOut(t *testing.T) {
	p, dir := replayPlan(workloadOf("mine", program(2_000)), lazy(), sound("a")), t.TempDir()
	p.ReplayLimit = 20 * time.Millisecond
	require.Equal(t, rundata.GaveUp, must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t).Select(rundata.Profiles, "impl=broken")[0].State())
	for block, tried := range []bool{true, false} {
		require.Equal(t, tried, strings.Contains(textOfBlock(t, dir, block), "impl=broken"))
	}
}

func textOfBlock(t *testing.T, dir string, block int) string {
	return string(must.Get(rundata.ReadText(filepath.Join(dir, fmt.Sprintf("block-%02d.bench.gz", block))))(t))
}

// The order changes where contestants lie in memory: in one and the same, the last was ahead of itself in each block.
func TestContestantsBeginAReplayInAnotherOrderInEachBlock(t *testing.T) {
	var made []string
	noted := func(name string) harness.Contestant {
		c := sound(name)
		of := c.New
		c.New = func(g harness.Geometry) (schedulers.Scheduler[uint64], error) {
			made = append(made, name)
			return of(g)
		}
		return c
	}
	all := []harness.Contestant{noted("a"), noted("b"), noted("c"), noted("d")}
	w := workloadOf("mine", program(500))
	orders := map[string]bool{}
	for block := range 8 {
		s := sessionOf(t, replayPlan(w, all...))
		s.First, made = block, nil
		turns := must.Get(profile(s, w, variantsOf(all, nil)))(t)
		orders[strings.Join(made, "")] = true
		require.Equal(t, []string{"a", "b", "c", "d"}, lists.Each(turns, func(c *harness.Turns) string { return c.Series.Get("impl") }))
		turns[0].Done()
	}
	require.Greater(t, len(orders), 4)
}
