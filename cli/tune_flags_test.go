package cli

import (
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/internal/tune"
	"schedbench/workload"
)

func tuneOf(t require.TestingT, args ...string) (*tuneCmd, error) {
	var c struct{ Tune tuneCmd }
	_, err := must.Get(kong.New(&c.Tune, kong.Writers(io.Discard, io.Discard)))(t).Parse(args)
	return &c.Tune, err
}

func profileOf(t require.TestingT, args ...string) (*workload.Profile, error) {
	return must.Get(tuneOf(t, args...))(t).profile()
}

func TestFlagsMakeAWorkload(t *testing.T) {
	for _, c := range []struct {
		line                            string
		rate, pending, cancelled, delay float64
	}{
		{"--rate 1k/s --delay 30s", 1000, 30_000, 0, 30},
		{"--rate 1000 --delay 30s", 1000, 30_000, 0, 30},
		{"--rate 60/min --delay 100ms", 1, 0.1, 0, 0.1},
		{"--pending 10k --delay 10s", 1000, 10_000, 0, 10},
		{"--pending 2M --delay 5m", 20_000.0 / 3, 2_000_000, 0, 300},
		{"--pending 10k --rate 1k --delay uniform(5s,15s)", 1000, 10_000, 0, 10},
		{"--rate 100 --delay 10s --cancel 50%", 100, 750, 0.5, 10},
		{"--rate 100 --delay 10s --cancel 0.5 --cancel-after 20%", 100, 600, 0.5, 10},
		{"--rate 100 --delay 10s --cancel 50% --cancel-after 1s", 100, 550, 0.5, 10},
		{"--pending 550 --rate 100 --delay 10s --cancel 50%", 100, 550, 0.5, 10},
		{"--pending 950 --rate 100 --delay 10s --cancel 50%", 100, 950, 0.5, 10},
	} {
		t.Run(c.line, func(t *testing.T) {
			p := must.Get(profileOf(t, strings.Fields(c.line)...))(t)
			m := p.Mix()
			require.InEpsilon(t, c.rate, m.Schedules, 0.01)
			require.InEpsilon(t, c.pending, m.Pending, 0.01)
			require.InDelta(t, c.cancelled, m.CancelShare(), 1e-6)
			require.InEpsilon(t, c.delay, p.Delay().Mean().Seconds(), 0.01)
			require.InDelta(t, math.Round(c.pending), float64(p.Initial()), 1, "it is steady from the start")
			require.Contains(t, p.About, "--delay")
		})
	}
}

// Resets are a share of the times that a timer is set, or a rate.
func TestFlagsMakeTimersThatAreReset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line                  string
		rate, pending, resets float64
	}{
		{"--rate 100/s --delay 10s --reset 50%", 100, 1500, 100},
		{"--rate 100/s --delay 10s --reset 100/s", 100, 1500, 100},
		{"--pending 1500 --delay 10s --reset 50%", 100, 1500, 100},
		{"--pending 1200 --rate 100/s --delay 10s --reset 100/s", 100, 1200, 100},
		{"--rate 100/s --delay 10s --reset 300/s --cancel 10%", 100, 2300, 300},
		{"--pending 50k --delay 30s --reset 5k/s", 0, 50_000, 5000},
		{"--pending 50k --delay 30s --reset 120k/min", 0, 50_000, 2000},
		{"--pending 50k --delay 30s --reset 2k/s", 0, 50_000, 2000},
		{"--pending 30k --delay 30s --reset 1001/s", 0, 30_000, 1001}, // what an error about 1000/s advises
	} {
		t.Run(c.line, func(t *testing.T) {
			p := must.Get(profileOf(t, strings.Fields(c.line)...))(t)
			made, resets, pending := lastHalf(t, must.Get(p.Stream(workload.Options{Seed: 1}))(t), p.Length()/4)
			require.InDelta(t, c.rate, made, 0.1*c.rate+1)
			require.InEpsilon(t, c.resets, resets, 0.1)
			require.InEpsilon(t, c.pending, pending, 0.1)
			require.Contains(t, p.About, "--reset")
		})
	}
}

// lastHalf returns the timers made and reset a second in the second half of a length of a stream, and those pending at its end.
func lastHalf(t *testing.T, stream workload.Stream, length time.Duration) (made, resets, pending float64) {
	t.Helper()
	due := map[uint32]time.Duration{}
	for ops, err := range workload.Blocks(t.Context(), stream, 1024) {
		require.NoError(t, err)
		if ops[0].At > length {
			break
		}
		for _, op := range ops {
			switch {
			case op.Kind == workload.Cancel:
				delete(due, op.Timer)
				continue
			case op.At < length/2:
			case op.Kind == workload.Schedule:
				made++
			case due[op.Timer] > op.At:
				resets++
			}
			if op.Kind == workload.Schedule || due[op.Timer] > op.At {
				due[op.Timer] = op.At + op.Delay
			}
		}
	}
	for _, at := range due {
		if at > length {
			pending++
		}
	}
	return 2 * made / length.Seconds(), 2 * resets / length.Seconds(), pending
}

// What is asked for is what there is, and streams are of bounded length.
func TestWorkloadsByFlagsHaveWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pending := rapid.IntRange(1, 100_000).Draw(t, "pending")
		delay := rapid.SampledFrom([]string{"1ms", "30s", "1d", "uniform(1s, 2m)", "exponential(5s)", "lognormal(p50=20ms, p99=1s)", "levels(1s, 1h)"}).Draw(t, "delay")
		cancel := rapid.IntRange(0, 100).Draw(t, "cancel")
		p := must.Get(profileOf(t, "--pending", strconv.Itoa(pending), "--delay", delay, "--cancel", strconv.Itoa(cancel)+"%"))(t)
		require.InEpsilon(t, pending, p.Mix().Pending, 0.02)
		require.InDelta(t, float64(cancel)/100, p.Mix().CancelShare(), 1e-6)
		require.LessOrEqual(t, p.Mix().Operations()*p.Length().Seconds(), max(2*streamOps, p.Mix().Operations()*leastLength))
		must.Get(p.Stream(workload.Options{}))(t)
	})
}

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
	}
}
