package compare

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
)

// said returns what is written of a result: all of it, and each line without the space at its beginning, folded lines joined.
func said(t *testing.T, r *Result) (tables, sentences string) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Write(&b, nil, true))
	return b.String(), strings.Join(strings.Fields(b.String()), " ")
}

func TestTheConclusionIsTheOneOfTheExitStatus(t *testing.T) {
	one := func(old, new []float64) *Result {
		run := func(values []float64) *rundata.Data {
			s := &rundata.Series{Experiment: rundata.Cost, Params: []rundata.Param{{Key: "impl", Value: "hierwheel"}},
				Iterations: make([]int, len(values)), Values: map[string][]float64{rundata.NsPerOp: values}}
			return &rundata.Data{Series: []*rundata.Series{s}}
		}
		return folders(t, run(old), run(new), Terms{})
	}
	for _, c := range []struct {
		name       string
		old, new   []float64
		answer     Answer
		open       bool
		conclusion string
		more       int
	}{
		{"slower", []float64{100, 101, 99}, []float64{150, 151, 149}, Worse, false, "Something is worse by more than 10 %.", 0},
		{"faster", []float64{150, 151, 149}, []float64{100, 101, 99}, Better, false, "Nothing is worse by more than 10 %.", 0},
		{"the same", []float64{100, 101, 99}, []float64{100.5, 101.5, 99.5}, Same, false, "Nothing is worse by more than 10 %.", 0},
		{"slower by little", []float64{100, 101, 99}, []float64{108, 110, 109}, Unclear, true, "It is unclear whether something is worse by more than 10 %.", 7},
		{"scattered", []float64{100, 150, 70}, []float64{100, 151, 72}, Unclear, true, "It is unclear whether something is worse by more than 10 %.", 331},
		{"faster or the same", []float64{100, 104, 96}, []float64{92, 95, 89}, Unclear, false, "Nothing is worse by more than 10 %.", 69},
		{"one block", []float64{100}, []float64{150}, Unclear, true, "It is unclear whether something is worse by more than 10 %.", 1},
	} {
		r := one(c.old, c.new)
		row := r.Rows[0]
		require.Equal(t, c.answer, row.Answer, c.name)
		require.Equal(t, c.open, len(r.open()) > 0, c.name)
		require.InDelta(t, c.more, row.More, 0.2*float64(c.more), "%s: %d", c.name, row.More)
		_, sentences := said(t, r)
		require.Contains(t, sentences, "ANSWER "+c.conclusion, c.name)
		require.Equal(t, c.answer == Worse, strings.Contains(sentences, "WORSE Cost/impl=hierwheel 1.5× ("), sentences)
		require.Equal(t, c.answer == Better, strings.Contains(sentences, "BETTER Cost/impl=hierwheel 0.667× ("), sentences)
		require.Equal(t, c.answer == Unclear && len(c.old) > 1, strings.Contains(sentences, "more block"), sentences)
		require.Equal(t, len(c.old) == 1, strings.Contains(sentences, "1 have one block, and no interval"), sentences)
		require.Contains(t, sentences, "1 series has fewer than 3 of unchanged code to be held against")
	}
}

func TestTablesHaveARowForEachSeries(t *testing.T) {
	f := newFabric(8)
	old := f.run()
	f.slow = map[string]float64{"hierwheel": 1.5}
	r := folders(t, old, f.run(), Terms{})
	tables, sentences := said(t, r)
	for _, title := range []string{
		"Cost: time of an operation without the loop around it, less is better", "Jitter: lateness at the 99th percentile, less is better",
		"Idle: share of a core beyond an idle process, less is better", "Memory: memory for each timer, less is better",
	} {
		require.Contains(t, tables, title+"\n")
	}
	line := func(name string) string {
		for l := range strings.Lines(tables) {
			if strings.HasPrefix(strings.TrimSpace(l), name+" ") {
				return strings.Join(strings.Fields(l), " ")
			}
		}
		return ""
	}
	require.Regexp(t, `^op=pair/pending=1000/impl=hierwheel worse (19|20)\.\d ns \d\d\.\d ns 1\.[456]\d?× 1\.\d+× to 1\.\d+× 8$`, line("op=pair/pending=1000/impl=hierwheel"))
	require.Regexp(t, `^waking=1ms/pending=1000/impl=hierwheel worse \d.\d+ % \d.\d+ % \+\d.\d+ % \+\d.\d+ % to \+\d.\d+ % 8$`, line("waking=1ms/pending=1000/impl=hierwheel"))
	require.Equal(t, "pending=1000/impl=heapsched the same, to the last digit 28.0 B 28.0 B 1× - 8", line("pending=1000/impl=heapsched"))
	require.Contains(t, sentences, "WORSE ")
	_, idle := said(t, folders(t, old, copied(old, "hierwheel", 1.5), Terms{Only: exactly(rundata.Idle)}))
	require.Regexp(t, `Idle/waking=1ms/pending=1000/impl=hierwheel \+\d.\d+ % of a core \(`, idle)
	require.Regexp(t, `One in 20 of those called worse or better may be so by chance: each interval is corrected for \d+ comparison`, sentences)
	require.NotContains(t, tables+sentences, "NaN")

	r.OnlyOld, r.Unjudged = []string{"a", "b", "c", "d"}, []string{"e"}
	require.Contains(t, r.onlyLine(), "Not compared: only OLD has a, b, c and 1 more; no comparable figures: e.")
}

