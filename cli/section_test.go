package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/report"
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
	data, err := publishedData()
	require.NoError(t, err)
	commands := 0
	by := func(d *rundata.Data, command, says string) {
		other := *d
		other.Env = map[string]string{"command": command}
		for _, s := range report.Sections(&other, report.Options{}) {
			if s.Command == "" && d != data { // of few experiments
				continue
			}
			require.NotEmpty(t, s.Command, s.Title)
			require.Contains(t, s.Command, says)
			c := parsed(t, s.Command)
			if c.Run.group = c.Run.Only; !strings.HasPrefix(s.Command, "bench replay") {
				plan, err := c.Run.plan(nil)
				require.NoError(t, err, s.Command)
				require.NotEmpty(t, plan.Cells(), s.Command)
			}
			commands++
		}
	}
	by(data, "bench", "")
	require.Greater(t, commands, 4)
	few := onlyExperiments(data, rundata.Memory, rundata.Burst)
	by(few, "bench --quick", "bench --quick ")
	by(few, "bench run --full", "bench --full ")
	by(few, "bench replay heartbeat --out somewhere --limit 1s --out=there", "bench replay heartbeat --limit 1s")
	require.Greater(t, commands, 8)
}
