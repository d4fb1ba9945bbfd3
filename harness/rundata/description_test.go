package rundata

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
	"pgregory.net/rapid"

	"schedbench/internal/must"
)

// benchstatTables returns how many tables benchstat makes of files: one for each configuration.
func benchstatTables(t *testing.T, paths ...string) int {
	t.Helper()
	var parser benchproc.ProjectionParser
	config := must.Get(parser.Parse(".config", nil))(t)
	tables := map[benchproc.Key]bool{}
	files := benchfmt.Files{Paths: paths, AllowLabels: true}
	for files.Scan() {
		result, ok := files.Result().(*benchfmt.Result)
		require.True(t, ok, "%v", files.Result())
		tables[config.Project(result)] = true
	}
	require.NoError(t, files.Err())
	return len(tables)
}

// unpacked writes what zcat prints beside a file, and returns where.
func unpacked(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(ReadText(path))(t)
	path = strings.TrimSuffix(path, ".gz")
	require.NoError(t, os.WriteFile(path, text, 0o644))
	return path
}

// The runs are of two builds and days, under other loads, with contestants that gave up in one of them.
func TestTwoRunsAreOneTableOfBenchstat(t *testing.T) {
	var paths []string
	save := func(p *File) {
		dir := t.TempDir()
		require.NoError(t, p.Save(dir))
		paths = append(paths, unpacked(t, filepath.Join(dir, p.Name+BenchExt)))
	}
	for i := range 2 {
		n := fmt.Sprint(i)
		about := append(Environment(), WatchMachine()()...)
		for _, p := range []Param{{"cpu", "A CPU"}, {"commit", "0123456789a" + n}, {"build", n}, {"date", "2026-11-2" + n}, {"go-version", "go1.26." + n},
			{"kernel", "6." + n}, {"load-before", n + " 2 3"}, {"load-after", n + " 3 2"}, {"steal-ticks-before", n},
			{"seed", n}, {"order", "one two " + n}, {"command", "bench --seed " + n}, {"plan", n}} {
			about = Set(about, p)
		}
		cost := costSeries()
		cost[i].Note = "gave up after " + n + "s"
		save(&File{Name: "block-0" + n, Env: about, First: i, PerBlock: i, Cells: []Measured{{"one", time.Second, cost}, {"two", 0, jitterPair()}}})
	}
	require.Equal(t, 1, benchstatTables(t, paths...))

	other := partOf("other", costSeries())
	other.Env = Set(other.Env, Param{"cpu", "Another CPU"})
	save(other)
	require.Equal(t, 2, benchstatTables(t, paths...), "another processor is another table")
}

func TestASeriesWithoutSamplesIsLeftOut(t *testing.T) {
	series := append(costSeries(), &Series{Experiment: Cost, Params: []Param{{"impl", "c"}}, Note: "never began"})
	text := must.Get(partOf("one", series).benchText())(t)
	sameSeries(t, series[:2], must.Get(parsePart("one.bench.gz", text))(t).Series())
}

// A file that names no cell is one, of its own name. Without a number of rounds it is one block.
func TestFilesThatNameNoCellAreRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one": "goos: linux\n# rounds-per-block: 2\n# samples: 8\n# took: 1.5s\n# note Cost/op=pair/impl=b: gave up\n\n" +
			strings.Repeat("BenchmarkCost/op=pair/impl=a 7 1.5 ns/op\nBenchmarkCost/op=pair/impl=b 1 7 total-ops\n", 4),
		"two": "goos: linux\nsamples: 2\n\nBenchmarkCost/op=insert/impl=a 7 1.5 ns/op\nBenchmarkCost/op=insert/impl=b 1 2 ns/op\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+BenchExt), packed([]byte(text)), 0o644))
	}
	run := "goos: linux\ncommit: 0123456789ab\nplan: 1\norder: two one\ncells: 2\ncomplete: true\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, RunName), []byte(run), 0o644))
	d := must.Get(Load(dir))(t)
	require.True(t, d.Complete)
	require.Equal(t, "0123456789ab", d.Env["commit"])
	got := map[string][]int{}
	for _, s := range d.Series {
		got[s.Name()] = s.Block
		require.Equal(t, strings.HasSuffix(s.Name(), "pair/impl=b"), s.Note == "gave up", s.Name())
	}
	require.Equal(t, map[string][]int{
		"Cost/op=pair/impl=a": {0, 0, 1, 1}, "Cost/op=pair/impl=b": {0, 0, 1, 1},
		"Cost/op=insert/impl=a": {0}, "Cost/op=insert/impl=b": {0},
	}, got)
	require.Equal(t, "Cost/op=insert/impl=a", d.Series[0].Name(), "in the order of the cells")
	require.Equal(t, 1500*time.Millisecond, d.SystemLoad[0].Took)
}

func TestAnyDescriptionIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := slices.Concat(configKeys, []string{"commit", "date", "load-before", "order", "rounds-per-block", noteKey + " Cost/impl=a:b"})
		want := rapid.MapOf(rapid.SampledFrom(known), rapid.String()).Draw(t, "description")
		var buf bytes.Buffer
		for _, key := range slices.Sorted(maps.Keys(want)) {
			describe(&buf, []Param{{key, want[key]}})
		}
		lines := slices.Collect(strings.Lines(buf.String()))
		require.Len(t, lines, len(want))
		for _, l := range lines {
			p, ok := descriptionOf(l)
			require.True(t, ok, "%q", l)
			require.Equal(t, strings.TrimSpace(breaks.Replace(want[p.Key])), p.Value)
		}
	})
}

func TestOtherLinesAreNoDescription(t *testing.T) {
	for _, l := range []string{"", "#", "# ", "# no colon", ": value", "# : value", "Key: value", "# Key: value", "two words: value",
		"# one two three: value", "# key  name: value", "#key: value", "# key:value", "## key: value", "Benchmark/a 1 2 ns/op", "\x00\xff: x"} {
		_, ok := descriptionOf(l + "\n")
		require.False(t, ok, "%q", l)
	}
}
