package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// byAnother makes the run in a folder one of another kernel, for which all must be
// measured anew.
func byAnother(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, dataDir, "run.bench")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^# kernel: .*\n`).ReplaceAllString(string(text), "") + "# kernel: 1.2.3\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o644))
}

// runsIn returns the folders of runs in results.
func runsIn(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("results/run-*")
	require.NoError(t, err)
	return list
}

func TestAnotherEnvironmentBeginsAFolderOfItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	benchUntil(t, "block-01", dataRun()...)
	begun := runsIn(t)
	require.Len(t, begun, 1)
	byAnother(t, begun[0])

	done := bench(t, dataRun()...).ends(t, 0)
	require.NotContains(t, done.err, "measured before")
	require.Contains(t, done.err, "the unfinished run in "+begun[0]+" cannot go on")
	require.Contains(t, done.err, `kernel was "1.2.3" and is `)
	require.Contains(t, done.err, "this one starts anew")
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
	for name, measured := range map[string]func(t *testing.T, args ...string) outcome{
		"unfinished": func(t *testing.T, args ...string) outcome { return benchUntil(t, "block-01", args...) },
		"finished":   bench,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			measured(t, dataRun("--out", dir)...)
			byAnother(t, dir)

			done := bench(t, dataRun("--out", dir)...).ends(t, 0)
			require.NotContains(t, done.err, "measured before")
			require.Contains(t, done.err, dir+` holds a run by another build or in another environment (kernel was "1.2.3" and is `)
			require.Contains(t, done.err, "it is kept in "+filepath.Join(dir, "old")+", and this one starts anew")
			bench(t, "plot", filepath.Join(dir, "old")).ends(t, 0)

			again := bench(t, dataRun("--out", dir)...).ends(t, 0)
			require.NotContains(t, again.err, "block-", "all is there")
			require.NotContains(t, again.err, "starts anew")
			require.NoDirExists(t, filepath.Join(dir, "old-2"))
		})
	}
}
