package cli

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// tinyRun returns the flags of a run of all experiments that takes seconds.
func tinyRun(flags ...string) []string {
	return append(strings.Fields("--quick --experiments cost,jitter,idle,memory --pending 10,100 --ticks 1ms --ops pair,expire --contestants heapsched,hierwheel,time.AfterFunc"), flags...)
}

// dataRun returns the flags of a costRun that draws and says nothing.
func dataRun(flags ...string) []string { return costRun(append([]string{"--data-only"}, flags...)...) }

// costRun returns the flags of a run that takes an instant.
func costRun(flags ...string) []string {
	return append(strings.Fields("--quick --experiments cost --pending 10,20 --ops pair,insert,reset --contestants heapsched,hierwheel"), flags...)
}

// TestARunIsInterruptedResumedAndPlotted follows one run to its end. Its blocks are processes, with participants
// beside each other.
func TestARunIsInterruptedResumedAndPlotted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("idle cells need Linux")
	}
	dir := filepath.Join(t.TempDir(), "run")
	args := tinyRun("--svg", "--tables", "--out", dir)

	first := byProgram(t, byProcesses, "jitter:", args...).ends(t, exitInterrupted)
	first.complains(t, "interrupted: 1 block is kept in ", "the same command with --out "+dir, "bench plot "+dir)
	require.Empty(t, first.out)
	require.NoDirExists(t, filepath.Join(dir, chartsDir))

	part := bench(t, "plot", dir).ends(t, 0)
	require.Contains(t, part.err, "is not complete; it lacks ")
	require.Regexp(t, `(?s)CAUTION .*the run is\s+not\s+complete:\s+\d+\s+cells\s+are\s+missing`, part.out)

	done := byProgram(t, byProcesses, "", args...).ends(t, 0)
	require.Equal(t, 1, strings.Count(done.err, "measured before"), done.err)
	require.NotContains(t, done.err, "block-00: ")
	require.Contains(t, done.err, "plan: ")
	_, verdict, _ := strings.Cut(done.out, "\nVERDICT\n")
	require.NotEmpty(t, verdict)
	done.says(t, "heapsched", "hierwheel", "time.AfterFunc")
	chartsAreSound(t, filepath.Join(dir, chartsDir))
	d := loaded(t, dir)
	require.True(t, d.Complete)
	require.Empty(t, d.Lost)
	require.NotEmpty(t, d.Select(rundata.Idle, "impl="+rundata.ProcessControl))
	for _, s := range d.Series {
		require.Equal(t, []int{0, 1}, slices.Compact(slices.Clone(s.Block)), s.Name())
	}

	require.NoError(t, os.RemoveAll(filepath.Join(dir, chartsDir)))
	again := bench(t, "plot", "--tables", dir).ends(t, 0)
	require.NotContains(t, again.err, "is not complete")
	require.Equal(t, done.out, again.out)
	require.Equal(t, done.out, string(must.Get(os.ReadFile(filepath.Join(dir, reportFile)))(t)))
	card := bench(t, "plot", dir).ends(t, 0)
	require.True(t, strings.HasPrefix(done.out, card.out[:strings.Index(card.out, "\nALL OF IT ")]), "a report begins with the card")
	require.Contains(t, card.out, "\nALL OF IT     "+dir+": report.html")
	require.NotContains(t, card.out, "\x1b", "it is no terminal")
	require.Empty(t, must.Get(filepath.Glob(filepath.Join(dir, chartsDir, "*.svg")))(t), "they have to be asked for")
}

// chartsAreSound checks that there are charts, and that they are images.
func chartsAreSound(t *testing.T, dir string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	kinds := map[string]int{}
	for _, e := range entries {
		text := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		kind := filepath.Ext(e.Name())
		kinds[kind]++
		switch kind {
		case ".png":
			image, err := png.Decode(bytes.NewReader(text))
			require.NoError(t, err, e.Name())
			require.False(t, image.Bounds().Empty(), e.Name())
		case ".svg":
			require.NoError(t, xml.Unmarshal(text, &struct{}{}), e.Name())
		}
	}
	require.Positive(t, kinds[".png"])
	require.Equal(t, kinds[".png"], kinds[".svg"])
	require.Len(t, kinds, 2)
}

func TestAFolderWithAnotherPlanIsRefused(t *testing.T) {
	dir := t.TempDir()
	bench(t, dataRun("--out", dir)...).ends(t, 0)
	bench(t, costRun("--seed", "2", "--out", dir)...).refused(t, "--out: ", "another plan", "bench --quick --experiments cost", "choose another folder")
}

func TestDamagedDataAreNotPlotted(t *testing.T) {
	dir := t.TempDir()
	bench(t, dataRun("--out", dir)...).ends(t, 0)
	path := filepath.Join(dir, dataDir, "block-00.bench.gz")
	text := must.Get(os.ReadFile(path))(t)
	require.NoError(t, os.WriteFile(path, text[:len(text)-5], 0o644))
	for _, args := range [][]string{{"plot", dir}, dataRun("--out", dir)} {
		got := bench(t, args...).ends(t, exitUsage)
		got.complains(t, path+":", "remove it to have its blocks measured again")
		require.NotContains(t, got.out, "TAKE")
	}
	require.NoError(t, os.Remove(path))
	bench(t, "plot", dir).ends(t, 0)
	got := bench(t, dataRun("--out", dir)...).ends(t, 0)
	require.Contains(t, got.err, "1 block was measured before\n")
	require.Contains(t, got.err, "block-02: ", "one block is measured again")
}

func TestChartsThatCannotBeWrittenAreAFailure(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, chartsDir), nil, 0o644))
	got := bench(t, costRun("--out", dir)...).ends(t, exitFailed)
	require.Contains(t, got.err, chartsDir)
	require.Contains(t, got.out, "\nTAKE ", "the card of the blocks so far")
}

