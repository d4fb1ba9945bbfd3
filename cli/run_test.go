package cli

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// dataRun returns the flags of a costRun that draws and says nothing.
func dataRun(flags ...string) []string { return costRun(append([]string{"--data-only"}, flags...)...) }

// costRun returns the flags of a run that takes an instant.
func costRun(flags ...string) []string {
	return append(strings.Fields("--quick --experiments cost --pending 10,20 --ops pair,insert,reset --contestants heapsched,hierwheel"), flags...)
}

// TestARunIsInterruptedResumedAndPlotted follows one run, whose blocks are processes, to its end.
func TestARunIsInterruptedResumedAndPlotted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("idle cells need Linux")
	}
	dir := filepath.Join(t.TempDir(), "run")
	args := strings.Fields("--quick --experiments cost,jitter,idle,memory --pending 10,100 --ticks 1ms --ops pair,expire " +
		"--contestants heapsched,hierwheel,time.AfterFunc --tables --out " + dir)

	first := byProgram(t, byProcesses, "jitter:", args...).ends(t, exitInterrupted).complains(t, "interrupted: 1 block is kept in ", "the same command with --out "+dir, "bench plot "+dir)
	require.Empty(t, first.out)
	require.NoDirExists(t, filepath.Join(dir, chartsDir))

	part := bench(t, "plot", dir).ends(t, 0).complains(t, "is not complete; it lacks ")
	require.Regexp(t, `(?s)CAUTION .*the run is\s+not\s+complete:\s+\d+\s+cells\s+are\s+missing`, part.out)

	done := byProgram(t, byProcesses, "", args...).ends(t, 0).lacks(t, "block-00: ").complains(t, "plan: ").says(t, "heapsched", "hierwheel", "time.AfterFunc")
	require.Equal(t, 1, strings.Count(done.err, "measured before"), done.err)
	require.Regexp(t, `\nVERDICT\n.`, done.out)
	chartsAreSound(t, filepath.Join(dir, chartsDir))
	d := loaded(t, dir)
	require.True(t, d.Complete)
	require.Empty(t, d.Lost)
	require.NotEmpty(t, d.Select(rundata.Idle, "impl="+rundata.ProcessControl))
	for _, s := range d.Series {
		require.Equal(t, []int{0, 1}, slices.Compact(slices.Clone(s.Block)), s.Name())
	}

	require.NoError(t, os.RemoveAll(filepath.Join(dir, chartsDir)))
	again := bench(t, "plot", "--tables", dir).ends(t, 0).lacks(t, "is not complete")
	require.Equal(t, done.out, again.out)
	require.Equal(t, done.out, textOf(t, filepath.Join(dir, reportFile)))
	card := bench(t, "plot", dir).ends(t, 0).says(t, "\nALL OF IT     "+dir+":", "report.html")
	require.True(t, strings.HasPrefix(done.out, card.out[:strings.Index(card.out, "\nALL OF IT ")]), "a report begins with the card")
}

func chartsAreSound(t *testing.T, dir string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		text := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		image, err := png.Decode(bytes.NewReader(text))
		require.NoError(t, err, e.Name())
		require.False(t, image.Bounds().Empty(), e.Name())
	}
}

// TestAFolderThatHoldsARun measures into one folder again and again.
func TestAFolderThatHoldsARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	measured := func() outcome { return bench(t, dataRun("--out", dir)...).ends(t, 0) }
	measured().lacks(t, "already")
	measured().complains(t, "run holds the whole run already: nothing was measured\n")
	bench(t, costRun("--seed", "2", "--out", dir)...).refused(t, "--out: ", "another plan", "bench --quick --experiments cost", "choose another folder")

	run := filepath.Join(dir, dataDir, rundata.RunName)
	described := textOf(t, run)
	byAnother(t, dir)
	bench(t, dataRun("--out", dir)...).refused(t, "--out: ", "another build", `kernel was "1.2.3" and is `, "choose another folder")
	put(t, run, described)

	path := filepath.Join(dir, dataDir, "block-00.bench.gz")
	text := textOf(t, path)
	put(t, path, text[:len(text)-5])
	for _, args := range [][]string{{"plot", dir}, dataRun("--out", dir)} {
		bench(t, args...).ends(t, exitUsage).complains(t, path+":", "remove it to have its blocks measured again").lacks(t, "TAKE")
	}
	require.NoError(t, os.Remove(path))
	bench(t, "plot", dir).ends(t, 0)
	measured().complains(t, "1 block was measured before\n", "block-02: ")
}

