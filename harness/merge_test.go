package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runOf writes a run whose figures are so much greater than those of others, in blocks of
// so many rounds.
func runOf(t *testing.T, more float64, perBlock int, about ...Param) (dir string, cells map[string][]*Series) {
	t.Helper()
	cells = map[string][]*Series{"one": costSeries(), "two": jitterPair()}
	for _, series := range cells {
		for _, s := range series {
			s.PerBlock = perBlock
			for _, v := range s.Values {
				for i := range v {
					v[i] += more
				}
			}
		}
	}
	dir = saveTo(t, cells, "one two")
	about = slices.Concat(env(), []Param{{"plan", "0123"}, {"order", "one two"}}, about)
	require.NoError(t, saveRun(dir, about, len(cells), true))
	return dir, cells
}

// merged merges runs that go together.
func merged(t *testing.T, dirs ...string) (d *Data, said []string, out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "all", "data")
	d, said, err := Merge(out, dirs...)
	require.NoError(t, err)
	return d, said, out
}

func TestMergedRunsAreFurtherBlocks(t *testing.T) {
	a, first := runOf(t, 0, 1, Param{"date", "2026-11-21"}, Param{"kernel", "6.1"}, Param{"commit", "0123"})
	b, second := runOf(t, 1, 1, Param{"date", "2026-11-22"}, Param{"kernel", "6.1"}, Param{"commit", "0123"})
	c, third := runOf(t, 2, 1, Param{"date", "2026-11-22"}, Param{"kernel", "6.2"}, Param{"commit", "0123"})
	all, said, out := merged(t, a, b, c)
	require.Equal(t, []string{"kernel differs: 6.1 | 6.1 | 6.2"}, said)
	require.True(t, all.Complete)

	for i, s := range append(first["one"], first["two"]...) {
		others := []*Series{append(second["one"], second["two"]...)[i], append(third["one"], third["two"]...)[i]}
		got := all.Series[i]
		require.Equal(t, s.Name(), got.Name())
		require.Equal(t, 1, got.PerBlock)
		for unit, values := range s.Values {
			require.Equal(t, slices.Concat(values, others[0].Values[unit], others[1].Values[unit]), got.Values[unit])
		}
		if s.Late != nil {
			require.Equal(t, 3*s.Late.TotalCount(), got.Late.TotalCount())
			require.Equal(t, s.Late.Max(), got.Late.Max())
			require.Equal(t, 3*s.Early.TotalCount(), got.Early.TotalCount())
		}
	}
	require.Equal(t, "2026-11-21 | 2026-11-22 | 2026-11-22", all.Env["date"], "what differs is kept of each")
	require.Equal(t, "0123", all.Env["commit"])
	require.Equal(t, "3", all.Env[runsKey])

	text, err := os.ReadFile(filepath.Join(out, "one"+benchExt))
	require.NoError(t, err)
	require.Contains(t, string(text), "# runs: 3\n")
	require.Equal(t, 1, benchstatTables(t, filepath.Join(out, "one"+benchExt)))

	d, _ := runOf(t, 3, 1, Param{"date", "2026-11-23"}, Param{"kernel", "6.3"}, Param{"commit", "0123"})
	more, _, _ := merged(t, out, d)
	require.Equal(t, "6.1 | 6.1 | 6.2 | 6.3", more.Env["kernel"], "merged runs can be merged again")
	require.Equal(t, "4", more.Env[runsKey])
	require.Len(t, more.Series[0].Blocks(NsPerOp), 12)
}

func TestARunThatDoesNotKnowOfBlocksIsOne(t *testing.T) {
	a, _ := runOf(t, 0, 0)
	b, _ := runOf(t, 1, 0)
	all, said, _ := merged(t, a, b)
	require.Equal(t, 3, all.Series[0].PerBlock)
	require.Len(t, all.Series[0].Blocks(NsPerOp), 2)
	require.Equal(t, []string{"the data do not say from which commit they are"}, said)
}

