package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/tune"
)

func TestRequirementsAreRead(t *testing.T) {
	for line, want := range map[string]tune.Requirements{
		"":                                     {},
		"--p99 5ms":                            {Percentile: 0.99, Lateness: 5 * time.Millisecond},
		"--p50 1ms --cpu 0.5%":                 {Percentile: 0.5, Lateness: time.Millisecond, CPU: 0.005},
		"--p999 2s":                            {Percentile: 0.999, Lateness: 2 * time.Second},
		"--memory 64MiB --must-tick":           {Memory: 64 << 20, MustTick: true},
		"--memory 1.5kB --no-tick":             {Memory: 1500, MustNotTick: true},
		"--memory 2GB --no-precise --cpu 100%": {Memory: 2_000_000_000, NotPrecise: true, CPU: 1},
		"--memory 4096":                        {Memory: 4096},
		"--wakeups 100/s":                      {Wakeups: 100},
	} {
		c, err := tuneOf(t, strings.Fields(line)...)
		require.NoError(t, err, line)
		got, err := c.requirements()
		require.NoError(t, err, line)
		require.InDelta(t, want.Percentile, got.Percentile, 1e-12, line)
		got.Percentile = want.Percentile
		require.Equal(t, want, got, line)
		require.NoError(t, got.Check(), line)
	}
}

func TestBadRequirementsAreUsageErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--p99 0s", `--p99: "0s", want a positive duration`},
		{"--p99 5ms --p50 1ms", "--p50 and --p99 are two requirements of lateness"},
		{"--cpu 0", "want a share"},
		{"--memory 0", "want an amount of memory such as 64MiB"},
		{"--memory 64XiB", "want an amount of memory"},
		{"--memory NaN", "want an amount of memory"},
		{"--memory 99999999TiB", "want an amount of memory"},
		{"--must-tick --no-tick", "--must-tick and --no-tick contradict each other"},
		{"--time 1ms", "--time 1ms, want 10s to 24h"},
		{"--wakeups 0", "--wakeups 0, want a rate such as 100/s"},
		{"--wakeups often", "--wakeups often, want a rate"},
		{"--match {", "--match: "},
		{"--match {}", "--match is for processes that tune starts"},
		{"--worth 0", "want a share"},
		{"--tick 5ms", "--tick 5ms has no effect without --explain"},
		{"--slots 5", "--slots 5 has no effect without --explain"},
		{"--precise", "--precise has no effect without --explain"},
		{"--explain nosuch", `unknown system "nosuch", want one of`},
		{"--explain hierwheel --tick 5ms", "hierwheel needs --tick and --slots"},
		{"--explain heapsched --slots 5", "5 slots for heapsched"},
		{"--explain roundswheel --tick 5ms --slots=-8", "-8 slots"},
		{"--delay 5s", "rpc-timeout and --delay 5s are two workloads"},
		{"--hz 250", "--hz 250 has no effect without a trace of the kernel"},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := bench(t, append([]string{"tune", "rpc-timeout"}, strings.Fields(c.line)...)...)
			got.refused(t, c.want)
			require.Empty(t, got.out)
			isEmpty(t)
		})
	}
}
