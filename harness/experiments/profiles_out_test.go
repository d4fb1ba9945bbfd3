package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/heapsched"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

// TestWhoIsWrongIsOut has one contestant with a fault, which is explained; the
// other is measured nevertheless.
func TestWhoIsWrongIsOut(t *testing.T) {
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
		}}, "and has not"},
		"grants all": {faulty[uint64]{cancel: func(s schedulers.Scheduler[uint64], id schedulers.ID) bool {
			s.Cancel(id)
			return true
		}}, "granted"},
		"lies about its length": {faulty[uint64]{length: func(schedulers.Scheduler[uint64]) int { return 3 }}, "pending"},
		"breaks its contract": {faulty[uint64]{expire: func(schedulers.Scheduler[uint64], time.Duration, []uint64) int {
			return -1
		}}, "returned -1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := replayPlan(workloadOf("mine", program(1, 1000)), broken(c.faults), sound("a"))
			p.Rounds = 5
			got := must.Get(replayed(t, p))(t)
			s := got["broken"]
			require.Equal(t, rundata.Wrong, s.State())
			require.Contains(t, s.Note, c.says)
			require.Contains(t, s.Note, "operation ")
			require.Len(t, s.Iterations, p.Blocks*5, "as many samples as the others, for the file")
			require.NotContains(t, s.Values, rundata.NsPerOp)
			require.Empty(t, got["a"].Note)
			require.Contains(t, got["a"].Values, rundata.NsPerOp)
		})
	}
}

func TestAFaultThatIsNotThereAgainIsSaid(t *testing.T) {
	made := 0
	c := harness.Contestant{Name: "moody", New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		made++
		f := &faulty[uint64]{Scheduler: heapsched.New[uint64]()}
		if made == 1 {
			f.cancel = func(s schedulers.Scheduler[uint64], id schedulers.ID) bool { s.Cancel(id); return false }
		}
		return f, nil
	}}
	got := must.Get(replayed(t, replayPlan(workloadOf("mine", program(1, 100)), sound("a"), c, sound("b"))))(t)
	require.Equal(t, rundata.Wrong, got["moody"].State())
	require.Contains(t, got["moody"].Note, "a second replay was right")
}

func TestWhoCannotHoldAWorkloadSaysWhy(t *testing.T) {
	refusing := broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], d time.Duration, v uint64) (schedulers.ID, error) {
		if s.Len() == 60 {
			return 0, fmt.Errorf("broken: %w: 60", schedulers.ErrFull)
		}
		return s.Schedule(d, v)
	}})
	short := harness.Contestant{Name: "short", New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
		return nearby{heapsched.New[uint64]()}, nil
	}}
	w := workloadOf("mine", program(1, 1000))
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

// nearby reaches a minute ahead.
type nearby struct{ schedulers.Scheduler[uint64] }

func (nearby) Horizon() time.Duration { return time.Minute }

func TestWhoTakesTooLongGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lazy := broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], d time.Duration, v uint64) (schedulers.ID, error) {
			time.Sleep(time.Millisecond)
			return s.Schedule(d, v)
		}})
		p := replayPlan(workloadOf("mine", program(1, 20_000)), lazy, sound("a"))
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
func TestWhoGaveUpDoesNotTryAgain(t *testing.T) {
	lazy := broken(faulty[uint64]{schedule: func(s schedulers.Scheduler[uint64], d time.Duration, v uint64) (schedulers.ID, error) {
		time.Sleep(time.Millisecond)
		return s.Schedule(d, v)
	}})
	p, dir := replayPlan(workloadOf("mine", program(1, 2_000)), lazy, sound("a")), t.TempDir()
	p.ReplayLimit = 20 * time.Millisecond
	require.Equal(t, rundata.GaveUp, must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t).Select(rundata.Profiles, "impl=broken")[0].State())
	for block, tried := range []bool{true, false} {
		require.Equal(t, tried, strings.Contains(string(must.Get(rundata.ReadText(filepath.Join(dir, fmt.Sprintf("block-%02d.bench.gz", block))))(t)), "impl=broken"))
	}
}
