package rundata

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"

	"schedbench/internal/machine"
	"schedbench/internal/must"
)

func costSeries() []*Series {
	a := NewSeries(Cost, "op", OpPair, "impl", "a", "pending", 10)
	b := NewSeries(Cost, "op", OpPair, "impl", "time.AfterFunc", "pending", 10)
	for i := range 3 {
		a.Add(i, 1000+i, Values{NsPerOp: 1.0/3 + float64(i), VisitsPerOp: 0, MovesPerOp: 1e-9})
		b.Add(i, 7, Values{NsPerOp: 123456789.125, ReadNs: -float64(i)})
	}
	return []*Series{a, b}
}

// jitterPair returns a series whose timers were late and early, and one that has no early timers.
func jitterPair() []*Series {
	var list []*Series
	for _, impl := range []string{"a", "b"} {
		s := NewSeries(Jitter, "impl", impl, "waking", "1ms", "rate", 1000)
		s.Late, s.Early = NewHistogram(), NewHistogram()
		for i := range 3 {
			s.Add(i, 100, Values{P99Late: float64(i) * 1e6, Fired: 100})
			Record(s.Late, 3*time.Millisecond)
			Record(s.Late, math.MaxInt64)
		}
		list = append(list, s)
	}
	Record(list[0].Early, 12345)
	return list
}

func env() []Param {
	return []Param{{"goos", "linux"}, {"cpu", "A CPU @ 2.00GHz: fast"}, {"command", "bench --ops a,b"}, {"seed", "1"}}
}

// partOf returns a cell whose blocks have a sample of each series.
func partOf(name string, series []*Series) *File {
	return &File{Name: name, Env: env(), PerBlock: 1, Cells: []Measured{{Name: name, Series: series}}}
}

// saveTo writes a run of cells, each into a file of its own, and returns its folder.
func saveTo(t testing.TB, cells map[string][]*Series, order string, about ...Param) string {
	t.Helper()
	dir := t.TempDir()
	for name, series := range cells {
		require.NoError(t, partOf(name, series).Save(dir))
	}
	require.NoError(t, SaveRun(dir, slices.Concat(env(), []Param{{"plan", "0123"}, {"order", order}}, about), true))
	return dir
}

func sameSeries(t require.TestingT, want, got []*Series) {
	require.Len(t, got, len(want))
	for i, w := range want {
		g := got[i]
		require.Equal(t, w.Name(), g.Name())
		require.Equal(t, []any{w.Params, w.Iterations, w.Values, w.Note, w.Block}, []any{g.Params, g.Iterations, g.Values, g.Note, g.Block}, w.Name())
		for kind, h := range w.Histograms() {
			want, got := *h, *g.Histograms()[kind]
			require.Equal(t, want == nil, got == nil)
			if want != nil {
				require.Equal(t, want.CumulativeDistribution(), got.CumulativeDistribution())
				require.Equal(t, want.Max(), got.Max())
			}
		}
	}
}

func TestARunReadsBackAsItWasWritten(t *testing.T) {
	cost, jitter := costSeries(), jitterPair()
	dir := saveTo(t, map[string][]*Series{"one": cost, "two": jitter}, "two one")
	d := must.Get(Load(dir))(t)
	sameSeries(t, append(jitter, cost...), d.Series)
	require.True(t, d.Complete)
	require.Empty(t, d.Missing)
	for _, p := range env() {
		require.Equal(t, p.Value, d.Env[p.Key])
	}
	require.NoFileExists(t, filepath.Join(dir, "one"+hlogExt), "no histogram, no file")
}

