package report

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// tablesOf returns all tables of a run.
func tablesOf(t *testing.T, d *rundata.Data) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, Tables(&b, d, Options{}))
	return b.String()
}

func TestTables(t *testing.T) {
	has(t, tablesOf(t, fullData()),
		"Cost of insert", "grows as", "n^0.9", "/ time.AfterFunc", "hierwheel-again", "Cost of pair", "bimodal delays",
		"Cost of AfterFunc and Stop in a running program, goroutines: 2", "Cost of Timer.Reset in a running program, goroutines: 2", "  CPU ", "caught up in", "stopped and continued by signals", "suspended the clock stands still", "run out on the real clock", "Ways of sleeping", "Slack: later", "500µs", "jdk-timer", "all due at once", "longest gap", "Lateness of the others", "pool-4", "through one driver", "sharded", "Steps of an operation", "Lateness after the planned deadline", "doubled",
		"beyond the idle process", "Memory of timers pending in bare schedulers", "Memory of timers pending behind a driver", "its name", "Memory of an empty scheduler", "Controls", "±",
		"Lateness with delays up to 5 ms", "kicks", "150/s", "armed late by, 50 %", "CPU of arriving", "12 %",
	)
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestTablesReportsWriteErrors(t *testing.T) {
	require.ErrorIs(t, Tables(failing{}, fullData(), Options{}), errFull)
}

func TestFormatsOfSummaries(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percentile(2), "50 %"}, {percentile(10), "90 %"}, {percentile(1000), "99.9 %"}, {percentile(1e5), "99.999 %"},
		{within(judge.Summary{Median: 100, Low: 90, High: 105, N: 9}, words.Nanos), "100 ns ±10%"},
		{within(judge.Summary{Median: 100, Low: math.Inf(-1), High: math.Inf(1), N: 1}, words.Nanos), "100 ns ±?"},
		{within(judge.Summary{Median: 1, Low: 0, High: 3, N: 9}, words.Nanos), "1.00 ns (0 ns to 3.00 ns)"},
		{within(judge.Summary{}, words.Nanos), ""},
	} {
		require.Equal(t, c.want, c.got)
	}
}
