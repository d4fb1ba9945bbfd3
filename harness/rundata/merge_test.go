package rundata

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runOf writes a run whose figures are greater by more: a cell "one" in a file a block, and a cell "two" in one file.
func runOf(t *testing.T, more float64, blocks int, about ...Param) (dir string) {
	t.Helper()
	dir = t.TempDir()
	beside := partOf("two", jitterPair())
	for _, s := range beside.Series() {
		for i := range s.Values[P99Late] {
			s.Values[P99Late][i] += more
		}
	}
	require.NoError(t, beside.Save(dir))
	for block := range blocks {
		p := &File{Name: fmt.Sprintf("block-%02d", block), Env: env(), First: block, Cells: []Measured{{Name: "one"}}}
		for _, impl := range []string{"a", "b"} {
			s := NewSeries(Cost, "op", OpPair, "impl", impl)
			addBlock(s, block, NsPerOp, 100*float64(block)+more+1, 100*float64(block)+more+3)
			p.Cells[0].Series = append(p.Cells[0].Series, s)
		}
		require.NoError(t, p.Save(dir))
	}
	require.NoError(t, SaveRun(dir, slices.Concat(env(), []Param{{"plan", "0123"}, {"order", "one two"}}, about), true))
	return dir
}

func merged(t *testing.T, dirs ...string) (d *Data, said []string, out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "all", "data")
	d, said, err := Merge(out, dirs...)
	require.NoError(t, err)
	return d, said, out
}

func TestMergedRunsAreFurtherBlocks(t *testing.T) {
	run := func(more float64, blocks int, day, kernel string) string {
		return runOf(t, more, blocks, Param{"date", "2026-11-" + day}, Param{"kernel", kernel}, Param{"commit", "0123"})
	}
	a, b, c := run(0, 3, "21", "6.1"), run(1, 2, "22", "6.1"), run(2, 3, "22", "6.2")
	all, said, out := merged(t, a, b, c)
	require.Equal(t, []string{"kernel differs: 6.1 | 6.1 | 6.2"}, said)
	require.True(t, all.Complete)

	for _, impl := range []string{"a", "b"} {
		one, two := all.Select(Cost, "impl="+impl)[0], all.Select(Jitter, "impl="+impl)[0]
		require.Equal(t, []float64{2, 102, 202, 3, 103}, one.Blocks(NsPerOp)[:5])
		require.Equal(t, []float64{4, 104, 204}, one.Blocks(NsPerOp)[6:], "after the blocks of the second run")
		require.Len(t, two.Blocks(P99Late), 9)
		require.Equal(t, 3*jitterPair()[0].Late.TotalCount(), two.Late.TotalCount())
	}
	require.Equal(t, "2026-11-21 | 2026-11-22 | 2026-11-22", all.Env["date"], "what differs is kept of each")
	require.Equal(t, "0123", all.Env["commit"])
	require.Equal(t, "3", all.Env[runsKey])

	more, _, _ := merged(t, out, run(3, 3, "23", "6.3"))
	require.Equal(t, "6.1 | 6.1 | 6.2 | 6.3", more.Env["kernel"], "merged runs can be merged again")
	require.Equal(t, "2", more.Env[runsKey])
	require.Equal(t, []float64{5, 105, 205}, more.Select(Cost)[0].Blocks(NsPerOp)[9:])
}

func TestARunThatDoesNotSayWhichItsBlocksAreIsOne(t *testing.T) {
	var dirs []string
	for i := range 3 {
		old := partOf("one", costSeries())
		old.PerBlock = 0
		old.Cells[0].Series[0].Values[NsPerOp][0] += float64(i)
		dir := t.TempDir()
		require.NoError(t, old.Save(dir))
		require.NoError(t, SaveRun(dir, append(env(), Param{"plan", "0123"}, Param{"order", "one"}), true))
		dirs = append(dirs, dir)
	}
	all, said, _ := merged(t, dirs...)
	require.Equal(t, []int{0, 0, 0, 1, 1, 1, 2, 2, 2}, all.Series[0].Block)
	require.Equal(t, []string{"the data do not say from which commit they are"}, said)
}

