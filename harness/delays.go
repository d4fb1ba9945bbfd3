package harness

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// delay draws from a distribution of delays.
type delay func(*rand.Rand) time.Duration

const (
	shortest = time.Second // so far ahead that nothing expires in a cost cell by accident
	longest  = time.Hour
)

// Delays lists the delay distributions.
func Delays() []string { return []string{"uniform", "exponential", "constant", "bimodal"} }

// delayOf returns the distribution of a name.
//
//   - uniform: 1 s to 1 h;
//   - exponential: 1 s and a mean of 5 min more, cut off at 1 h;
//   - constant: 30 s;
//   - bimodal: nine in ten 1 to 2 s, as timeouts of calls, the others 30 to
//     60 min, as sessions.
func delayOf(name string) (delay, error) {
	switch name {
	case "uniform":
		return uniform(shortest, longest), nil
	case "exponential":
		return func(r *rand.Rand) time.Duration {
			d := time.Duration(r.ExpFloat64() * float64(5*time.Minute))
			return min(shortest+d, longest)
		}, nil
	case "constant":
		return func(*rand.Rand) time.Duration { return 30 * time.Second }, nil
	case "bimodal":
		short, long := uniform(shortest, 2*shortest), uniform(longest/2, longest)
		return func(r *rand.Rand) time.Duration {
			if r.IntN(10) > 0 {
				return short(r)
			}
			return long(r)
		}, nil
	}
	return nil, fmt.Errorf("unknown delay distribution %q, want some of %s", name, strings.Join(Delays(), ", "))
}

func uniform(low, high time.Duration) delay {
	return func(r *rand.Rand) time.Duration { return low + time.Duration(r.Int64N(int64(high-low))) }
}

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
