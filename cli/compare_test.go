package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
)

// fabricatedRun writes a run of one cell of which the truth is known, and returns its folder: eight blocks of two
// rounds with a scatter of 3 %, as many times as slow as it says.
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
	put(t, filepath.Join(dir, dataDir, "cost-1000-uniform.bench.gz"), cell.String())
	put(t, filepath.Join(dir, dataDir, rundata.RunName), "cpu: Made-up CPU\n# go-version: go1.26.0\n# gomaxprocs: 2\n# plan: 0123\n# order: cost-1000-uniform\n# complete: true\n"+
		strings.Join(append(env, ""), "\n"))
	return dir
}

func TestCompareAnswersByItsExitStatus(t *testing.T) {
	old := fabricatedRun(t, 1, nil, "# commit: aaa", "# kernel: 6.1")
	again := fabricatedRun(t, 2, nil, "# commit: aaa", "# kernel: 6.1")
	slow := fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3}, "# commit: bbb", "# kernel: 6.1")
	mixed := fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3, "heapsched": 0.5}, "# commit: aaa", "# kernel: 6.1")
	other := fabricatedRun(t, 4, map[string]float64{"hierwheel": 0.5, "heapsched": 0.5, "container-heap": 0.5}, "# commit: aaa", "# kernel: 6.2")
	for _, c := range []struct {
		args   []string
		status int
		says   []string
	}{
		{[]string{"--tables", old, again}, 0, []string{"NEW           " + again + ", of commit aaa\n",
			"\nANSWER        Nothing is worse by more than 10 %. Of 3 series 0 worse, 0 better, 3 the same within"}},
		{[]string{"--tables", old, slow}, exitWorse, []string{"\nANSWER        Something is worse by more than 10 %. Of 3 series 1 worse, ",
			"\nWORSE         Cost/op=pair/impl=hierwheel/pending=1000/delay=uniform 1.3"}},
		{[]string{"--tables", slow, old}, 0, []string{"\nBETTER        Cost/op=pair/impl=hierwheel/"}},
		{[]string{"--tables", old, again, "--margin", "1%"}, exitUnclear, []string{"\nANSWER        It is unclear whether something is worse by more than 1 %.",
			" unclear series whose code may differ: ", " more blocks would decide half of"}},
		{[]string{old, mixed}, exitWorse, []string{"\nANSWER        Something is worse by more than 10 %. Of 3 series 1 worse, 1 better, ",
			"\nWORSE         Cost/op=pair/impl=hierwheel/pending=1000/delay=uniform 1.3", "\nBETTER        Cost/op=pair/impl=heapsched/pending=1000/delay=uniform 0.4"}},
		{[]string{old, filepath.Join(old, dataDir)}, 0, []string{"OLD and NEW are the same measurements, to the last digit"}},
		{[]string{old, slow, "--only", "IMPL=HEAPSCHED op=pair"}, 0, []string{"Of 1 series"}},
		{[]string{old, slow, "--margin", "40%"}, 0, nil}, // a third is within the margin
		{[]string{old, other}, 0, []string{"\nkernel differs: OLD 6.1, NEW 6.2\nThese may be the causes of what is worse or better.\n", "Of 3 series 0 worse, 3 better"}},
	} {
		got := bench(t, append([]string{"compare"}, c.args...)...).ends(t, c.status)
		got.says(t, c.says...)
		require.Equal(t, slices.Contains(c.args, other), strings.Contains(got.out, "differs: OLD"))
		require.Empty(t, got.err, "an answer is no error")
		if c.args[0] == old { // a card
			require.NotContains(t, got.out, "NEW / OLD", "tables have to be asked for")
			require.LessOrEqual(t, strings.Count(got.out, "\n"), 40)
		}
		if strings.Contains(got.out, " and 0 unclear") {
			require.NotContains(t, got.out, "whose code may differ")
		}
	}
}

func TestAComparisonAsJSON(t *testing.T) {
	got := bench(t, "compare", "--json", fabricatedRun(t, 1, nil), fabricatedRun(t, 3, map[string]float64{"hierwheel": 1.3})).ends(t, exitWorse)
	var result struct {
		Answer string
		Margin float64
		Rows   []struct {
			Name, Answer string
			Ratio, Low   float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &result), got.out)
	require.InDelta(t, 0.1, result.Margin, 1e-9)
	require.Equal(t, "worse", result.Answer)
	for _, row := range result.Rows {
		worse := strings.Contains(row.Name, "impl=hierwheel/")
		require.Equal(t, worse, row.Answer == "worse", row.Name)
		if worse {
			require.InDelta(t, 1.3, row.Ratio, 0.1)
			require.Less(t, row.Low, row.Ratio)
		}
	}
	require.Len(t, result.Rows, 3)
	bench(t, "compare", "--json", "--margin", "1%", fabricatedRun(t, 1, nil), fabricatedRun(t, 2, nil)).ends(t, exitUnclear).says(t, `"may_be_worse": true`)
}

func TestCompareRefusesWhatItCannotCompare(t *testing.T) {
	run, damaged := fabricatedRun(t, 1, nil), written(t, rundata.RunName, "damaged\n")
	bench(t, "compare", run, run, "--only", "wal").refused(t, "have no series in common that match \"wal\"")
	bench(t, "compare", run, filepath.Dir(damaged)).ends(t, exitUsage) // 1 would say that something is worse
}

// builder stands for the go command: it copies a script in place of building.
const builder = `#!/bin/sh
[ "$1 $2 $3 $5" = "build -trimpath -o ./cmd/bench" ] && cp cmd/bench/script "$4"
`

