package harness

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
	"pgregory.net/rapid"
)

// benchstatTables returns how many tables benchstat makes of some files: one for each
// configuration (-table .config is what it does unless asked otherwise).
func benchstatTables(t *testing.T, paths ...string) int {
	t.Helper()
	var parser benchproc.ProjectionParser
	config, err := parser.Parse(".config", nil)
	require.NoError(t, err)
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

// TestTwoRunsAreOneTableOfBenchstat writes the cells of two runs of another build, on
// another day under another load, with contestants that gave up in one of them.
func TestTwoRunsAreOneTableOfBenchstat(t *testing.T) {
	var paths []string
	for i := range 2 {
		n := fmt.Sprint(i)
		about := slices.Concat(Environment(), load("before"), load("after"))
		for _, p := range []Param{{"cpu", "A CPU"}, {"commit", "0123456789a" + n}, {"build", n}, {"date", "2026-11-2" + n}, {"go-version", "go1.26." + n},
			{"kernel", "6." + n}, {"load-before", n + " 2 3"}, {"load-after", n + " 3 2"}, {"steal-ticks-before", n},
			{"seed", n}, {"order", "one two " + n}, {"command", "bench --seed " + n}, {"plan", n}} {
			about = set(about, p)
		}
		for name, series := range map[string][]*Series{"one": costSeries(), "two": jitterPair()} {
			series[i].Note = "gave up after " + n + "s"
			series[0].PerBlock = i
			dir := filepath.Join(t.TempDir(), n)
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, saveCell(dir, name, about, series))
			paths = append(paths, filepath.Join(dir, name+benchExt))
		}
	}
	require.Equal(t, 1, benchstatTables(t, paths...))

	other := filepath.Join(t.TempDir(), "other"+benchExt)
	text, err := benchText(set(env(), Param{"cpu", "Another CPU"}), costSeries())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other, text, 0o644))
	require.Equal(t, 2, benchstatTables(t, append(paths, other)...), "another processor is another table")
}

func TestWhatIsSaidOfASeriesIsReadBack(t *testing.T) {
	for name, change := range map[string]func(a, b *Series){
		"nothing":            func(_, _ *Series) {},
		"a note of one":      func(a, _ *Series) { a.Note = "gave up after 1s: with 3 of 7 operations done" },
		"a note of each":     func(a, b *Series) { a.Note, b.Note = "cannot hold 1y", "gave up" },
		"rounds of a block":  func(a, b *Series) { a.PerBlock, b.PerBlock = 3, 3 },
		"of one of them":     func(a, b *Series) { a.PerBlock, b.PerBlock = 0, 3 },
		"of each others":     func(a, b *Series) { a.PerBlock, b.PerBlock = 2, 1 },
		"a colon in a name":  func(a, _ *Series) { a.Params[1].Value, a.Note = "a:b", "gave up: so it is" },
		"a name like a note": func(a, b *Series) { b.Params[1].Value, a.Note = "note:", "gave up" },
	} {
		t.Run(name, func(t *testing.T) {
			want := costSeries()
			change(want[0], want[1])
			text, err := benchText(env(), want)
			require.NoError(t, err)
			got, err := parseBench("one.bench", text)
			require.NoError(t, err, "%s", text)
			sameSeries(t, want, got)
		})
	}
}

func TestASeriesWithoutSamplesIsLeftOut(t *testing.T) {
	series := append(costSeries(), &Series{Experiment: Cost, Params: []Param{{"impl", "c"}}, Note: "never began"})
	text, err := benchText(env(), series)
	require.NoError(t, err)
	got, err := parseBench("one.bench", text)
	require.NoError(t, err)
	sameSeries(t, series[:2], got)
}

// ofOld returns a cell in the form of older files, which have configuration lines only.
func ofOld(t *testing.T, series []*Series) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := benchfmt.NewWriter(&buf)
	for round := range series[0].Iterations {
		for _, s := range series {
			r := s.result(round)
			for _, p := range append(env(), Param{samplesKey, "6"}, Param{noteKey, s.Note}) {
				if p.Value != "" {
					r.SetConfig(p.Key, p.Value)
				}
			}
			for i := range r.Config {
				r.Config[i].File = true
			}
			require.NoError(t, w.Write(r))
		}
	}
	return buf.Bytes()
}

func TestOlderFilesAreRead(t *testing.T) {
	want := costSeries()
	want[0].Note = "gave up after 1s"
	text := ofOld(t, want)
	require.Contains(t, string(text), "\nnote: gave up")
	require.NotContains(t, string(text), otherMark)
	got, err := parseBench("one.bench", text)
	require.NoError(t, err)
	sameSeries(t, want, got)
	require.Zero(t, got[0].PerBlock, "they do not say")

	_, err = parseBench("one.bench", bytes.Replace(text, []byte("samples: 6"), []byte("samples: 7"), 1))
	require.ErrorContains(t, err, "there are 6 samples, want 7")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one"+benchExt), text, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, runName),
		[]byte("goos: linux\ncommit: 0123456789ab\nplan: 1\norder: one\ncells: 1\ncomplete: true\n"), 0o644))
	d, err := Load(dir)
	require.NoError(t, err)
	require.True(t, d.Complete)
	require.Equal(t, "0123456789ab", d.Env["commit"])
}

func TestThePublishedRunLoads(t *testing.T) {
	d, err := Load(filepath.Join("..", "results", "published", "data"))
	require.NoError(t, err)
	require.True(t, d.Complete)
	require.NotEmpty(t, d.Env["commit"])
}

// TestAnyDescriptionIsReadBack writes descriptions of anything.
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
