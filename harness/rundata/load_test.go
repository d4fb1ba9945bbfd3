package rundata

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// goodRun writes a run of a cost cell, "one", and a jitter cell, "two".
func goodRun(t testing.TB) (dir string) {
	return saveTo(t, map[string][]*Series{"one": costSeries(), "two": jitterPair()}, "one two")
}

// change is what becomes of the text of a file.
type change func(text string) string

func edit(t *testing.T, path string, by change) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(by(string(must.Get(ReadText(path))(t)))), 0o644))
}

func cut(n int) change { return func(text string) string { return text[:len(text)-n] } }

// without returns a change that removes the first line that contains a text.
func without(part string) change {
	return func(text string) string {
		before, _, _ := strings.Cut(text, part)
		begin := strings.LastIndex(before, "\n") + 1
		_, rest, _ := strings.Cut(text[begin:], "\n")
		return text[:begin] + rest
	}
}

// with returns a change that puts a line before line n.
func with(n int, line string) change {
	return func(text string) string {
		return strings.Join(slices.Insert(strings.SplitAfter(text, "\n"), n-1, line+"\n"), "")
	}
}

func instead(by string) change { return func(string) string { return by } }

func exchanged(old, by string) change {
	return func(text string) string { return strings.Replace(text, old, by, 1) }
}

func TestADamagedFileIsAnErrorThatNamesIt(t *testing.T) {
	const bench, hlog, run = "one.bench.gz", "two.hlog", "run.bench"
	for _, c := range []struct {
		name, file string
		change     change
		want       string
	}{
		{"broken off at the end of a line", bench, without("Cost/op=pair/impl=time.AfterFunc"), "one.bench.gz: there are 5 samples, want 6"},
		{"garbage at the front", bench, with(1, "\x00\xff garbage"), "one.bench.gz:1: "},
		{"garbage between", bench, with(12, "It was a dark night"), `one.bench.gz:12: "It was a dark night" is not a line`},
		{"a name alone", bench, with(12, "BenchmarkCost/op=pair"), "one.bench.gz:12: "},
		{"no measurement", bench, with(12, "BenchmarkCost/op=pair 7"), "one.bench.gz:12: missing measurements"},
		{"not a number", bench, exchanged(" 0 visits/op", " NaN visits/op"), "one.bench.gz:11: Cost/op=pair/impl=a/pending=10: NaN visits/op, want a number"},
		{"a sample too many", bench, with(12, "BenchmarkCost/op=pair 7 12 ns/op"), "there are 7 samples, want 6"},
		{"a unit missing once", bench, exchanged(" visits/op", " visitors/op"), "visit"},
		{"a description broken", bench, with(2, "# It was a dark night"), `one.bench.gz:2: "# It was a dark night" is not a line`},
		{"a description of a name alone", bench, with(2, "# note Cost/op=pair"), "one.bench.gz:2: "},
		{"a note of a series that is not there", bench, with(2, "# note Cost/op=pair: gave up"), "one.bench.gz: note Cost/op=pair, a series that the file lacks"},
		{"rounds of a block that are no number", bench, exchanged("rounds-per-block: 1", "rounds-per-block: few"), "one.bench.gz:6: rounds-per-block: "},
		{"a block that is no number", bench, exchanged("# block: 0", "# block: x"), "one.bench.gz:5: block: "},
		{"a negative block", bench, exchanged("# block: 0", "# block: -1"), "one.bench.gz:5: block: -1, want 0 to"},
		{"a block that no run has", bench, exchanged("# block: 0", "# block: 9000000000"), "one.bench.gz:5: block: 9000000000, want 0 to"},
		{"a time that is none", bench, exchanged("# took: 0s", "# took: long"), "one.bench.gz:10: took: "},
		{"a sample before the first cell", bench, with(8, "BenchmarkCost/op=pair 7 12 ns/op"), "one.bench.gz:8: the sample comes before the first line of a cell"},
		{"a cell without its name", bench, exchanged("# cell: one", "# cell"), "one.bench.gz:9: "},
		{"garbage that looks packed", bench, instead("\x1f\x8bgarbage"), ErrDamaged.Error()},

		{"broken off", hlog, cut(30), "two.hlog"},
		{"broken off at the end of a line", hlog, without("early:Jitter/impl=a"), "two.hlog: Jitter/impl=a/waking=1ms/rate=1000 lacks a histogram"},
		{"empty", hlog, instead(""), "two.hlog: Jitter/impl=a/waking=1ms/rate=1000 lacks a histogram"},
		{"of a series that is not there", hlog, exchanged("late:Jitter/impl=a", "late:Jitter/impl=zzz"), "Jitter/impl=zzz/waking=1ms/rate=1000"},
		{"an unknown kind", hlog, exchanged("late:", "later:"), `unknown kind "later"`},
		{"a value changed", hlog, exchanged("HISTF", "HISTG"), "two.hlog"},
		{"all of it garbage", hlog, instead("Tag=late:x,0,0,0,!!!!\n"), "two.hlog"},

		{"no plan", run, without("plan:"), `run.bench: there is no line "plan:"`},
		{"no order", run, without("order:"), `run.bench: there is no line "order:"`},
		{"no word on its being complete", run, without("complete:"), `run.bench: there is no line "complete:"`},
		{"a line without a key", run, with(2, "no colon here"), `run.bench:2: "no colon here"`},
		{"a blank line", run, with(2, ""), "run.bench:2: "},
		{"a cell outside", run, exchanged("order: one", "order: three"), ""},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			dir := goodRun(t)
			edit(t, filepath.Join(dir, c.file), c.change)
			d, err := Load(dir)
			if c.want == "" {
				require.NoError(t, err)
				require.False(t, d.Complete)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, filepath.Join(dir, c.file))
		})
	}
}

