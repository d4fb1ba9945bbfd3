package replay_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/internal/replay"
	"schedbench/workload"
	"schedbench/workload/trace"
	"schedbench/workload/workloadtest"
)

// TestEveryProfileReplaysAlike replays a part of every profile with everybody: on
// a scale at which a sorted list can hold it, and as long as makes some ten
// thousand operations.
func TestEveryProfileReplaysAlike(t *testing.T) {
	for _, p := range workload.Builtin() {
		t.Run(p.Name, func(t *testing.T) {
			o := workload.Options{Seed: 3, Scale: min(1, 3000/p.Pending(p.Length()))}
			seconds := 30_000 / (p.Mix().Operations() * o.Scale)
			o.For = min(p.Length(), time.Duration(seconds*float64(time.Second)))
			open := func() workload.Stream {
				s, err := p.Stream(o)
				require.NoError(t, err)
				return s
			}
			everybodyAgrees(t, open, p.Tick, p.Horizon())
		})
	}
}

// everybodyAgrees replays a stream with every contestant that can hold it.
func everybodyAgrees(t *testing.T, open func() workload.Stream, tick, horizon time.Duration) {
	t.Helper()
	want, err := replay.Expected(open(), tick)
	require.NoError(t, err)
	require.Positive(t, want.Fired)
	require.Zero(t, want.Pending)
	for _, c := range virtual() {
		s, err := c.New(harness.Geometry{Tick: tick, Horizon: horizon + time.Minute})
		require.NoError(t, err, c.Name)
		r, err := replay.Run(context.Background(), s, open(), replay.Options{Tick: tick})
		require.NoError(t, err, c.Name)
		require.Equal(t, want, r.Answer, c.Name)
	}
}

// TestATraceReplaysAlike replays what a trace's program did: a trace is made, read
// again, and replayed.
func TestATraceReplaysAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := trace.NewWriter(file, trace.Header{})
	events := trace.Events(workloadtest.StreamOf(steady(20_000)...))
	buf := make([]trace.Event, 100)
	for n, err := events.Read(buf); err == nil; n, err = events.Read(buf) {
		for _, e := range buf[:n] {
			require.NoError(t, w.Write(e))
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	everybodyAgrees(t, func() workload.Stream {
		f, err := trace.Open(path, trace.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return trace.Ops(f)
	}, ms, time.Second)
}
