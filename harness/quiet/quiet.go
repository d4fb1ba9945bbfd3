// Package quiet keeps the work of the runtime apart from what is measured: garbage collections, and what follows them.
package quiet

import (
	"runtime/metrics"
	"time"

	"schedbench/live"
)

// Collections watches garbage collections. A reading takes 1 or 2 µs. A collection stops the world twice: when it
// begins, and when it has marked. The runtime counts these stops. It counts a cycle once the cycle has marked.
type Collections struct {
	// Read returns how many cycles ended and how often the world was stopped for them.
	Read           func() (cycles, pauses uint64)
	cycles, pauses uint64 // up to the last that ended
	ended          bool   // one has since the reading before the last
}

// NewCollections returns what watches the collections of this process.
func NewCollections() Collections {
	// The samples are kept: a reading allocates nothing.
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}}
	return Collections{Read: func() (cycles, pauses uint64) {
		metrics.Read(samples)
		for _, n := range samples[1].Value.Float64Histogram().Counts {
			pauses += n
		}
		return samples[0].Value.Uint64(), pauses
	}}
}

// Start begins when nothing is collected.
func (c *Collections) Start() {
	c.cycles, c.pauses = c.Read()
	c.ended = false
}

// Ran reports whether a collection was under way since the last reading. It reports true at one more reading after a
// collection ended: the heap is still being swept.
func (c *Collections) Ran() bool {
	cycles, pauses := c.Read()
	ended := cycles != c.cycles
	if ended || c.ended { // its last pause may count a moment after the cycle
		c.cycles, c.pauses, c.ended = cycles, pauses, ended
		return true
	}
	return pauses != c.pauses
}

// Allocated returns how many bytes the process has allocated up to now.
func Allocated() uint64 { return readBytes("/gc/heap/allocs:bytes")[0] }

// Room returns how many bytes may be allocated from a collection until the end of the next.
func Room() uint64 {
	read := readBytes("/gc/heap/goal:bytes", "/gc/heap/live:bytes")
	return read[0] - min(read[0], read[1])
}

func readBytes(names ...string) (bytes []uint64) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		bytes = append(bytes, s.Value.Uint64())
	}
	return bytes
}

const (
	// settledIn is how long no other thread must have been let in, and mostSettle how long Settle waits for that.
	settledIn  = time.Millisecond
	mostSettle = 20 * time.Millisecond
)

// Settle keeps the processor busy until no other thread was let in for 1 ms, for 20 ms at most. After a garbage collection
// the runtime's monitor (sysmon) wakes every 20 µs for some milliseconds. On the same processor, operations then take
// nearly twice as long. The monitor wakes less often while a goroutine is busy, not while all sleep.
func Settle() { settle(live.LetIn) }

func settle(letIn func() int64) {
	start := time.Now()
	for since, last := start, letIn(); time.Since(since) < settledIn && time.Since(start) < mostSettle; {
		if n := letIn(); n != last {
			since, last = time.Now(), n
		}
	}
}
