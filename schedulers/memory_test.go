package schedulers_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
	"schedbench/singlewheel"
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

// TestEmptySlotsTakeBits has four million slots, and then a few occupied ones
// that are far from each other.
func TestEmptySlotsTakeBits(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("fills the heap, and the race detector has its own")
	}
	const slots, n = 1 << 22, 1000
	before := heapInUse()
	w, err := singlewheel.New[uint64](time.Millisecond, slots)
	require.NoError(t, err)
	empty := heapInUse() - before
	require.LessOrEqual(t, empty, int64(slots*2/8))

	ids := make([]schedulers.ID, 0, n)
	for i := range n {
		id, err := w.Schedule(time.Duration(i)*w.Horizon()/n, 0)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	full := heapInUse() - before
	require.LessOrEqual(t, full-empty, int64(n*400+1<<17)) // a group for each, whole pages
	for _, id := range ids {
		require.True(t, w.Cancel(id))
	}
	require.LessOrEqual(t, heapInUse()-before-empty, (full-empty)*3/4, "what is over goes back")
	runtime.KeepAlive(w)
	runtime.KeepAlive(ids)
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers of the first one let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
