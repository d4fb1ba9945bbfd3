package quiet

import "runtime/metrics"

// Collections watches garbage collections. A reading takes a microsecond or two, so it is read every few thousand
// calls. The runtime shows two counts: a cycle stops the world when it begins and when it has marked, and counts once
// it has marked.
type Collections struct {
	// Read returns how many cycles ended and how often the world was stopped for them.
	Read func() (cycles, pauses uint64)
	// cycles and pauses are those up to the last that ended.
	cycles, pauses uint64
	ended          bool // one has since the reading before the last
}

// The figures of the runtime that are read.
const (
	gcCycles = "/gc/cycles/total:gc-cycles"
	gcPauses = "/sched/pauses/total/gc:seconds"
	gcAllocs = "/gc/heap/allocs:bytes"
	gcGoal   = "/gc/heap/goal:bytes"
	gcLive   = "/gc/heap/live:bytes"
)

// NewCollections returns what watches the collections of this process.
func NewCollections() Collections {
	samples := []metrics.Sample{{Name: gcCycles}, {Name: gcPauses}} // kept: so a reading allocates nothing
	return Collections{Read: func() (cycles, pauses uint64) {
		metrics.Read(samples)
		if samples[0].Value.Kind() != metrics.KindUint64 || samples[1].Value.Kind() != metrics.KindFloat64Histogram {
			return 0, 0 // a runtime without them
		}
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

// Ran reports whether a collection was under way at any time since the last reading, and
// right after one ended, when what it found is swept.
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
func Allocated() uint64 { return readBytes(gcAllocs)[0] }

// Room returns how many bytes may be allocated after a collection until the next one is to have ended.
func Room() uint64 {
	read := readBytes(gcGoal, gcLive)
	return read[0] - min(read[0], read[1])
}

func readBytes(names ...string) (bytes []uint64) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() != metrics.KindUint64 {
			return make([]uint64, len(names)) // a runtime without them
		}
		bytes = append(bytes, s.Value.Uint64())
	}
	return bytes
}
