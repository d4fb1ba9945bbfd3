package cli

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/report"
)

// parsed reads a command line that begins with the name of the program.
func parsed(t *testing.T, line string) *cli {
	t.Helper()
	words := strings.Fields(line)
	require.Equal(t, "bench", words[0], line)
	var c cli
	parser, err := parserOf(&c, io.Discard, io.Discard, func(int) { t.Error(line) })
	require.NoError(t, err)
	_, err = parser.Parse(words[1:])
	require.NoError(t, err, line)
	return &c
}

// The command beside a section of the page is one that the program understands, and that
// measures the experiments of the section.
func TestCommandsOfSectionsAreUnderstood(t *testing.T) {
	data, err := rundata.Load(filepath.Join("..", "results", "published", "data"))
	require.NoError(t, err)
	for size, flag := range map[string]string{"": "", " --quick": "--quick", " run --full": "--full"} {
		data.Env["command"] = "bench" + size
		commands := 0
		for _, s := range report.Sections(data, report.Options{}) {
			require.NotEmpty(t, s.Command, s.Title)
			require.Contains(t, s.Command, flag)
			c := parsed(t, s.Command)
			c.Run.group = c.Run.Only
			plan, err := c.Run.plan(nil)
			require.NoError(t, err, s.Command)
			require.NotEmpty(t, plan.Cells(), s.Command)
			commands++
		}
		require.Greater(t, commands, 4)
	}
	data.Env["command"] = "bench replay heartbeat --out somewhere --limit 1s --out=there"
	for _, s := range report.Sections(data, report.Options{}) {
		require.Equal(t, "bench replay heartbeat --limit 1s", s.Command)
	}
}
