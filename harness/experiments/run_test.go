package experiments_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
)

// tiny returns a plan of everything, as small as can be, for some contestants of the catalog, or all.
func tiny(t *testing.T, names ...string) *harness.Plan {
	t.Helper()
	contestants := catalog.All()
	if len(names) > 0 {
		contestants = must.Get(catalog.Find(names))(t)
	}
	return experiments.TinyPlan(contestants...)
}

type reported struct{ blocks, cells []string }

func (p *reported) progress(s harness.Step) {
	p.blocks = append(p.blocks, s.Name)
	p.cells = append(p.cells, s.Cells...)
}

func measure(t *testing.T, p *harness.Plan, dir string) (*rundata.Data, reported) {
	t.Helper()
	var seen reported
	d := must.Get(harness.Run(t.Context(), p, dir, []rundata.Param{{Key: "command", Value: "the test"}}, seen.progress))(t)
	return d, seen
}

func TestARunMeasuresEveryCell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("idle cells need Linux")
	}
	p := tiny(t, "heapsched", "hierwheel", "time.AfterFunc")
	long := []string{rundata.Drain, rundata.Flood, rundata.Slow} // tests of their own run them
	p.Experiments = slices.DeleteFunc(p.Experiments, func(e string) bool { return slices.Contains(long, e) })
	dir := filepath.Join(t.TempDir(), "new", "data")
	d, seen := measure(t, p, dir)
	require.True(t, d.Complete)
	require.Subset(t, seen.cells, lists.Each(p.Cells(), func(c harness.Cell) string { return c.Name }))
	for _, block := range seen.blocks {
		require.FileExists(t, filepath.Join(dir, block+".bench.gz"))
	}
	for _, e := range rundata.ExperimentNames() {
		require.Equal(t, slices.Contains(long, e), len(d.Select(e)) == 0, e)
	}
	for _, s := range d.Series {
		require.Equal(t, []int{0, 1}, slices.Compact(slices.Clone(s.Block)), s.Name())
	}
	touched := d.Select(rundata.Control, "what=first-touch")
	require.Len(t, touched, 1, "memory is faulted in, and its price shown")
	require.Positive(t, touched[0].Values[rundata.NsPerOp][0])
	for _, a := range d.SystemLoad {
		require.Positive(t, a.Took)
	}
	require.Equal(t, "the test", d.Env["command"])
	require.Equal(t, "1", d.Env["seed"])
	for _, s := range d.Select(rundata.Jitter) {
		experiments.NotEarlyOrTwice(t, s)
	}

	again, seen := measure(t, p, dir)
	require.Empty(t, seen.blocks, "nothing is measured twice")
	require.Equal(t, d.Env, again.Env)
	require.Equal(t, len(d.Series), len(again.Series))
	for i, s := range d.Series {
		require.Equal(t, s.Name(), again.Series[i].Name())
		require.Equal(t, s.Values, again.Series[i].Values)
	}
}

func TestARemovedBlockIsMeasuredAgain(t *testing.T) {
	p, dir := insertPlan(t), t.TempDir()
	before, _ := measure(t, p, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "block-00.bench.gz")))
	d, seen := measure(t, p, dir)
	require.True(t, d.Complete)
	require.Equal(t, []string{"block-02"}, seen.blocks, "under another number")
	for i, s := range d.Series {
		require.True(t, math.IsNaN(s.Blocks(rundata.NsPerOp)[0]))
		require.Equal(t, before.Series[i].Blocks(rundata.NsPerOp)[1], s.Blocks(rundata.NsPerOp)[1])
	}
}

func TestAFolderHoldsOnePlanOnly(t *testing.T) {
	p := tiny(t, "heapsched")
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{"insert"}
	dir := t.TempDir()
	measure(t, p, dir)
	p.Seed++
	_, err := harness.Run(t.Context(), p, dir, nil, new(reported).progress)
	require.ErrorIs(t, err, rundata.ErrOtherPlan)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "the test", "which command made it")

	// Blocks of no known plan are not taken over.
	require.NoError(t, os.Remove(filepath.Join(dir, "run.bench")))
	var seen reported
	_, err = harness.Run(t.Context(), p, dir, nil, seen.progress)
	require.ErrorIs(t, err, rundata.ErrOtherPlan)
	require.ErrorContains(t, err, "block-00.bench.gz")
	require.Empty(t, seen.blocks)
	require.NoFileExists(t, filepath.Join(dir, "run.bench"))
}

func TestARunRefusesWhatItCannotDo(t *testing.T) {
	file, damaged := filepath.Join(t.TempDir(), "file"), t.TempDir()
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, "run.bench"), []byte("garbage\n"), 0o644))
	good, bad, none := tiny(t, "heapsched"), tiny(t, "heapsched"), tiny(t, "heapsched")
	bad.Rounds, none.Experiments = 0, nil
	for _, c := range []struct {
		plan      *harness.Plan
		dir, want string
	}{
		{bad, t.TempDir(), "Rounds 0"},
		{none, t.TempDir(), "nothing to measure"},
		{good, file, file},
		{good, filepath.Join(file, "below"), file},
		{good, damaged, "run.bench:1: "},
	} {
		var seen reported
		_, err := harness.Run(t.Context(), c.plan, c.dir, nil, seen.progress)
		require.ErrorContains(t, err, c.want)
		require.Empty(t, seen.blocks, c.want)
	}
}