// scripted stands for bench: it writes a run of one cell, in which hierwheel takes some nanoseconds.
const scripted = `#!/bin/sh
[ "$*" = "run --help" ] && exec echo --experiments --pending --blocks --seed --data-only --out
for out; do :; done
digits=$(basename "$out" | cksum | cut -c 1-3)
mkdir -p "$out/data"
for c in hierwheel=%d container-heap=90 empty=2; do
	echo "BenchmarkCost/op=pair/impl=${c%%=*}/pending=1000 1000 ${c#*=}.$digits ns/op"
done >"$out/data/one.bench.gz"
printf '# plan: 1\n# order: one\n# complete: true\n# command: %%s\n' "$*" >"$out/data/run.bench"
`

// checkout makes a checkout of a module with a command bench, whose hierwheel takes 20 ns, and goes there.
func checkout(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	bin := filepath.Dir(written(t, "go", builder))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir = t.TempDir()
	t.Chdir(dir)
	put(t, "go.mod", "module schedbench\n\ngo 1.26\n")
	put(t, ".gitignore", "/out*\n")
	takes(t, 20)
	git(t, "init", "--quiet")
	commitAll(t)
	return dir
}

// takes has the working tree's hierwheel take some nanoseconds.
func takes(t *testing.T, ns int) {
	t.Helper()
	put(t, "cmd/bench/script", fmt.Sprintf(scripted, ns))
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func commitAll(t *testing.T) {
	t.Helper()
	git(t, "add", "-A")
	git(t, "commit", "--quiet", "-m", "change")
}

func TestARevisionIsComparedWithTheWorkingTree(t *testing.T) {
	dir := checkout(t)
	out := filepath.Join(dir, "out")
	bench(t, "compare", "--rev", "HEAD", "--pairs", "4", "--out", "out-same").ends(t, 0).
		says(t, "HEAD and the working tree are the same program: nothing to measure.").lacks(t, "What measures differs too")
	same := bench(t, "compare", "--rev", "HEAD", "--json").ends(t, 0)
	require.JSONEq(t, `{"answer": "not worse", "margin": 0.1, "one_machine": true, "rows": [], "only_old": [], "only_new": [], "unjudged": []}`, same.out)

	takes(t, 26)
	put(t, "harness/cost.go", "package harness\n")
	git(t, "add", "-A")
	args := []string{"compare", "--rev", "HEAD", "--pairs", "4", "--out", out}
	benchUntil(t, "[4/8]", args...).complains(t, "interrupted: what was measured is kept in "+out+"; the same command with --out "+out+" goes on from there")
	require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"), "what was checked out aside is gone")

	got := bench(t, args...).ends(t, exitWorse).lacks(t, "[3/8]", "are the same program") // what was measured is kept
	require.Regexp(t, `\[4/8\] pair 2, OLD\n\[5/8\] pair 3, OLD, \S+ to go\n\[6/8\] pair 3, NEW, .*\n\[7/8\] pair 4, NEW, .*\n`, got.err, "who comes first alternates")
	got.says(t, "OLD is HEAD (", "What measures differs too (harness/cost.go): ", "\nWORSE         Cost/op=pair/impl=hierwheel/pending=1000 1.3",
		"\nNEXT          The same command with --out", "with --pairs 8 instead of --tables it adds 4 pairs")
	require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"))

	run := loaded(t, filepath.Join(out, "new-4"))
	require.Equal(t, "--experiments=cost --pending=1000,100000 --blocks=2 --seed=1 --data-only --out "+filepath.Join(out, "new-4"), run.Env["command"])
	for _, side := range []string{"old", "new"} {
		require.Len(t, loaded(t, filepath.Join(out, side)).Series[0].Blocks(rundata.NsPerOp), 4)
	}

	bench(t, "compare", "--rev", "HEAD", "--pairs", "5", "--out", out).ends(t, exitWorse).complains(t, "[9/10] pair 5, OLD").lacks(t, "pair 4,")

	takes(t, 27)
	bench(t, args...).refused(t, "--out: the folder holds something else: "+filepath.Join(out, "about.txt")+" says")
}

func TestWhatCannotBeBuiltOrMeasuredIsSaid(t *testing.T) {
	checkout(t)
	refused := func(reason string, args ...string) {
		t.Helper()
		bench(t, append([]string{"compare"}, args...)...).refused(t, reason)
		require.Equal(t, 1, strings.Count(git(t, "worktree", "list"), "\n"))
	}
	refused(`git knows no revision "nowhere"`, "--rev", "nowhere", "--out", "out1")
	refused("want the folders of two runs, OLD and NEW, or --rev", "--rev", "")
	refused("--rev measures both runs itself", "--rev", "HEAD", "out1", "out2")
	refused("--pending 9 has no effect without --rev", "out1", "out2", "--pending", "9")
	takes(t, 26) // else there is nothing to measure
	refused("HEAD does not know --drain", "--rev", "HEAD", "--experiments", "drain", "--drain", "2", "--out", "out2")
	refused(`--pending: "-1", want a whole number from 1 to 100M`, "--rev", "HEAD", "--pending=-1", "--out", "out3")
	put(t, "kept/by.txt", "somebody\n")
	refused("there is no about.txt in ", "--rev", "HEAD", "--out", "kept")

	require.NoError(t, os.Remove("cmd/bench/script"))
	refused("the working tree cannot be built", "--rev", "HEAD", "--out", "out4")
	commitAll(t)
	takes(t, 20)
	refused("cannot be built: exit status 1", "--rev", "HEAD", "--out", "out5")

	t.Chdir(t.TempDir())
	bench(t, "compare", "--rev", "HEAD").refused(t, "is not in a checkout of module schedbench")
}
