package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/workload"
)

func TestTheSteadyStateOfAProfileIsFound(t *testing.T) {
	for name, want := range map[string][2]time.Duration{
		"idle-keepalive":  {25 * time.Second, 300 * time.Second}, // connections come in within 30 s
		"kafka-purgatory": {0, 2 * time.Second},
		"mixed-horizon":   {450 * time.Second, 500 * time.Second}, // half of it at most
		"idle":            {0, time.Minute},
		"rpc-timeout":     {5 * time.Millisecond, 500 * time.Millisecond}, // calls come in within 5 ms
	} {
		p, err := workload.Find(name)
		require.NoError(t, err)
		s, err := SourceOf(p, workload.Options{Seed: 1}, 0)
		require.NoError(t, err)
		require.GreaterOrEqual(t, s.Steady, want[0], name)
		require.LessOrEqual(t, s.Steady, want[1], name)
	}
}

func TestAProfileIsMadeLongEnough(t *testing.T) {
	p, err := workload.Find("idle")
	require.NoError(t, err)
	short, err := SourceOf(p, workload.Options{Seed: 1}, 0)
	require.NoError(t, err)
	long, err := SourceOf(p, workload.Options{Seed: 1}, int(10*short.Ops)+1000)
	require.NoError(t, err)
	require.Greater(t, long.Length, short.Length)
	asked, err := SourceOf(p, workload.Options{Seed: 1, For: time.Second}, int(10*short.Ops)+1000)
	require.NoError(t, err)
	require.Equal(t, time.Second, asked.Length, "as long as it is said to be")
}

func TestTheHeatReplaysASteadyPart(t *testing.T) {
	for name, pending := range map[string]float64{"rpc-timeout": 10_000, "kafka-purgatory": 300, "heartbeat": 200} {
		s, err := SegmentOf(t.Context(), sourceOf(t, name))
		require.NoError(t, err)
		require.InEpsilon(t, pending, s.Pending, 0.3, name)
		require.Greater(t, len(s.ops), map[bool]int{true: aloneOps / 2, false: 5000}[s.Scale < 1], name)
	}
}
