package harness

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

// costSeries returns two series of three rounds.
func costSeries() []*Series {
	a := &Series{Experiment: Cost, Params: []Param{{"op", OpPair}, {"impl", "a"}, {"pending", "10"}}}
	b := &Series{Experiment: Cost, Params: []Param{{"op", OpPair}, {"impl", "time.AfterFunc"}, {"pending", "10"}}}
	for i := range 3 {
		a.add(1000+i, map[string]float64{NsPerOp: 1.0/3 + float64(i), VisitsPerOp: 0, MovesPerOp: 1e-9})
		b.add(7, map[string]float64{NsPerOp: 123456789.125, ReadNs: -float64(i)})
	}
	return []*Series{a, b}
}

// jitterPair returns a series whose timers were late and early, and one that has
// no early timers.
func jitterPair() []*Series {
	var list []*Series
	for _, impl := range []string{"a", "b"} {
		s := &Series{Experiment: Jitter, Params: []Param{{"impl", impl}, {"waking", "1ms"}, {"rate", "1000"}},
			Late: newHistogram(), Early: newHistogram()}
		for i := range 3 {
			s.add(100, map[string]float64{P99Late: float64(i) * 1e6, Fired: 100})
			record(s.Late, ms*3)
			record(s.Late, math.MaxInt64)
		}
		list = append(list, s)
	}
	record(list[0].Early, 12345)
	return list
}

// env describes a run that never was.
func env() []Param {
	return []Param{{"goos", "linux"}, {"cpu", "A CPU @ 2.00GHz: fast"}, {"command", "bench --ops a,b"}, {"seed", "1"}}
}

// saveTo writes a run of cells and returns its folder.
func saveTo(t testing.TB, cells map[string][]*Series, order string) string {
	t.Helper()
	dir := t.TempDir()
	run := append(env(), Param{"plan", "0123"}, Param{"order", order})
	for name, series := range cells {
		require.NoError(t, saveCell(dir, name, env(), series))
	}
	require.NoError(t, saveRun(dir, run, len(cells), true))
	return dir
}

func sameSeries(t *testing.T, want, got []*Series) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		g := got[i]
		require.Equal(t, w.Name(), g.Name())
		require.Equal(t, w.Params, g.Params)
		require.Equal(t, w.Iterations, g.Iterations)
		require.Equal(t, w.Values, g.Values)
		require.Equal(t, w.Note, g.Note)
		require.Equal(t, w.PerBlock, g.PerBlock)
		sameHistogram(t, w.Late, g.Late)
		sameHistogram(t, w.Early, g.Early)
		sameHistogram(t, w.Took, g.Took)
		sameHistogram(t, w.Collecting, g.Collecting)
	}
}

func sameHistogram(t *testing.T, want, got *hdrhistogram.Histogram) {
	t.Helper()
	if want == nil {
		require.Nil(t, got)
		return
	}
	require.NotNil(t, got)
	require.Equal(t, want.TotalCount(), got.TotalCount())
	require.Equal(t, want.CumulativeDistribution(), got.CumulativeDistribution())
	require.Equal(t, want.Max(), got.Max())
}

func TestARunReadsBackAsItWasWritten(t *testing.T) {
	cost, jitter := costSeries(), jitterPair()
	dir := saveTo(t, map[string][]*Series{"one": cost, "two": jitter}, "two one")
	d, err := Load(dir)
	require.NoError(t, err)
	sameSeries(t, append(jitter, cost...), d.Series)
	require.True(t, d.Complete)
	require.Empty(t, d.Missing)
	for _, p := range env() {
		require.Equal(t, p.Value, d.Env[p.Key])
	}
	require.Equal(t, "2", d.Env[cellsKey])
	require.NoFileExists(t, filepath.Join(dir, "one"+hlogExt), "no histogram, no file")
}

func TestARunLessACellIsNotComplete(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries()}, "one two")
	d, err := Load(dir)
	require.NoError(t, err)
	require.False(t, d.Complete, "whatever the file of the run says")
	require.Equal(t, []string{"two"}, d.Missing)
	require.Len(t, d.Series, 2)
}