func TestCellsOfSomeRunsAreKept(t *testing.T) {
	a, b := runOf(t, 0, 3), runOf(t, 1, 3)
	require.NoError(t, os.Remove(filepath.Join(b, "two"+BenchExt)))
	all, _, _ := merged(t, a, b)
	require.True(t, all.Complete, "every cell is there")
	require.Equal(t, []int{6, 3}, []int{len(all.Select(Cost)[0].Blocks(NsPerOp)), len(all.Select(Jitter)[0].Blocks(P99Late))})

	require.NoError(t, os.Remove(filepath.Join(a, "two"+BenchExt)))
	all, _, out := merged(t, a, b)
	require.False(t, all.Complete)
	require.Equal(t, []string{"two"}, all.Missing)
	require.Empty(t, Unfinished(out, "0123"), "no process is to go on with what several have measured")
}

func TestAContestantThatIsOutInOneRunIsOutInAll(t *testing.T) {
	about := []Param{{"plan", "0123"}, {"order", "one"}}
	sound, out := costSeries(), costSeries()
	out[0].Note, out[0].Values = "gave up", map[string][]float64{TotalOps: {7, 7, 7}}
	out[1].Values[NsPerOp] = []float64{1, 2, 3}
	dirs := []string{saveTo(t, map[string][]*Series{"one": sound}, "one", about...), saveTo(t, map[string][]*Series{"one": out}, "one", about...)}
	for range 2 {
		all, _, _ := merged(t, dirs...)
		require.Equal(t, "gave up", all.Series[0].Note)
		require.NotContains(t, all.Series[0].Values, NsPerOp)
		require.Len(t, all.Series[1].Values[NsPerOp], 6)
		slices.Reverse(dirs)
	}
}

func TestRunsThatDoNotGoTogetherAreRefused(t *testing.T) {
	about := []Param{{"go-version", "go1.26.0"}, {"gomaxprocs", "2"}, {"commit", "0123"}}
	good := runOf(t, 0, 3, about...)
	refused := func(reason string, dirs ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "all")
		_, _, err := Merge(out, dirs...)
		require.ErrorIs(t, err, ErrUnlike)
		require.ErrorContains(t, err, reason)
		require.NoFileExists(t, filepath.Join(out, RunName), "nothing that looks like a run is left")
	}
	for _, line := range []string{"plan: 0123", "cpu: A CPU @ 2.00GHz: fast", "go-version: go1.26.0", "gomaxprocs: 2", "commit: 0123"} {
		key, value, _ := strings.Cut(line, ": ")
		other := runOf(t, 1, 3, about...)
		edit(t, filepath.Join(other, RunName), exchanged(line, key+": another"))
		refused(fmt.Sprintf("they differ in %s: %q in %s, \"another\" in %s", key, value, good, other), good, other)
	}
	quick := runOf(t, 1, 3, about...)
	edit(t, filepath.Join(quick, RunName), exchanged("plan: 0123", "plan: 4567"))
	edit(t, filepath.Join(quick, RunName), exchanged("bench --ops a,b", "bench --quick"))
	refused(fmt.Sprintf("they differ in plan (command): \"bench --ops a,b\" in %s, \"bench --quick\" in %s", good, quick), good, quick)
	refused("want two at least", good)
	refused(good+" and "+good+" hold the same measurements", good, good)
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(good)))
	other := runOf(t, 1, 3, about...)
	refused(good+" and "+copied+" hold the same measurements", good, other, copied)
	_, _, out := merged(t, good, other)
	refused("hold the same measurements", out, good)

	_, _, err := Merge(out, good, other)
	require.ErrorContains(t, err, "holds a run already")
	_, _, err = Merge(t.TempDir(), good, t.TempDir())
	require.ErrorIs(t, err, ErrNoData)
}