func TestUnfinishedFindsTheRunsOfThePlan(t *testing.T) {
	p := tiny(t, "heapsched")
	p.Experiments = []string{rundata.Cost}
	other := *p
	other.Seed++
	parent := t.TempDir()
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	begin := func(name string, p *harness.Plan, age time.Duration) {
		dir := filepath.Join(parent, name)
		_, err := harness.Run(stop, p, dir, nil, new(reported).progress)
		require.ErrorIs(t, err, context.Canceled)
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(filepath.Join(dir, "run.bench"), at, at))
	}
	found := func(pattern string, p *harness.Plan) []string {
		return lists.Each(rundata.Unfinished(filepath.Join(parent, pattern), p.Fingerprint()), func(b rundata.Begun) string { return filepath.Base(b.Dir) })
	}
	require.Empty(t, found("*", p), "there is none yet")
	begin("old", p, 2*time.Hour)
	begin("new", p, time.Hour)
	begin("other", &other, 0)
	require.NoError(t, os.Mkdir(filepath.Join(parent, "zebra"), 0o755))
	require.Equal(t, []string{"new", "old"}, found("*", p), "the latest first")
	require.Equal(t, []string{"other"}, found("*", &other))
	require.Empty(t, found("[", p), "a bad pattern matches nothing")
}

func TestEveryContestantHandsOutWhatIsDue(t *testing.T) {
	p := tiny(t)
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpExpire}
	p.Pending = []int{1, 2, 17, 1000, 5000}
	p.ListCell = time.Hour // for lists
	d, _ := measure(t, p, t.TempDir())
	for _, c := range catalog.All() {
		if c.New != nil {
			require.Len(t, d.Select(rundata.Cost, "op="+rundata.OpExpire, "impl="+c.Name), len(p.Pending), c.Name)
		}
	}
}

func TestEveryContestantAnswersRightInEveryCostCell(t *testing.T) {
	p := tiny(t)
	p.Experiments, p.Delays, p.Full, p.Blocks = []string{rundata.Cost, rundata.Memory}, experiments.Delays(), true, 1
	d, _ := measure(t, p, t.TempDir())
	for _, c := range catalog.All() {
		require.NotEmpty(t, d.Select(rundata.Cost, "impl="+c.Name), c.Name)
		require.NotEmpty(t, d.Select(rundata.Memory, "impl="+c.Name), c.Name)
	}
	for _, delay := range experiments.Delays() {
		require.NotEmpty(t, d.Select(rundata.Cost, "op="+rundata.OpPair, "delay="+delay), delay)
	}
}

// TestEveryContestantFiresEachTimerOnceAndNotEarly runs in virtual time: lateness is rounding.
func TestEveryContestantFiresEachTimerOnceAndNotEarly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := tiny(t)
		p.Experiments, p.Full = []string{rundata.Jitter}, true
		p.Ticks = []time.Duration{time.Millisecond, 25 * time.Millisecond}
		p.Slice = 2 * time.Second
		d, _ := measure(t, p, dir)
		for _, c := range append(catalog.Contestants(), harness.Contestant{Name: "time.AfterFunc", Runtime: true}) {
			ways := 1 + len(p.Ticks)
			if c.Runtime {
				ways = 1
			}
			require.Len(t, d.Select(rundata.Jitter, "impl="+c.Name, "waiting=", "delays="), ways, c.Name)
			require.Len(t, d.Select(rundata.Jitter, "impl="+c.Name, "delays="+rundata.ShortDelays), 1, c.Name)
		}
		for _, s := range d.Select(rundata.Jitter) {
			total := 0
			for _, n := range s.Iterations {
				total += n
			}
			experiments.NotEarlyOrTwice(t, s)
			require.EqualValues(t, total, s.Late.TotalCount(), "none was lost: %s", s.Name())
			require.Zero(t, s.Early.TotalCount(), s.Name())
			require.LessOrEqual(t, time.Duration(s.Late.Max()), latest(t, s), s.Name())
		}
	})
}

// latest returns how late a timer may be: two ticks, one for rounding up and one for the next waking.
func latest(t *testing.T, s *rundata.Series) time.Duration {
	t.Helper()
	switch waking := s.Get("waking"); waking {
	case rundata.Tickless:
		return 21 * time.Microsecond // the finest tick, as a histogram reads it
	case rundata.RuntimeWaking, rundata.NoWaking:
		return 1
	default:
		return 2 * must.Get(time.ParseDuration(waking))(t) * 1001 / 1000
	}
}