func TestChartsThatCannotBeWrittenAreAFailure(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, chartsDir), "")
	bench(t, costRun("--out", dir)...).ends(t, exitFailed).complains(t, chartsDir).says(t, "\nTAKE ") // the card of the blocks so far
}

func TestMergedRunsArePlottedWithAllTheirBlocks(t *testing.T) {
	dir := t.TempDir()
	a, b, all := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "all")
	for _, out := range []string{a, b} {
		bench(t, dataRun("--out", out)...).ends(t, 0).lacks(t, "VERDICT")
		require.NoDirExists(t, filepath.Join(out, chartsDir))
	}
	bench(t, "merge", a, filepath.Join(b, dataDir), "--out", all).ends(t, 0).says(t, "of 2 runs are in "+all)
	bench(t, "plot", all).ends(t, 0)

	one, both := loaded(t, a), loaded(t, all)
	require.Len(t, both.Series, len(one.Series))
	for i, s := range both.Series {
		require.Len(t, s.Blocks(rundata.NsPerOp), 2*len(one.Series[i].Blocks(rundata.NsPerOp)), s.Name())
	}

	damaged := filepath.Dir(put(t, filepath.Join(dir, "damaged", rundata.RunName), "garbage\n"))
	for reason, args := range map[string][]string{
		"cannot be merged: " + damaged: {a, damaged, "--out", filepath.Join(dir, "none")},
		"holds a run already":          {a, b, "--out", all},
		"no measurements in":           {a, dir, "--out", filepath.Join(dir, "none")},
	} {
		bench(t, append([]string{"merge"}, args...)...).refused(t, reason)
	}
}

// byAnother makes the run in a folder one of another kernel, for which all must be measured anew.
func byAnother(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, dataDir, "run.bench")
	put(t, path, regexp.MustCompile(`(?m)^# kernel: .*\n`).ReplaceAllString(textOf(t, path), "")+"# kernel: 1.2.3\n")
}

func TestPlotTakesTheRunThatWasMeasuredLast(t *testing.T) {
	t.Chdir(t.TempDir())
	bench(t, dataRun("--out", "results/first")...).ends(t, 0)
	require.NoError(t, os.CopyFS("results/second", os.DirFS("results/first")))
	bench(t, "plot").ends(t, 0).says(t, "results/second: report.html")
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join("results/first", dataDir, rundata.RunName), now, now))
	bench(t, "plot").ends(t, 0).says(t, "results/first: report.html")
}

func TestAnUnfinishedRunGoesOnUnlessItIsOfAnotherEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	const other = "results/run-other"
	benchUntil(t, "block-01", dataRun("--out", other)...)
	byAnother(t, other)
	benchUntil(t, "block-01", dataRun()...).complains(t, "starting a new run: the unfinished run in "+other+" is of another build or environment", `kernel was "1.2.3" and is `)
	byAnother(t, other) // which is the later of the two

	done := bench(t, dataRun()...).ends(t, 0).lacks(t, "anew")
	require.Equal(t, 1, strings.Count(done.err, "measured before"))
	require.Len(t, must.Get(filepath.Glob("results/run-*"))(t), 2)
	require.Equal(t, "1.2.3", loaded(t, other).Env["kernel"], "it is as it was")
}

// On a pipe each block has a line; on a terminal all have one.
func TestProgress(t *testing.T) {
	shown := func(terminal bool, steps ...harness.Step) string {
		var w bytes.Buffer
		p := newProgress(&w)
		p.terminal = terminal
		for _, s := range steps {
			p.block(s)
			require.Equal(t, s.Blocks, p.kept)
		}
		p.end()
		return w.String()
	}
	steps := []harness.Step{
		{Name: "block-00", Cells: []string{"a", "b"}, Left: 90 * time.Second},
		{Name: "idle-10", Cells: []string{"idle-10"}, Blocks: 1, Left: time.Second},
	}
	require.Equal(t, "block-00: 2 cells, 1m30s to go\nidle-10: 1 cell, 1s to go\n", shown(false, steps...))
	require.Contains(t, shown(false, harness.Step{Name: "block-04", Lost: "block-03: died: signal: killed"}), "lost a block: block-03: died: signal: killed\n")

	require.Empty(t, shown(true), "nothing to clear")
	lines := strings.Split(shown(true, steps...), "\r")
	require.Len(t, lines, 5)
	require.NotContains(t, strings.Join(lines, ""), "\n")
	require.Len(t, lines[2], len(lines[1]), "a shorter line covers the longer one")
	require.Empty(t, strings.TrimSpace(lines[3]), "the end clears the line")
	require.Empty(t, lines[4])
}
