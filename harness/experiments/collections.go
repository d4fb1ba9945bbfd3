package experiments

import (
	"runtime/metrics"
)

// collections watches garbage collections. It is read every few thousand calls, since a
// reading takes a microsecond or two and tells only what was and is: a cycle stops the
// world when it begins and when it has marked, and counts when it has marked.
type collections struct {
	read func() (cycles, pauses uint64)
	// cycles and pauses are those up to the last that ended.
	cycles, pauses uint64
	ended          bool // one has since the reading before the last
}

// The figures of the runtime that are read.
const (
	gcCycles = "/gc/cycles/total:gc-cycles"
	gcPauses = "/sched/pauses/total/gc:seconds"
)

func newCollections() collections {
	samples := []metrics.Sample{{Name: gcCycles}, {Name: gcPauses}} // kept: so a reading allocates nothing
	return collections{read: func() (cycles, pauses uint64) {
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

// start begins when nothing is collected.
func (c *collections) start() {
	c.cycles, c.pauses = c.read()
	c.ended = false
}

// ran reports whether a collection was under way at any time since the last reading, and
// right after one ended, when what it found is swept.
func (c *collections) ran() bool {
	cycles, pauses := c.read()
	ended := cycles != c.cycles
	if ended || c.ended { // its last pause may count a moment after the cycle
		c.cycles, c.pauses, c.ended = cycles, pauses, ended
		return true
	}
	return pauses != c.pauses
}
