package experiments

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/must"
	"schedbench/schedulers"
)

var plansOfProcesses = map[string]func() *harness.Plan{
	"costs": func() *harness.Plan {
		p := costs(sound("a"), asked("b"))
		p.Blocks = 3
		return p
	},
	"beside": func() *harness.Plan {
		p := tiny(sound("a"), asked("b"))
		p.Experiments, p.Pending, p.Ops, p.Ticks = []string{rundata.Cost, rundata.Jitter}, []int{10}, []string{rundata.OpPair}, nil
		return p
	},
	"failing": func() *harness.Plan { return costs(sound("a"), failing()) },
}

// asked returns a contestant that does in a process what a file named after the order says: see doAsAsked.
func asked(name string) harness.Contestant {
	c := sound(name)
	made, bare, start := 0, c.New, c.Start
	c.New = func(g harness.Geometry) (schedulers.Scheduler[uint64], error) {
		if made++; made > 2 { // of itself a second time too: in the second cell
			doAsAsked()
		}
		return bare(g)
	}
	c.Start = func(g harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		doAsAsked()
		return start(g, opts...)
	}
	return c
}

// doAsAsked kills the process, or waits until it is interrupted. It does so once, or always.
func doAsAsked() {
	o, ok := blocks.Ordered()
	if !ok {
		return
	}
	for _, dir := range []string{o.Dir, filepath.Dir(o.Dir)} { // of the run, or below it
		path := filepath.Join(dir, "ask-"+o.Name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if !strings.HasSuffix(string(text), "always") {
			_ = os.Remove(path)
		}
		switch what, _, _ := strings.Cut(string(text), " "); what {
		case "die":
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		case "wait":
			interrupted := make(chan os.Signal, 1)
			signal.Notify(interrupted, os.Interrupt)
			_ = os.WriteFile(filepath.Join(dir, "waits"), nil, 0o644)
			<-interrupted
			time.Sleep(10 * time.Millisecond) // for the other that is notified
		}
	}
}

func ask(t *testing.T, dir, order, what string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ask-"+order), []byte(what), 0o644))
}

func steps(into *[]harness.Step) harness.Progress {
	return func(s harness.Step) { *into = append(*into, s) }
}

func blocksOf(d *rundata.Data) map[string]int {
	counts := map[string]int{}
	for _, s := range d.Series {
		counts[s.Name()] = len(slices.Compact(slices.Clone(s.Block)))
	}
	return counts
}

func TestEachBlockIsMeasuredByAProcess(t *testing.T) {
	p, dir := byProcesses("costs"), t.TempDir()
	var seen []harness.Step
	d := must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
	require.True(t, d.Complete)
	require.Equal(t, []string{"block-00", "block-01", "block-02"}, lists.Each(seen, func(s harness.Step) string { return s.Name }))
	require.Equal(t, []int{0, 1, 2}, lists.Each(seen, func(s harness.Step) int { return s.Blocks }))
	for _, s := range d.Series {
		require.Equal(t, []int{0, 0, 1, 1, 2, 2}, s.Block, s.Name())
	}

	p.Start = nil
	here := must.Get(harness.Run(t.Context(), p, t.TempDir(), nil, nil))(t)
	require.Equal(t, blocksOf(d), blocksOf(here), "as within one process")
	for i, s := range here.Series {
		require.Equal(t, s.Values[rundata.VisitsPerOp], d.Series[i].Values[rundata.VisitsPerOp], "the same operations: %s", s.Name())
	}
}

func TestAProcessThatIsKilledIsABlockLess(t *testing.T) {
	p, dir := byProcesses("costs"), t.TempDir()
	ask(t, dir, "block-01", "die")
	var seen []harness.Step
	d := must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
	require.True(t, d.Complete)
	require.Equal(t, []string{"block-00", "block-01", "block-01", "block-02"}, lists.Each(seen, func(s harness.Step) string { return s.Name }))
	require.Empty(t, seen[0].Lost+seen[1].Lost+seen[3].Lost)
	require.Regexp(t, "^block-01: died: .*killed", seen[2].Lost)
	require.Equal(t, []string{seen[2].Lost}, d.Lost)
	for _, s := range d.Series {
		require.Equal(t, []int{0, 0, 1, 1, 2, 2}, s.Block, s.Name())
	}

	require.Equal(t, d.Lost, must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t).Lost, "it stays noted")
}

func TestThreeProcessesInARowThatAreKilledEndTheRun(t *testing.T) {
	p, dir := byProcesses("costs"), t.TempDir()
	ask(t, dir, "block-01", "die always")
	var seen []harness.Step
	_, err := harness.Run(t.Context(), p, dir, nil, steps(&seen))
	require.ErrorContains(t, err, "3 processes in a row: block-01: died: ")
	require.Len(t, seen, 1+harness.MostDied)
	d := must.Get(rundata.Load(dir))(t)
	require.False(t, d.Complete)
	require.Len(t, d.Lost, 3)

	require.NoError(t, os.Remove(filepath.Join(dir, "ask-block-01")))
	d = must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
	require.True(t, d.Complete, "what is complete was kept")
}

