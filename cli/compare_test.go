package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// fabricatedRun writes a run of one cell of which the truth is known, and returns its
// folder: eight blocks of two rounds with a scatter of 3 %, as many times as slow as it
// says.
func fabricatedRun(t *testing.T, seed uint64, slow map[string]float64, env ...string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	var cell strings.Builder
	cell.WriteString("goos: linux\ncpu: Made-up CPU\n# rounds-per-block: 2\n\n")
	for range 8 {
		layout := map[string]float64{}
		for range 2 {
			for _, c := range []struct {
				name string
				ns   float64
			}{{"empty", 2}, {"heapsched", 30}, {"hierwheel", 20}, {"hierwheel-again", 20}, {"container-heap", 90}} {
				if layout[c.name] == 0 {
					layout[c.name] = c.ns * math.Exp(0.03*r.NormFloat64())
				}
				v := layout[c.name]
				if s, ok := slow[strings.TrimSuffix(c.name, rundata.AASuffix)]; ok {
					v *= s
				}
				fmt.Fprintf(&cell, "BenchmarkCost/op=pair/impl=%s/pending=1000/delay=uniform 1000 %v ns/op\n", c.name, v*math.Exp(0.02*r.NormFloat64()))
			}
		}
	}
	dir := t.TempDir()
	data := filepath.Join(dir, dataDir)
	require.NoError(t, os.Mkdir(data, 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(data, name), []byte(text), 0o644))
	}
	write("cost-1000-uniform.bench", cell.String())
	write("run.bench", "cpu: Made-up CPU\n# go-version: go1.26.0\n# gomaxprocs: 2\n# plan: 0123\n# order: cost-1000-uniform\n# complete: true\n"+
		strings.Join(append(env, ""), "\n"))
	return dir
}

func TestCompareAnswersByItsExitStatus(t *testing.T) {
	old := fabricatedRun(t, 1, nil, "# commit: aaa", "# kernel: 6.1")
	again := fabricatedRun(t, 2, nil, "# commit: aaa", "# kernel: 6.1")
	slow := fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3}, "# commit: bbb", "# kernel: 6.1")

	other := fabricatedRun(t, 4, map[string]float64{"hierwheel": 0.5, "heapsched": 0.5, "container-heap": 0.5}, "# commit: aaa", "# kernel: 6.2")
	for _, c := range []struct {
		args   []string
		status int
		says   []string
	}{
		{[]string{"--tables", old, again}, 0, []string{"NEW           " + again + ", of commit aaa\n",
			"\nCOMPARED\n- Nothing is worse by more than 10 %.\n- Of 3 series 0 worse, 0 better, 3 the same within 10 % and 0 unclear.\n"}},
		{[]string{"--tables", old, slow}, exitWorse, []string{"- Something is worse by more than 10 %.\n- Of 3 series 1 worse, ",
			"- Worse, by most first: Cost/op=pair/impl=hierwheel/pending=1000/delay=uniform 1.3"}},
		{[]string{"--tables", slow, old}, 0, []string{"- Better, by most first: Cost/op=pair/impl=hierwheel/"}},
		{[]string{"--tables", old, again, "--margin", "1%"}, exitUnclear, []string{"- It is unclear whether something is worse by more than 1 %.\n",
			" more blocks would decide half of them"}},
		{[]string{old, filepath.Join(old, dataDir)}, 0, []string{"OLD and NEW are the same measurements, to the last digit"}},
		{[]string{old, slow, "--only", "IMPL=HEAPSCHED op=pair"}, 0, []string{"Of 1 series"}},
		{[]string{old, slow, "--margin", "40%"}, 0, nil}, // a third is within the margin
		{[]string{old, other}, 0, []string{"\nkernel differs: OLD 6.1, NEW 6.2\nWhat is worse or better may be so for these reasons.\n", "Of 3 series 0 worse, 3 better"}},
	} {
		got := bench(t, append([]string{"compare"}, c.args...)...).ends(t, c.status)
		got.says(t, c.says...)
		require.Equal(t, slices.Contains(c.args, other), strings.Contains(got.out, "differs: OLD"))
		require.Empty(t, got.err, "an answer is no error")
	}
}

// Without tables there are a few lines, each with its label.
func TestACardOfAComparison(t *testing.T) {
	got := bench(t, "compare", fabricatedRun(t, 1, nil), fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3, "heapsched": 0.5})).ends(t, exitWorse)
	got.says(t, "\nANSWER        Something is worse by more than 10 %. Of 3 series 1 worse, 1 better, ",
		"\nWORSE         Cost/op=pair/impl=hierwheel/pending=1000/delay=uniform 1.3", "\nBETTER        Cost/op=pair/impl=heapsched/pending=1000/delay=uniform 0.4")
	require.NotContains(t, got.out, "NEW / OLD", "tables have to be asked for")
	require.LessOrEqual(t, strings.Count(got.out, "\n"), 40)
}

func TestAComparisonAsJSON(t *testing.T) {
	got := bench(t, "compare", "--json", fabricatedRun(t, 1, nil), fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3})).ends(t, exitWorse)
	var result struct {
		Margin float64
		Rows   []struct {
			Name, Unit, Answer string
			Ratio, Low, High   float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &result), got.out)
	require.InDelta(t, 0.1, result.Margin, 1e-9)
	worse := 0
	for _, row := range result.Rows {
		if row.Answer == "worse" {
			worse++
			require.Contains(t, row.Name, "impl=hierwheel/")
			require.InDelta(t, 1.3, row.Ratio, 0.1)
			require.Less(t, row.Low, row.Ratio)
		}
	}
	require.Equal(t, 1, worse, got.out)
	bench(t, "compare", "--json", "--tables", "a", "b").ends(t, exitUsage)
}

func TestCompareRefusesWhatItCannotCompare(t *testing.T) {
	run := fabricatedRun(t, 1, nil)
	for reason, args := range map[string][]string{
		"want the folders of two runs":                {run},
		"no measurements in":                          {run, t.TempDir()},
		"have no series in common that match \"wal\"": {run, run, "--only", "wal"},
		"--only: error parsing regexp":                {run, run, "--only", "("},
		"--margin":                                    {run, run, "--margin", "-1%"},
	} {
		got := bench(t, append([]string{"compare"}, args...)...).ends(t, exitUsage)
		require.Contains(t, got.err, reason)
		require.Empty(t, got.out, reason)
	}
	damaged := fabricatedRun(t, 1, nil)
	require.NoError(t, os.WriteFile(filepath.Join(damaged, dataDir, "run.bench"), []byte("damaged\n"), 0o644))
	bench(t, "compare", run, damaged).ends(t, exitUsage) // 1 would say that something is worse
}
