package harness

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"schedbench/workload"
)

// delay draws from a distribution of delays.
type delay func(*rand.Rand) time.Duration

const (
	shortest = time.Second // so far ahead that nothing expires in a cost cell by accident
	longest  = time.Hour
)

// delays are the delay distributions, as profiles have them: as timeouts far ahead,
// of all lengths; most of them short; all alike; and nine in ten as timeouts of
// calls, the others as sessions.
func delays() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"uniform", "uniform(1s, 1h)"},
		{"exponential", "exponential(5m, min=1s, max=1h)"},
		{"constant", "30s"},
		{"bimodal", "mix(9: uniform(1s, 2s), 1: uniform(30m, 1h))"},
	}
}

// Delays lists the delay distributions.
func Delays() (names []string) {
	for _, d := range delays() {
		names = append(names, d.name)
	}
	return names
}

// delayOf returns the distribution of a name.
func delayOf(name string) (delay, error) {
	for _, d := range delays() {
		if d.name == name {
			of, err := workload.ParseDistribution(d.text)
			return of.Sample, err
		}
	}
	return nil, fmt.Errorf("unknown delay distribution %q, want some of %s", name, strings.Join(Delays(), ", "))
}

func uniform(low, high time.Duration) delay { return workload.Uniform(low, high).Sample }

// arrival is the virtual time between two insertions of a cost cell: a million
// a second. Without it, timers of one delay would all have one deadline.
const arrival = time.Microsecond

// script is what an epoch of a cost cell does: which timer to replace, and with
// what delay. All contestants play the same scripts.
type script struct {
	picks  []uint32
	delays []time.Duration
}

// draw fills the script with random picks of n timers, and delays.
func (s *script) draw(r *rand.Rand, n int, d delay) {
	for i := range s.picks {
		s.picks[i] = uint32(r.IntN(n))
		s.delays[i] = d(r)
	}
}

// newScript returns a script of ops operations, not drawn yet.
func newScript(ops int) *script {
	return &script{picks: make([]uint32, ops), delays: make([]time.Duration, ops)}
}