func TestManyAreNotAllNamed(t *testing.T) {
	r := &Result{Margin: judge.Margin}
	for i := range 20 {
		v := 2 + float64(i)
		r.Rows = append(r.Rows, Row{Name: strings.Repeat("x", i+1), Answer: Worse, Value: judge.Estimate{Value: v, Low: v, High: v}})
	}
	r.Rows = append(r.Rows, Row{Name: "out", Answer: Worse, Why: "in NEW: wrong"}, Row{Name: "share", Share: true, Answer: Worse, Value: judge.Estimate{Value: 100, Low: 99, High: 101}})
	line := most(r.with(Worse), 12)
	require.True(t, strings.HasPrefix(line, "out in NEW: wrong; "+strings.Repeat("x", 20)+" 21× (21× to 21×); "), line)
	require.True(t, strings.HasSuffix(line, "; 10 more."), line)
}

func TestWhatOnlyLookedAtAloneDiffersIsSaid(t *testing.T) {
	r := &Result{Margin: judge.Margin, Counted: 9, Rows: []Row{{Name: "a", most: 1.1, Alone: Worse, More: 3, Blocks: 5, Value: judge.Estimate{Value: 1.2, Low: 1.01, High: 1.4}}, {Name: "b", most: 1.1, Answer: Same}}}
	tables, sentences := said(t, r)
	require.Contains(t, tables, "unclear (alone: worse), 3 more would decide")
	require.Contains(t, sentences, "; without this correction 1 more would be called worse or better")
	r.Rows[0].Alone, r.Rows[0].More = Unclear, judge.TooMany
	tables, sentences = said(t, r)
	require.Contains(t, tables, "unclear, more blocks do not help")
	require.NotContains(t, sentences, "without this correction")
	require.Contains(t, sentences, "more blocks do not help most of them. May be worse by more than 10 %: a 1.2× (1.01× to 1.4×), more blocks do not help.")
	const none = "None of them is worse by more than 10 %."
	require.NotContains(t, sentences, none)
	r.Rows[0].Value = judge.Estimate{Value: 1.2, Low: 0, High: math.Inf(1)}
	tables, sentences = said(t, r)
	require.Contains(t, tables, "unknown")
	require.NotContains(t, sentences, none)
	r.Rows[0].Value = judge.Estimate{Value: 1.02, Low: 0.8, High: 1.08}
	_, sentences = said(t, r)
	require.Contains(t, sentences, none)
	require.NotContains(t, sentences, "May be worse")
}

func TestWhatDiffersOfTheMachinesIsSaidFirst(t *testing.T) {
	old := &rundata.Data{Env: map[string]string{"cpu": "A", "kernel": "6.1", "go-version": "go1.26.0", "gomaxprocs": "2", "clocksource": "tsc"}}
	new := &rundata.Data{Env: map[string]string{"cpu": "B", "kernel": "6.2", "go-version": "go1.26.1", "gomaxprocs": "4"}}
	require.Equal(t, []string{
		"CPU differs: OLD A, NEW B", "kernel differs: OLD 6.1, NEW 6.2", "Go version differs: OLD go1.26.0, NEW go1.26.1",
		"GOMAXPROCS differs: OLD 2, NEW 4", "clock differs: OLD tsc, NEW unknown", "These may be the causes of what is worse or better.",
	}, Heading(old, new))
	require.Empty(t, Heading(old, old))
	require.True(t, oneMachine(old, old))
	require.False(t, oneMachine(old, new))
}