func TestAnErrorOfAProcessEndsTheRun(t *testing.T) {
	var seen []harness.Step
	_, err := harness.Run(t.Context(), byProcesses("failing"), t.TempDir(), nil, steps(&seen))
	require.Regexp(t, "^cost-10-uniform: Cost/op=pair/impl=failing.*: fake failure$", err.Error())
	require.Len(t, seen, 1)
}

func TestAProcessThatIsInterruptedKeepsItsCells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts for others")
	}
	p, dir := byProcesses("costs"), t.TempDir()
	ask(t, dir, "block-01", "wait")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "waits")); err == nil {
				interrupt()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := harness.Run(ctx, p, dir, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	kept := must.Get(rundata.LoadFile(filepath.Join(dir, "block-01.bench.gz")))(t)
	require.Equal(t, []string{"cost-10-uniform"}, lists.Each(kept.Cells, func(c rundata.Measured) string { return c.Name }))

	var seen []harness.Step
	d := must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
	require.Equal(t, [][]string{{"cost-10-uniform", "cost-100-uniform"}, {"cost-100-uniform"}}, lists.Each(seen, func(s harness.Step) []string { return s.Cells }))
	for name, blocks := range blocksOf(d) {
		require.Equal(t, 3, blocks, name)
	}
}

// TestParticipantsBesideEachOtherHaveProcessesOfTheirOwn kills one of them in the second cell: the others stay.
func TestParticipantsBesideEachOtherHaveProcessesOfTheirOwn(t *testing.T) {
	p, dir := byProcesses("beside"), t.TempDir()
	ask(t, dir, "001", "die") // the second participant of jitter, which is the first cell that is measured so
	var seen []harness.Step
	d := must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
	require.Equal(t, []string{"block-00", "jitter", "jitter-short", "block-01"}, lists.Each(seen, func(s harness.Step) string { return s.Name }))
	require.Regexp(t, "^jitter: died: .*killed", seen[2].Lost)
	require.Len(t, d.Lost, 1)
	late := d.Select(rundata.Jitter, "waking="+rundata.Tickless, "delays=")
	require.Equal(t, []string{"a", "b" + rundata.AASuffix}, rundata.Distinct(late, "impl"), "b was killed")
	require.Equal(t, []string{"a", "b", "b" + rundata.AASuffix}, rundata.Distinct(d.Select(rundata.Jitter, "delays="+rundata.ShortDelays), "impl"))
	for _, s := range d.Select(rundata.Jitter) {
		require.Equal(t, []int{0, 1}, s.Block, s.Name())
		require.EqualValues(t, sumOf(s.Values[rundata.Fired])-sumOf(s.Values[rundata.HeldUp]), s.Late.TotalCount(), s.Name())
	}
	kept := must.Get(rundata.LoadFile(filepath.Join(dir, "jitter.bench.gz")))(t)
	require.Equal(t, kept.Cells[0].Took.Round(time.Millisecond), rundata.SystemLoadOf(kept.Env).Took, "of all of them")
	require.Empty(t, must.Get(filepath.Glob(filepath.Join(dir, "beside-*")))(t))
}

func TestAnOrderThatThePlanCannotObeyIsRefused(t *testing.T) {
	p := plansOfProcesses["costs"]()
	for want, o := range map[string]blocks.Order{
		"is of another plan":                 {Name: "block-00", Plan: "another"},
		"has cells that are not in the plan": {Name: "block-00", Plan: p.Fingerprint(), Cells: []string{"cost-10-uniform", "cost-11-uniform"}},
	} {
		require.ErrorContains(t, harness.Obey(t.Context(), p, o, strings.NewReader(""), &strings.Builder{}), want)
	}
}

// Two runs of weights, which clocks do not tell apart, are two runs.
func TestRunsThatWeighTheSameAreNotTheSame(t *testing.T) {
	p := tiny(harness.Contestant{Name: "known", New: sound("a").New})
	p.Experiments, p.Pending = []string{rundata.Memory}, []int{1000}
	var dirs []string
	for range 2 {
		dir := t.TempDir()
		must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
		dirs = append(dirs, dir)
	}
	_, _, err := rundata.Merge(filepath.Join(t.TempDir(), "all"), dirs...)
	require.NoError(t, err)
}

// A budget that is too small for more has the first blocks of every cell, and says that it is one.
func TestABudgetHasTheFirstBlocksOfEveryCell(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := tiny(sound("a"))
		p.Experiments, p.Ticks, p.Blocks, p.Budget = []string{rundata.Jitter, rundata.Burst}, nil, 0, 1
		d := must.Get(harness.Run(t.Context(), p, dir, nil, nil))(t)
		require.True(t, d.Complete)
		require.Equal(t, "1ns", d.Env["budget"])
		for _, s := range d.Series {
			want := harness.FirstBlocks
			if s.Experiment == rundata.Jitter {
				want = harness.BlocksBeside
			}
			require.Len(t, slices.Compact(slices.Clone(s.Block)), want, s.Name())
		}
		var seen []harness.Step
		must.Get(harness.Run(t.Context(), p, dir, nil, steps(&seen)))(t)
		require.Empty(t, seen, "nothing is left of it")
	})
}
