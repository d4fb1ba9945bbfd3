package cli

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/report"
	"schedbench/internal/report/card"
)

// understood fails unless a command line is one that this program knows, and would measure.
func understood(t *testing.T, line string) {
	t.Helper()
	args := strings.Fields(line)
	require.Equal(t, "bench", args[0], line)
	if args[len(args)-1] == "--help" {
		require.Equal(t, 0, bench(t, args[1:]...).status, line)
		return
	}
	var c cli
	parser, err := kong.New(&c, kong.Vars{"experiments": "", "delays": "", "published": ""}, kong.Exit(func(int) {}))
	require.NoError(t, err)
	command, err := parser.Parse(args[1:])
	require.NoError(t, err, line)
	require.Contains(t, command.Command(), "run", line)
	plan, err := c.Run.plan(nil)
	require.NoError(t, err, line)
	plan.Start = func(context.Context, blocks.Order) *exec.Cmd { return nil } // or nothing is paused
	require.NotEmpty(t, plan.Cells(), line)
}

// publishedData loads the published run, once for all tests: none changes it.
var publishedData = sync.OnceValues(func() (*rundata.Data, error) {
	return rundata.Load(filepath.Join("..", "results", "published", dataDir))
})

// Whatever a card says would answer is a command that measures something.
func TestTheCommandsOfACardAreUnderstood(t *testing.T) {
	published, err := publishedData()
	require.NoError(t, err)
	n, seen, digits := 0, map[string]bool{}, regexp.MustCompile(`[0-9]+`)
	for _, d := range []*rundata.Data{published, {}, onlyExperiments(published, rundata.Cost), onlyExperiments(published, rundata.Jitter, rundata.Live),
		onlyExperiments(published, rundata.Idle), onlyExperiments(published, rundata.Profiles), onlyExperiments(published, rundata.Tails),
		onlyExperiments(published, rundata.Memory), onlyExperiments(published, rundata.Burst, rundata.Drain), onlyExperiments(published, rundata.Pause)} {
		for _, margin := range []float64{1.1, 1.0001} {
			c := report.NewCard(d, report.Options{Requirement: report.Requirement{P99: 20e6, CPUShare: 0.02}, Margin: margin})
			for _, open := range c.Open {
				n++
				if like := digits.ReplaceAllString(open.Command, "1"); !seen[like] {
					understood(t, open.Command)
					seen[like] = true
				}
			}
		}
	}
	require.Greater(t, n, 30)
}

// onlyExperiments leaves out all but some.
func onlyExperiments(d *rundata.Data, experiments ...string) *rundata.Data {
	some := *d
	some.Series = nil
	for _, e := range experiments {
		some.Series = append(some.Series, d.Select(e)...)
	}
	return &some
}

func TestFactsAreAllThatIsPrintedIfAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := bench(t, costRun("--json", "--out", dir)...)
	require.Equal(t, 0, got.status, got.err)
	var c card.Card
	require.NoError(t, json.Unmarshal([]byte(got.out), &c))
	require.Equal(t, card.Schema, c.Schema)
	require.Equal(t, []string{"pair", "reset", "insert"}, c.Worst.Columns)
	require.True(t, c.Run.Complete)
	again := bench(t, "plot", "--json", dir)
	require.Equal(t, got.out, again.out)
	require.Equal(t, exitUsage, bench(t, "plot", "--json", "--tables", dir).status)
}

func TestColoursAreForThoseWhoWantThem(t *testing.T) {
	require.False(t, colourful(&strings.Builder{}))
}
