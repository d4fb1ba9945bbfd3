package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// played copies what the published run has of one experiment, changed.
func played(t *testing.T, change func(line string) string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, dataDir), 0o755))
	for _, pattern := range []string{"run.bench", "jitter.*"} {
		found := must.Get(filepath.Glob(filepath.Join("..", "results", "published", dataDir, pattern)))(t)
		require.NotEmpty(t, found, pattern)
		for _, from := range found {
			text := must.Get(rundata.ReadText(from))(t)
			var lines strings.Builder
			for l := range strings.Lines(string(text)) {
				lines.WriteString(change(l))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, dataDir, strings.TrimSuffix(filepath.Base(from), ".gz")), []byte(lines.String()), 0o644))
		}
	}
	return dir
}

// A run with wrong answers is shown and kept whole, and the exit status is that of a failure.
func TestPlotOfWrongAnswersFails(t *testing.T) {
	first := true
	dir := played(t, func(l string) string {
		if first && strings.HasPrefix(l, "Benchmark") && strings.Contains(l, "impl=hierwheel/") && strings.Contains(l, " 0 lost") {
			first = false
			return strings.Replace(l, " 0 lost", " 3 lost", 1)
		}
		return l
	})
	require.False(t, first, "nothing was changed")
	for _, flags := range [][]string{nil, {"--json"}, {"--readme"}} {
		got := bench(t, append(append([]string{"plot"}, flags...), dir)...).ends(t, exitFailed)
		require.Contains(t, got.err, "answers were wrong: hierwheel lost 3 timers", flags)
		if flags == nil {
			require.Contains(t, got.out, "WRONG         hierwheel lost 3 timers: do not take it")
		} else if flags[0] == "--json" {
			require.Contains(t, got.out, `"lost": 3`)
		}
	}
	for _, name := range []string{reportFile, answersFile, regretFile, pageFile, "README.md"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}