func drawnPart(t *rapid.T) *File {
	name := rapid.OneOf(rapid.SampledFrom([]string{"a:b", "note:", "pool-4"}), rapid.StringMatching(`[A-Za-z][A-Za-z0-9:.@-]{0,9}`))
	p := &File{
		Name: "block-07", Env: env(),
		First: rapid.IntRange(0, 99).Draw(t, "first"), PerBlock: rapid.IntRange(0, 2).Draw(t, "samples of a block"),
	}
	for cell := range rapid.IntRange(1, 3).Draw(t, "cells") {
		m := Measured{Name: fmt.Sprint("cell-", cell), Took: time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "µs")) * time.Microsecond}
		for i := range rapid.IntRange(1, 3).Draw(t, "series") {
			s := NewSeries(rapid.SampledFrom([]string{Cost, Memory, Jitter}).Draw(t, "experiment"), "cell", cell, "op", i, "impl", name.Draw(t, "name"), "task", name.Draw(t, "task"))
			s.Note = rapid.SampledFrom([]string{"", "gave up: so it is"}).Draw(t, "note")
			units := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{NsPerOp, VisitsPerOp, BytesPerTimer, Fired}), 1, 3, rapid.ID).Draw(t, "units")
			for at := range rapid.IntRange(1, 4).Draw(t, "samples") {
				values, block := Values{}, p.First
				for _, unit := range units {
					values[unit] = rapid.Float64Range(1e-9, 1e9).Draw(t, "value")
				}
				if p.PerBlock > 0 {
					block += at / p.PerBlock
				}
				s.Add(block, rapid.IntRange(1, math.MaxInt32).Draw(t, "iterations"), values)
			}
			if s.Experiment == Jitter {
				s.Late, s.Early = NewHistogram(), NewHistogram()
				for range rapid.IntRange(0, 9).Draw(t, "late") {
					Record(s.Late, time.Duration(rapid.Int64().Draw(t, "lateness")))
				}
			}
			m.Series = append(m.Series, s)
		}
		p.Cells = append(p.Cells, m)
	}
	return p
}

func TestAPartReadsBackAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := drawnPart(t)
		require.NoError(t, want.Save(dir))
		got := must.Get(LoadFile(filepath.Join(dir, want.Name+BenchExt)))(t)
		require.Equal(t, []any{want.Name, want.Env, want.First, want.PerBlock}, []any{got.Name, got.Env, got.First, got.PerBlock})
		require.Len(t, got.Cells, len(want.Cells))
		for i, cell := range want.Cells {
			require.Equal(t, cell.Name, got.Cells[i].Name)
			require.Equal(t, cell.Took, got.Cells[i].Took)
			sameSeries(t, cell.Series, got.Cells[i].Series)
		}
		if _, err := os.Stat(filepath.Join(dir, want.Name+hlogExt)); err == nil {
			require.NoError(t, os.Remove(filepath.Join(dir, want.Name+hlogExt)))
		}
	})
}

func TestRoundsAreWrittenInTurn(t *testing.T) {
	text := must.Get(partOf("one", costSeries()).benchText())(t)
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
	require.Equal(t, "new", string(must.Get(os.ReadFile(path))(t)))
	require.Len(t, must.Get(os.ReadDir(dir))(t), 1, "nothing is left beside it")
	require.Error(t, writeFile(filepath.Join(path, "below"), nil), "a file is no folder")
}

func TestTheEnvironmentFitsTheFormat(t *testing.T) {
	known := append(Environment(), WatchMachine()()...)
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
	require.Empty(t, machine.Line(path))
	require.Empty(t, machine.Field(path, "model name"))
	require.NoError(t, os.WriteFile(path, []byte("model name\t: Some CPU \nflags : a b\n"), 0o644))
	require.Equal(t, "model name\t: Some CPU", machine.Line(path))
	require.Equal(t, "Some CPU", machine.Field(path, "model name"))
	require.Empty(t, machine.Field(path, "model"))
}

func tailPair(took time.Duration) []*Series {
	cancel := NewSeries(Tails, "op", CallCancel, "impl", "a", "pending", 10, "during", DuringShrink)
	expire := NewSeries(Tails, "op", CallExpire, "impl", "a", "pending", 10, "during", DuringHold)
	for _, s := range []*Series{cancel, expire} {
		s.Took, s.Collecting = hdrhistogram.New(1, int64(time.Minute), 2), hdrhistogram.New(1, int64(time.Minute), 2)
		for block := range 2 {
			values := Values{P999Took: float64(took)}
			if s == expire {
				values[LongestExpire], values[LongestDue], values[LongestCascaded] = float64(took), 3, 0
			}
			s.Add(block, 3, values)
			Record(s.Took, took)
			Record(s.Took, math.MaxInt64)
			Record(s.Collecting, time.Second)
		}
	}
	return []*Series{cancel, expire}
}

func TestMergedTailsAreOfAllCalls(t *testing.T) {
	a := saveTo(t, map[string][]*Series{"one": tailPair(time.Microsecond)}, "one")
	b := saveTo(t, map[string][]*Series{"one": tailPair(time.Millisecond)}, "one")
	d, _, out := merged(t, a, b)
	require.Len(t, d.Series, 2)
	require.Equal(t, []float64{1e3, 1e3, 1e6, 1e6}, d.Series[0].Values[P999Took])
	require.EqualValues(t, 8, d.Series[0].Took.TotalCount())
	require.EqualValues(t, 4, d.Series[0].Collecting.TotalCount())
	sameSeries(t, d.Series, must.Get(Load(out))(t).Series)
}
