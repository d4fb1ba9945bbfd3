package schedulers_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// maxBytes is how much memory a pending uint64 may take, slots included.
var maxBytes = map[string]float64{
	"heapsched": 48, "listsched": 40, "singlewheel": 40, "roundswheel": 40, "hierwheel": 40,
}

func TestMemoryPerTimer(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("fills the heap, and the race detector has its own")
	}
	const n = 100_000
	deadlines := make([]time.Duration, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range deadlines {
		deadlines[i] = time.Duration(rng.Int64N(int64(smallHorizon)))
	}
	for _, s := range structures() {
		t.Run(s.name, func(t *testing.T) {
			order := deadlines
			if s.linear {
				order = slices.Sorted(slices.Values(deadlines))
			}
			before := heapInUse()
			sched := s.make(t)
			for i, deadline := range order {
				_, err := sched.Schedule(deadline, uint64(i))
				if err != nil {
					require.NoError(t, err)
				}
			}
			bytes := float64(heapInUse()-before) / n
			runtime.KeepAlive(sched)
			runtime.KeepAlive(order)
			t.Logf("%.1f bytes for each timer", bytes)
			require.LessOrEqual(t, bytes, maxBytes[s.name])
			require.Greater(t, bytes, 8., "less than the values themselves")
		})
	}
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers of the first one let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
