package experiments

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/workload"
)

type delay func(*rand.Rand) time.Duration

const (
	shortest = time.Second // far enough ahead that nothing expires in a cost cell by accident
	longest  = time.Hour
)

// distribution is one of delays. None is longer than its horizon.
type distribution struct {
	name, text string
	horizon    time.Duration
}

// delays are the delay distributions: timeouts of all lengths up to an hour; the same up to a minute; mostly short ones;
// equal ones; nine in ten as timeouts of calls, and the others as those of sessions.
func delays() []distribution {
	return []distribution{
		{"uniform", "uniform(1s, 1h)", longest},
		{rundata.NearDelays, "uniform(1s, 1m)", time.Minute},
		{"exponential", "exponential(5m, min=1s, max=1h)", longest},
		{"constant", "30s", longest},
		{"bimodal", "mix(9: uniform(1s, 2s), 1: uniform(30m, 1h))", longest},
	}
}

// Delays lists the delay distributions.
func Delays() []string { return lists.Each(delays(), func(d distribution) string { return d.name }) }

// delayOf returns the distribution of a name, and its horizon.
func delayOf(name string) (delay, time.Duration, error) {
	for _, d := range delays() {
		if d.name == name {
			of, err := workload.ParseDistribution(d.text)
			return of.Sample, d.horizon, err
		}
	}
	return nil, 0, fmt.Errorf("unknown delay distribution %q, want some of %s", name, strings.Join(Delays(), ", "))
}

func uniform(low, high time.Duration) delay { return workload.Uniform(low, high).Sample }

// drawn returns n draws.
func drawn(n int, draw func() time.Duration) []time.Duration {
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = draw()
	}
	return list
}

// ascending makes n draws and returns a function that returns them, the shortest first.
func ascending(n int, draw func() time.Duration) func() time.Duration {
	list := drawn(n, draw)
	slices.Sort(list)
	return func() (d time.Duration) {
		d, list = list[0], list[1:]
		return d
	}
}

// arrival is the virtual time between two insertions of a cost cell: a million a second. Without it, timers with one delay
// would all have one deadline.
const arrival = time.Microsecond

// replacements are the timers that an epoch of a cost cell replaces, and the new delays. They are the same for all
// contestants.
type replacements struct {
	picks  []uint32
	delays []time.Duration
}

// draw fills them with random picks of n timers, and delays.
func (rs *replacements) draw(r *rand.Rand, n int, d delay) {
	for i := range rs.picks {
		rs.picks[i] = uint32(r.IntN(n))
		rs.delays[i] = d(r)
	}
}

// newReplacements returns ops of them, not drawn yet.
func newReplacements(ops int) *replacements {
	return &replacements{picks: make([]uint32, ops), delays: make([]time.Duration, ops)}
}

// splitMix is a source of picks and delays that keeps no list of them. A list would be megabytes of the harness's own,
// which the garbage collector would mark while timers are measured. It is SplitMix64, a few steps for each number.
type splitMix struct{ state uint64 }

func (m *splitMix) bits() uint64 {
	m.state += 0x9e3779b97f4a7c15
	z := m.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// next returns the index of one of n timers, and a delay that is uniform from shortest to longest.
func (m *splitMix) next(n int) (pick int, delay time.Duration) {
	index, rest := bits.Mul64(m.bits(), uint64(n))
	above, _ := bits.Mul64(rest, uint64(longest-shortest))
	return int(index), shortest + time.Duration(above)
}

func (m *splitMix) between(low, high time.Duration) time.Duration {
	above, _ := bits.Mul64(m.bits(), uint64(high-low))
	return low + time.Duration(above)
}

// delay returns the delay of a timer that is not picked.
func (m *splitMix) delay() time.Duration {
	_, delay := m.next(1)
	return delay
}