func TestOthersReadTheBenchmarkFiles(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"one": costSeries()}, "one")
	f, err := os.Open(filepath.Join(dir, "one"+benchExt))
	require.NoError(t, err)
	defer f.Close()
	r := benchfmt.NewReader(f, "one")
	n := 0
	for ; r.Scan(); n++ {
		result, ok := r.Result().(*benchfmt.Result)
		require.True(t, ok, "%v", r.Result())
		require.Equal(t, "linux", result.GetConfig("goos"))
		require.Equal(t, "A CPU @ 2.00GHz: fast", result.GetConfig("cpu"))
		base, _ := result.Name.Parts()
		require.Equal(t, "Cost", string(base))
		value, ok := result.Value("sec/op")
		require.True(t, ok)
		require.Positive(t, value)
	}
	require.NoError(t, r.Err())
	require.Equal(t, 6, n, "two series of three rounds")
}

func TestOthersReadTheHistogramLogs(t *testing.T) {
	dir := saveTo(t, map[string][]*Series{"two": jitterPair()}, "two")
	text, err := os.ReadFile(filepath.Join(dir, "two"+hlogExt))
	require.NoError(t, err)
	r := hdrhistogram.NewHistogramLogReader(bytes.NewReader(text))
	counts := map[string]int64{}
	for {
		h, err := r.NextIntervalHistogram()
		require.NoError(t, err)
		if h == nil {
			break
		}
		counts[h.Tag()] = h.TotalCount()
	}
	require.Equal(t, map[string]int64{
		"late:Jitter/impl=a/waking=1ms/rate=1000":  6,
		"early:Jitter/impl=a/waking=1ms/rate=1000": 1,
		"late:Jitter/impl=b/waking=1ms/rate=1000":  6,
		"early:Jitter/impl=b/waking=1ms/rate=1000": 0,
	}, counts)
}

func TestRoundsAreWrittenInTurn(t *testing.T) {
	text, err := benchText(nil, costSeries())
	require.NoError(t, err)
	var names []string
	r := benchfmt.NewReader(bytes.NewReader(text), "")
	for r.Scan() {
		names = append(names, r.Result().(*benchfmt.Result).Name.String())
	}
	a, b := costSeries()[0].Name(), costSeries()[1].Name()
	require.Equal(t, []string{a, b, a, b, a, b}, names)
}

func TestAFileIsReplacedInOnePiece(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, writeFile(path, []byte("old")))
	require.NoError(t, writeFile(path, []byte("new")))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")
	require.Error(t, writeFile(filepath.Join(path, "below"), nil), "a file is no folder")
}

func TestTheEnvironmentFitsTheFormat(t *testing.T) {
	known := append(Environment(), load("before")...)
	keys := map[string]bool{}
	for _, p := range known {
		var line bytes.Buffer
		describe(&line, []Param{p})
		read, ok := descriptionOf(line.String())
		require.True(t, ok, "%s: %s", p.Key, p.Value)
		require.Equal(t, p, read)
		require.NotEmpty(t, p.Value, p.Key)
		require.NotContains(t, p.Value, "\n", p.Key)
		require.False(t, keys[p.Key], p.Key)
		keys[p.Key] = true
	}
	for _, key := range []string{"goos", "goarch", "go-version", "gomaxprocs", "cpus", "date"} {
		require.Contains(t, keys, key)
	}
}

func TestWhatTheSystemDoesNotTellIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "info")
	require.Empty(t, line(path))
	require.Empty(t, field(path, "model name"))
	require.NoError(t, os.WriteFile(path, []byte("model name\t: Some CPU \nflags : a b\n"), 0o644))
	require.Equal(t, "model name\t: Some CPU", line(path))
	require.Equal(t, "Some CPU", field(path, "model name"))
	require.Empty(t, field(path, "model"))
}

func TestDataOfAnyOriginAreSaved(t *testing.T) {
	series := append(costSeries(), jitterPair()...)
	series[0].PerBlock = 3
	for _, complete := range []bool{true, false} {
		d := &Data{Env: map[string]string{"cpu": "made up", "seed": "7"}, Series: series, Complete: complete}
		dir := t.TempDir()
		require.NoError(t, Save(dir, d))
		got, err := Load(dir)
		require.NoError(t, err)
		require.Equal(t, complete, got.Complete)
		require.Equal(t, "made up", got.Env["cpu"])
		require.Len(t, got.Series, len(series))
		for i, s := range got.Series {
			require.Equal(t, series[i].Name(), s.Name())
			require.Equal(t, series[i].Values, s.Values)
			require.Equal(t, series[i].PerBlock, s.PerBlock)
		}
	}
	require.Error(t, Save(filepath.Join(t.TempDir(), "missing"), &Data{Series: series}))
}