func TestWhatOnlySomeRunsHaveIsSaid(t *testing.T) {
	commit := Param{"commit", "0123"}
	a, cells := runOf(t, 0, 1, commit)
	b, _ := runOf(t, 1, 1, commit)
	require.NoError(t, os.Remove(filepath.Join(b, "two"+benchExt)))
	all, said, _ := merged(t, a, b)
	require.True(t, all.Complete, "every cell is there")
	require.Len(t, all.Series[0].Blocks(NsPerOp), 6)
	require.Len(t, all.Series[2].Blocks(P99Late), 3)
	require.Equal(t, []string{"1 of 2 runs have two: it has fewer blocks than others"}, said)

	require.NoError(t, os.Remove(filepath.Join(a, "two"+benchExt)))
	all, _, out := merged(t, a, b)
	require.False(t, all.Complete)
	require.Equal(t, []string{"two"}, all.Missing)
	tinyPlan := tiny(sound("a"))
	edit(t, filepath.Join(out, runName), exchanged("plan: 0123", "plan: "+tinyPlan.fingerprint()))
	require.Empty(t, Unfinished(out, tinyPlan), "no process is to go on with what several have measured")

	require.NoError(t, saveCell(b, "one", env(), cells["one"][:1]))
	c, _ := runOf(t, 2, 1, commit)
	all, said, _ = merged(t, b, c)
	require.Len(t, all.Select(Cost), 1, "pairs stay pairs")
	require.Contains(t, said, cells["one"][1].Name()+" is left out: "+b+" does not have it")
}

func TestWhoeverIsOutInOneRunIsOutInAll(t *testing.T) {
	a, _ := runOf(t, 0, 1)
	b, cells := runOf(t, 1, 1)
	s := cells["one"][0]
	s.Note, s.Values = "gave up", map[string][]float64{TotalOps: {7, 7, 7}}
	require.NoError(t, saveCell(b, "one", env(), cells["one"]))
	all, _, _ := merged(t, a, b)
	require.Equal(t, "gave up", all.Series[0].Note)
	require.Equal(t, map[string][]float64{TotalOps: {7, 7, 7, 7, 7, 7}}, all.Series[0].Values)
	require.Len(t, all.Series[1].Values[NsPerOp], 6)
}

func TestRunsThatDoNotGoTogetherAreRefused(t *testing.T) {
	about := []Param{{"go-version", "go1.26.0"}, {"gomaxprocs", "2"}, {"commit", "0123"}}
	good, cells := runOf(t, 0, 1, about...)
	refused := func(reason string, dirs ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "all")
		_, _, err := Merge(out, dirs...)
		require.ErrorIs(t, err, ErrUnlike)
		require.ErrorContains(t, err, reason)
		require.NoFileExists(t, filepath.Join(out, runName), "nothing that looks like a run is left")
	}
	for _, line := range []string{"plan: 0123", "cpu: A CPU @ 2.00GHz: fast", "go-version: go1.26.0", "gomaxprocs: 2", "commit: 0123"} {
		key, value, _ := strings.Cut(line, ": ")
		other, _ := runOf(t, 1, 1, about...)
		edit(t, filepath.Join(other, runName), exchanged(line, key+": another"))
		refused(fmt.Sprintf("the %s of %s is %q, and of %s \"another\"", key, good, value, other), good, other)
	}

	rounds, _ := runOf(t, 1, 3, about...)
	refused("blocks of 1 rounds in "+good+", and of 3", good, rounds)
	odd, _ := runOf(t, 1, 2, about...)
	refused("want whole blocks of 2", odd, func() string { d, _ := runOf(t, 2, 2, about...); return d }())

	refused("want two at least", good)
	refused(good+" and "+good+" hold the same measurements", good, good)
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(good)))
	other, _ := runOf(t, 1, 1, about...)
	refused(good+" and "+copied+" hold the same measurements", good, other, copied)
	_, _, out := merged(t, good, other)
	refused("hold the same measurements", out, good)

	delete(cells["one"][0].Values, VisitsPerOp)
	require.NoError(t, saveCell(good, "one", env(), cells["one"]))
	refused("has figures in ", good, other)

	_, _, err := Merge(out, good, other)
	require.ErrorContains(t, err, "holds a run already")
	_, _, err = Merge(t.TempDir(), good, t.TempDir())
	require.ErrorIs(t, err, ErrNoData)
}
