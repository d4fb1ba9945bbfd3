package workload

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
)

// Every embedded file is a profile of the list, and says where it is from.
func TestBuiltin(t *testing.T) {
	require.Len(t, must.Get(fs.ReadDir(files, "profiles"))(t), len(builtin()))
	for i, p := range Builtin() {
		require.Equal(t, builtin()[i], p.Name)
		require.NotEmpty(t, p.About, p.Name)
		require.NotEmpty(t, p.Source, p.Name)
		require.NotEmpty(t, p.Choices, p.Name)
		require.Positive(t, p.Horizon(), p.Name)
		require.Less(t, p.Tick, p.Horizon(), p.Name)
		for _, population := range p.Populations() {
			require.NotEmpty(t, population.name, p.Name)
			require.NotEmpty(t, population.Arrivals(), p.Name)
		}
		require.InDelta(t, 1, p.Mix().ResetShare()+p.Mix().CancelShare()+p.Mix().FireShare(), 1e-9, p.Name)
	}
}

// The delays of a profile are between the least and the horizon, and its median
// is one of them.
func TestDelayOfProfiles(t *testing.T) {
	for _, p := range Builtin() {
		d := p.Delay()
		require.LessOrEqual(t, d.Max(), p.Horizon(), p.Name)
		require.LessOrEqual(t, d.Min(), d.Quantile(0.5), p.Name)
		require.GreaterOrEqual(t, d.CDF(d.Quantile(0.5)), 0.5-1e-6, p.Name)
	}
	// Of 548 armings a second 400 are those of the shortest period.
	require.InDelta(t, 400.0/548, find(t, "heartbeat").Delay().CDF(100*time.Millisecond), 1e-9)
}

func TestFind(t *testing.T) {
	require.Equal(t, "idle", find(t, "idle").Name)
	file := filepath.Join(t.TempDir(), "own.toml")
	require.NoError(t, os.WriteFile(file, must.Get(files.ReadFile("profiles/pacing.toml"))(t), 0o600))
	require.Equal(t, "pacing", find(t, file).Name)

	_, err := Find("no-such")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, `"no-such", want one of kafka-purgatory, rpc-timeout`)
	_, err = Find(filepath.Dir(file))
	require.ErrorContains(t, err, "is a folder")
}

// What Describe says is what the profile says.
func TestDescribe(t *testing.T) {
	text := find(t, "business-ack").Describe()
	for _, want := range []string{
		"business-ack: Messages that are sent again", "source: Acknowledgement", "tick 1ms",
		"made for 6m40s, no delay is longer than 10s", "messages: poisson(1k/s), delay 10s",
		"cancelled after exponential(10.35s) if that is first", "reset after 3s if that is first, at most 7 times",
		"per second 1k schedules, 2.58k resets, 950 cancels, 50 deadlines reached",
		"at the end of 6m40s about 9.83k", "median 10s", "choice: 1000 messages a second",
	} {
		require.Contains(t, text, want)
	}
	require.Contains(t, find(t, "tcp-rto").Describe(), "backed off to 2m in 10 steps")
	require.Contains(t, find(t, "idle").Describe(), "period 500ms")
}
