package tune

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
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
		s := must.Get(SourceOf(must.Get(workload.Find(name))(t), workload.Options{Seed: 1}, 0))(t)
		require.GreaterOrEqual(t, s.Steady, want[0], name)
		require.LessOrEqual(t, s.Steady, want[1], name)
	}
}

func TestAProfileIsMadeLongEnough(t *testing.T) {
	p := must.Get(workload.Find("idle"))(t)
	short := must.Get(SourceOf(p, workload.Options{Seed: 1}, 0))(t)
	require.Greater(t, must.Get(SourceOf(p, workload.Options{Seed: 1}, int(10*short.Ops)+1000))(t).Length, short.Length)
	require.Equal(t, time.Second, must.Get(SourceOf(p, workload.Options{Seed: 1, For: time.Second}, int(10*short.Ops)+1000))(t).Length, "as long as it is said to be")
}

func TestTheHeatReplaysASteadyPart(t *testing.T) {
	for name, pending := range map[string]float64{"rpc-timeout": 10_000, "kafka-purgatory": 300, "heartbeat": 200} {
		s := must.Get(SegmentOf(t.Context(), sourceOf(t, name)))(t)
		require.InEpsilon(t, pending, s.Pending, 0.3, name)
		require.Greater(t, len(s.ops), map[bool]int{true: aloneOps / 2, false: 5000}[s.Scale < 1], name)
	}
}
