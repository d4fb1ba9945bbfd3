package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
	"schedbench/internal/report/card"
	"schedbench/internal/tune"
)

// cardText returns a card as it is printed, and checks its size.
func cardText(t require.TestingT, c card.Card) string {
	var b bytes.Buffer
	require.NoError(t, c.Write(&b, card.Style{Files: "results/run-20260102-030405: report.html · report.txt (tables) · charts/"}))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.LessOrEqual(t, len(lines), card.Lines, b.String())
	for _, l := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(l), card.Columns, l)
	}
	return b.String()
}

// required is what is asked of a tick unless something else is.
var required = Options{Requirement: tune.Requirements{Lateness: 20 * time.Millisecond, CPU: 0.02}}

// golden holds a card against the one in testdata, which -update writes.
func golden(t *testing.T, name string, c card.Card) {
	t.Helper()
	got := cardText(t, c)
	path := filepath.Join("testdata", "card-"+name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./internal/report -run Card -update writes it")
	require.Equal(t, string(want), got)
}

// wins makes up a run of costs in which one takes so many times less than all others.
func wins(t truth) *rundata.Data {
	cells := defaultCells()
	for i, c := range cells {
		if c.op == rundata.OpInsert && c.n > 100_000 { // too many for a list
			cells[i].n, cells[i].names, cells[i].blocks = 100, bare, 8
		}
	}
	for _, op := range []string{rundata.OpPair, rundata.OpExpire} {
		cells = append(cells, madeCell{op: op, more: "delay=uniform", n: 1000, names: bare, blocks: 8, rounds: 3})
	}
	return newMadeRun(t, disturbance{layout: everywhere(0.02), round: 0.01}, cells, 5).draw()
}

// noisy is a run in which nothing is significant.
func noisy() *rundata.Data {
	var cells []madeCell
	for _, c := range defaultCells() {
		c.blocks, c.rounds = 3, 1
		cells = append(cells, c)
	}
	return newMadeRun(equal, disturbance{layout: everywhere(0.6), round: 0.3}, cells, 7).draw()
}

func without(d *rundata.Data, out func(*rundata.Series) bool) *rundata.Data {
	left := *d
	left.Series = slices.DeleteFunc(slices.Clone(d.Series), out)
	return &left
}

// losing has one contestant lose timers, and another answer wrongly.
func losing() *rundata.Data {
	d := wins(truth{takes: map[string]float64{catalog.Heap: 1.5, catalog.Hier: 2, catalog.Rounds: 3, catalog.Single: 3, catalog.RuntimeTimer: 6, catalog.ContainerHeap: 6}})
	g := newSynthetic(6)
	g.jitters(catalog.Heap, catalog.List, catalog.Hier)
	for _, s := range g.data.Series {
		if s.Get("impl") == catalog.List && s.Get("waking") == rundata.Tickless {
			s.Values[rundata.Lost][2] = 3
			s.Values[rundata.Doubled][0] = 1
		}
	}
	g.given(rundata.Profiles, "profile=heartbeat impl=heapsched tick=1ms", rundata.NsPerOp, heap...).Note = rundata.Wrong + ": it fired a timer that was cancelled"
	d.Series = append(d.Series, g.data.Series...)
	return d
}

func TestCardsOfFabricatedRuns(t *testing.T) {
	incomplete := wins(ahead(3, catalog.Heap))
	incomplete.Complete, incomplete.Missing = false, []string{"cost-1000000-uniform", "jitter"}
	incomplete.Env["command"] = "bench"
	replays := partial()["replays"] // of which each workload is a column by itself
	replays.Env["command"] = "bench replay rpc-timeout idle-keepalive heartbeat"
	others := func(s *rundata.Series) bool {
		return s.Get("impl") != catalog.Hier && s.Get("impl") != catalog.RuntimeTimer
	}
	for name, c := range map[string]struct {
		data *rundata.Data
		kind string
		take []string
	}{
		"heap-wins":    {wins(ahead(3, catalog.Heap)), card.TakeOne, []string{catalog.Heap}},
		"equals":       {wins(equal), card.TakeGo, []string{catalog.RuntimeTimer}},
		"go-wins":      {wins(goAhead(2)), card.TakeGo, []string{catalog.RuntimeTimer}},
		"bare-go-wins": {without(wins(goAhead(2)), func(s *rundata.Series) bool { return s.Get("op") == rundata.OpLivePair }), card.TakeGo, []string{catalog.ContainerHeap}},
		"level": {wins(slowest(3, catalog.RuntimeTimer)), card.TakeSeveral,
			[]string{catalog.Heap, catalog.Hier, catalog.Single, catalog.Rounds, catalog.List}},
		"nothing-significant": {noisy(), card.TakeSeveral, []string{catalog.Heap, catalog.Hier, catalog.Single, catalog.Rounds}},
		"lost":                {losing(), card.TakeOne, []string{catalog.Hier}},
		"only-one":            {without(wins(mixed), others), card.TakeOnly, []string{catalog.Hier}},
		"incomplete":          {incomplete, card.TakeOne, []string{catalog.Heap}},
		"left-out":            {partial()["all are left out"], card.TakeNone, nil},
		"nothing":             {nil, card.TakeNone, nil},
		"full":                {fullData(), card.TakeSeveral, []string{catalog.Heap, catalog.Hier, catalog.Single, catalog.Rounds}},
		"replays":             {replays, card.TakeTune, nil},
		"ticks-only":          {ticking(catalog.Hier, usual...), card.TakeOnly, []string{catalog.Hier}},
	} {
		t.Run(name, func(t *testing.T) {
			card := Judge(c.data, required).Card()
			require.Equal(t, []any{c.kind, c.take}, []any{card.Take.Kind, card.Take.Names})
			golden(t, name, card)
		})
	}
}

// Timers without a measured scheduler are not chosen for what was not asked of them, and yet have a row.
func TestWhoIsNoSchedulerIsNotChosenAmongThem(t *testing.T) {
	made := func(bare bool) card.Card {
		g := newSynthetic(15)
		if bare {
			g.costs([]string{"pair"}, []string{"uniform"}, []int{1000}, measured...)
		}
		g.live(rundata.OpLivePair, []int{1000}, catalog.Heap, catalog.Hier, catalog.RuntimeTimer)
		for _, s := range g.data.Select(rundata.Cost, "op="+rundata.OpLivePair, "impl="+catalog.Hier) {
			g.data.Series = append(g.data.Series, with(s, "impl", "mine"))
		}
		return Judge(g.data, required).Card()
	}
	with, without := made(true), made(false)
	require.NotContains(t, with.Take.Names, "mine")
	require.Contains(t, cardText(t, with), "\nmine ", "it has a row")
	require.Contains(t, without.Take.Names, "mine", "where no other was asked more")
}

// The commands of a card name the file of a trace.
func TestCommandsOfAReplayNameTheFileOfATrace(t *testing.T) {
	d := replayData()
	d.Env["command"] = "bench replay rpc.trace.gz heartbeat --live --out x"
	d.Env[rundata.WorkloadKey+"rpc-timeout"] = "rpc.trace.gz"
	c := Judge(d, Options{}).Card()
	require.Contains(t, cardText(t, c), `run "bench tune rpc.trace.gz"`)
	require.Empty(t, c.Open)
}

// Whatever the data, a card fits on a screen, and its facts are JSON.
func TestACardHasRoomForAnyData(t *testing.T) {
	names := append([]string{"a-contestant-with-a-name-that-is-far-too-long-for-any-table", "x"}, behind...)
	names = append(names, catalog.ContainerHeap)
	figure := rapid.OneOf(rapid.Just(0.0), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)), rapid.Float64Range(1e-9, 1e18), rapid.Float64Range(10, 20))
	params := []string{
		"op=insert pending=%d delay=uniform", "op=pair pending=%d delay=constant", "op=live-pair pending=%d goroutines=1", "op=tick pending=%d delay=uniform",
		"pending=%d", "profile=p%d tick=1ms", "waking=tickless pending=%d", "waking=5ms rate=1000 x=%d",
	}
	rapid.Check(t, func(t *rapid.T) {
		d := &rundata.Data{Env: map[string]string{"cpu": rapid.StringN(0, 200, -1).Draw(t, "cpu"), "cpus": "2", "slowed-by": rapid.SampledFrom([]string{"", "race detector"}).Draw(t, "slow")}}
		for range rapid.IntRange(0, 40).Draw(t, "series") {
			s := &rundata.Series{Experiment: rapid.SampledFrom(rundata.ExperimentNames()).Draw(t, "experiment"), Values: map[string][]float64{}}
			s.Params = paramsOf("impl=" + rapid.SampledFrom(names).Draw(t, "name") + " " + fmt.Sprintf(rapid.SampledFrom(params).Draw(t, "params"), rapid.SampledFrom([]int{1, 1000, 100_000_000}).Draw(t, "n")))
			n := rapid.IntRange(0, 8).Draw(t, "blocks")
			s.Iterations = slices.Repeat([]int{10_000}, n)
			for _, unit := range []string{rundata.ExperimentOf(s.Experiment).Unit, rundata.CPUPerSecond, rundata.Lost, rundata.ChurnedPerTimer, rundata.P99Late} {
				if unit == rundata.Lost && rapid.IntRange(0, 3).Draw(t, "sound") > 0 {
					continue
				}
				s.Values[unit] = rapid.SliceOfN(figure, n, n).Draw(t, unit)
			}
			s.Note = rapid.SampledFrom([]string{"", "", "", rundata.GaveUp + " after 1s", rundata.Wrong + ": lost one"}).Draw(t, "note")
			d.Series = append(d.Series, s)
		}
		c := Judge(d, required).Card()
		cardText(t, c)
		must.Get(json.Marshal(c))(t)
	})
}

