package schedulers_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// maxBytes is how much memory a pending uint64 may take, slots included.
var maxBytes = map[string]float64{
	"heapsched": 36, "listsched": 36, "singlewheel": 36, "roundswheel": 36, "hierwheel": 32, "fifosched": 36,
}

// TestMemoryPerTimer looks at those just scheduled, and again when each was replaced
// several times.
func TestMemoryPerTimer(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("fills the heap, and the race detector has its own")
	}
	for _, s := range structures() {
		for _, n := range []int{100_000, 1_000_000} {
			t.Run(fmt.Sprintf("%s/%d", s.name, n), func(t *testing.T) {
				for what, use := range map[string]func(*burst){
					"fresh": func(*burst) {}, "replaced": func(b *burst) { b.replaceAll(t) },
				} {
					bytes := bytesOf(func() *burst {
						b := newBurst(t, s, n)
						use(b)
						return b
					}) / float64(n)
					t.Logf("%s: %.1f bytes for each timer", what, bytes)
					require.LessOrEqual(t, bytes, maxBytes[s.name], what)
					require.Greater(t, bytes, 8., "less than the values themselves")
				}
			})
		}
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
