package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// byAnother makes the run in a folder one of another kernel, for which all must be
// measured anew.
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

func TestAnotherEnvironmentBeginsAFolderOfItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	benchUntil(t, "block-01", dataRun()...)
	begun := runsIn(t)
	require.Len(t, begun, 1)
	byAnother(t, begun[0])

	done := bench(t, dataRun()...).ends(t, 0)
	require.NotContains(t, done.err, "measured before")
	done.complains(t, "the unfinished run in "+begun[0]+" cannot go on", `kernel was "1.2.3" and is `, "this one starts anew")
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