func keysOf(v any, keys map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			keys[key] = true
			keysOf(value, keys)
		}
	case []any:
		for _, value := range v {
			keysOf(value, keys)
		}
	}
}

func TestTheSchemaIsThatOfTheDocs(t *testing.T) {
	_, schema, ok := strings.Cut(string(must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "card.md")))(t)), "## For programs")
	require.True(t, ok)
	keys, states := map[string]bool{}, []string{card.TakeOne, card.TakeSeveral, card.TakeGo, card.TakeOnly, card.TakeNone, card.CellBehind, card.CellSame, card.CellAhead, card.CellUnclear, card.CellNone}
	for _, d := range []*rundata.Data{fullData(), losing(), wins(equal), partial()["all are left out"], ownData(catalog.Heap, catalog.List, "mine").data} {
		d.Env["geometry-hierwheel"] = "tick 1ms"
		d.Env["slowed-by"] = "race detector"
		written := must.Get(json.Marshal(Judge(d, required).Card()))(t)
		var facts any
		require.NoError(t, json.Unmarshal(written, &facts))
		keysOf(facts, keys)
	}
	require.Greater(t, len(keys), 50)
	for key := range keys {
		require.Contains(t, schema, "`"+key+"`", "docs/card.md does not say what this is")
	}
	for _, m := range regexp.MustCompile("`([a-z_0-9]+)`").FindAllStringSubmatch(schema, -1) {
		require.True(t, keys[m[1]] || slices.Contains(states, m[1]) || m[1] == card.TakeTune || m[1] == "slower" || m[1] == "faster", "nothing has the key %q of docs/card.md", m[1])
	}
	for _, state := range states {
		require.Contains(t, schema, "`"+state+"`")
	}
	for _, g := range allGroups() {
		require.NotEmpty(t, g.when, g.word)
	}
	require.Equal(t, "one long Reset hurts", whenAsked("tail", "Reset"))
}