func TestWhatARunLacksIsNamedUpToAFew(t *testing.T) {
	for want, cells := range map[string][]string{
		"":                              nil,
		"; it lacks a":                  {"a"},
		"; it lacks a, b, c":            {"a", "b", "c"},
		"; it lacks a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		require.Equal(t, want, missing(&rundata.Data{Missing: cells}))
	}
}

func TestAFolderMayBeBelowHome(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	var f folder
	require.NoError(t, f.UnmarshalText([]byte("~/runs")))
	require.Equal(t, kong.ExpandPath("~/runs"), string(f))
	require.NotContains(t, f, "~")
	require.Error(t, f.UnmarshalText(nil))
}

func TestMergedRunsArePlottedWithAllTheirBlocks(t *testing.T) {
	dir := t.TempDir()
	a, b, all := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "all")
	for _, out := range []string{a, b} {
		got := bench(t, dataRun("--out", out)...).ends(t, 0)
		require.NotContains(t, got.out, "VERDICT")
		require.NoDirExists(t, filepath.Join(out, chartsDir))
	}
	bench(t, "merge", a, filepath.Join(b, dataDir), "--out", all).ends(t, 0).says(t, "of 2 runs are in "+all)
	bench(t, "plot", all).ends(t, 0)

	one, both := loaded(t, a), loaded(t, all)
	require.Len(t, both.Series, len(one.Series))
	for i, s := range both.Series {
		require.Len(t, s.Blocks(rundata.NsPerOp), 2*len(one.Series[i].Blocks(rundata.NsPerOp)), s.Name())
	}

	damaged := filepath.Join(dir, "damaged")
	require.NoError(t, os.MkdirAll(damaged, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, rundata.RunName), []byte("garbage\n"), 0o644))
	for reason, args := range map[string][]string{
		"cannot be merged: " + damaged: {a, damaged, "--out", filepath.Join(dir, "none")},
		"hold the same measurements":   {a, a, "--out", filepath.Join(dir, "twice")},
		"want two at least":            {a, "--out", filepath.Join(dir, "alone")},
		"holds a run already":          {a, b, "--out", all},
		"no measurements in":           {a, dir, "--out", filepath.Join(dir, "none")},
		"missing flags: --out":         {a, b},
	} {
		bench(t, append([]string{"merge"}, args...)...).refused(t, reason)
	}
}

// byAnother makes the run in a folder one of another kernel, for which all must be measured anew.
func byAnother(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, dataDir, "run.bench")
	lines := regexp.MustCompile(`(?m)^# kernel: .*\n`).ReplaceAllString(string(must.Get(os.ReadFile(path))(t)), "") + "# kernel: 1.2.3\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o644))
}

// runsIn returns the folders of runs in results.
func runsIn(t *testing.T) []string {
	t.Helper()
	return must.Get(filepath.Glob("results/run-*"))(t)
}

func TestPlotTakesTheRunThatWasMeasuredLast(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"results/first", "results/second"} {
		bench(t, dataRun("--out", dir)...).ends(t, 0)
	}
	bench(t, "plot").ends(t, 0).says(t, "results/second: report.html")
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join("results/first", dataDir, rundata.RunName), now, now))
	bench(t, "plot").ends(t, 0).says(t, "results/first: report.html")
}

func TestAnotherEnvironmentBeginsAFolderOfItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	benchUntil(t, "block-01", dataRun()...)
	begun := runsIn(t)
	require.Len(t, begun, 1)
	byAnother(t, begun[0])

	done := bench(t, dataRun()...).ends(t, 0)
	require.NotContains(t, done.err, "measured before")
	done.complains(t, "the unfinished run in "+begun[0]+" is of another build or environment", `kernel was "1.2.3" and is `, "starting a new run: ")
	require.Len(t, runsIn(t), 2)
	require.Equal(t, "1.2.3", loaded(t, begun[0]).Env["kernel"], "it is as it was")
}

func TestARunThatCanGoOnDoesWhateverElseIsThere(t *testing.T) {
	t.Chdir(t.TempDir())
	benchUntil(t, "block-01", dataRun("--out", "results/run-mine")...)
	benchUntil(t, "block-01", dataRun("--out", "results/run-other")...)
	byAnother(t, "results/run-other") // the later of the two
	done := bench(t, dataRun()...).ends(t, 0)
	require.Equal(t, 1, strings.Count(done.err, "measured before"))
	require.Contains(t, done.err, "go to results/run-mine\n")
	require.NotContains(t, done.err, "starts anew")
}

func TestAFolderOfAnotherEnvironmentIsMeasuredAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	bench(t, dataRun("--out", dir)...)
	byAnother(t, dir)

	done := bench(t, dataRun("--out", dir)...).ends(t, 0)
	require.NotContains(t, done.err, "measured before")
	done.complains(t, dir+` holds a run by another build or in another environment (kernel was "1.2.3" and is `,
		"it is kept in "+filepath.Join(dir, "old")+", and this one starts anew")
	bench(t, "plot", filepath.Join(dir, "old")).ends(t, 0)

	again := bench(t, dataRun("--out", dir)...).ends(t, 0)
	require.NotContains(t, again.err, "block-", "all is there")
	require.NotContains(t, again.err, "starts anew")
	require.NoDirExists(t, filepath.Join(dir, "old-2"))
}

func TestACompleteRunIsNotMeasuredAgain(t *testing.T) {
	args := dataRun("--out", filepath.Join(t.TempDir(), "run"))
	first := bench(t, args...).ends(t, 0)
	require.NotContains(t, first.err, "already")
	bench(t, args...).ends(t, 0).complains(t, "run holds the whole run already: nothing was measured\n")
}
