package schedulers_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
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

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers of the first one let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