func TestNoCutIsTakenForWhole(t *testing.T) {
	text := must.Get(partOf("one", costSeries()).benchText())(t)
	for n := range len(text) {
		_, err := parsePart("one.bench.gz", text[:n])
		require.ErrorContains(t, err, "one.bench.gz", "cut at %d", n)
	}
	must.Get(parsePart("one.bench.gz", text))(t)
}

func TestAFolderWithoutARunHasNoData(t *testing.T) {
	for name, dir := range map[string]string{
		"empty":      t.TempDir(),
		"missing":    filepath.Join(t.TempDir(), "missing"),
		"none saved": saveTo(t, nil, "one"),
	} {
		_, err := Load(dir)
		require.ErrorIs(t, err, ErrNoData, name)
		require.ErrorContains(t, err, dir)
	}
}

func TestAFileInPlaceOfAFolderIsAnError(t *testing.T) {
	dir := goodRun(t)
	hlog := filepath.Join(dir, "two.hlog")
	_, err := Load(hlog)
	require.ErrorContains(t, err, hlog)
	require.NoError(t, os.Remove(hlog))
	for range 2 { // without, and with a folder in its place
		_, err = Load(dir)
		require.ErrorContains(t, err, "two.hlog")
		_ = os.Mkdir(hlog, 0o755)
	}
}

func FuzzParsePart(f *testing.F) {
	text, err := partOf("one", costSeries()).benchText()
	require.NoError(f, err)
	f.Add(text)
	f.Add(text[:len(text)-7])
	f.Add(bytes.ReplaceAll(text, []byte("ns/op"), []byte("ns/op 1 ns/op")))
	f.Add([]byte("BenchmarkX/-8 1 NaN ns\nUnit ns a=b\nkey: value\n\n"))
	f.Add([]byte("Benchmark 0 0 x\nBenchmark/=-1 -5 Inf MB/s\n"))
	f.Add([]byte("# block: 9000000000000000000\nBenchmarkX 1 1 ns/op\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePart("one.bench.gz", text)
		if err != nil {
			require.ErrorContains(t, err, "one.bench.gz")
			return
		}
		require.NotEmpty(t, p.Series())
		for _, s := range p.Series() {
			require.NotEmpty(t, s.Iterations)
			require.Len(t, s.Block, len(s.Iterations))
			for unit, v := range s.Values {
				require.Len(t, v, len(s.Iterations), "%s of %s", unit, s.Name())
				s.Blocks(unit)
			}
		}
	})
}

// FuzzLoadHistograms feeds anything to the reader of histograms: it gives an error, or all of them.
func FuzzLoadHistograms(f *testing.F) {
	dir := goodRun(f)
	path := filepath.Join(dir, "two"+hlogExt)
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(text)
	f.Add(text[:len(text)-9])
	f.Add([]byte("Tag=late:x,1,2,3,HISTFAAAAEV42pNpmSz\n"))
	f.Add([]byte("#[StartTime: ...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(path, text, 0o644))
		p, err := LoadFile(filepath.Join(dir, "two"+BenchExt))
		if err != nil {
			require.ErrorContains(t, err, "two"+hlogExt)
			return
		}
		for _, s := range p.Series() {
			require.NotNil(t, s.Late, s.Name())
			require.NotNil(t, s.Early, s.Name())
		}
	})
}

func addBlock(s *Series, block int, unit string, samples ...float64) {
	for _, v := range samples {
		s.Add(block, 1, Values{unit: v, BytesPerTimer: v})
	}
}

func TestBlocksAreWithoutWhatSlowsARoundForAll(t *testing.T) {
	a, b := NewSeries(Cost, "op", OpPair, "impl", "a"), NewSeries(Cost, "op", OpPair, "impl", "b")
	loop := NewSeries(Cost, "op", OpPair, "impl", EmptyControl)
	elsewhere := NewSeries(Cost, "op", OpInsert, "impl", "a")
	addBlock(a, 1, NsPerOp, 10, 20, 20, 11)
	addBlock(b, 1, NsPerOp, 30, 60, 60, 30)
	addBlock(loop, 1, NsPerOp, 1, 2, 2, 1)
	addBlock(a, 2, NsPerOp, 10, 20, 20, 10)
	addBlock(b, 2, NsPerOp, 30, 60, 60)
	addBlock(elsewhere, 1, NsPerOp, 10, 20, 90)
	before := a.Blocks(BytesPerTimer)

	all := []*Series{a, b, loop, elsewhere}
	for range 2 { // the second time finds the same
		Level(all)
		require.InDelta(t, 15, a.Blocks(NsPerOp)[1], 0.6, "the middle of 10 and 20")
		require.InDelta(t, b.Blocks(NsPerOp)[1]/3, a.Blocks(NsPerOp)[1], 0.6)
		require.InDelta(t, b.Blocks(NsPerOp)[1]/30, loop.Blocks(NsPerOp)[1], 0.1)
		require.Equal(t, 15.0, a.Blocks(NsPerOp)[2], "b has other rounds")
		require.Equal(t, 60.0, b.Blocks(NsPerOp)[2])
		require.Equal(t, 20.0, elsewhere.Blocks(NsPerOp)[1], "alone")
		require.Equal(t, before[1:], a.Blocks(BytesPerTimer)[1:], "not compared by that")
	}
}
