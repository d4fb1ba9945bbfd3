package harness

import (
	"math/bits"
	"time"
)

// flow is a source of picks and delays that keeps no list of them: what is
// measured with the garbage collector running is not to be measured beside
// megabytes of the harness's own. It is SplitMix64, a few steps for each number.
type flow struct{ state uint64 }

// next returns the index of one of n timers, and a delay that is uniform from
// shortest to longest.
func (f *flow) next(n int) (pick int, delay time.Duration) {
	f.state += 0x9e3779b97f4a7c15
	z := f.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	index, rest := bits.Mul64(z, uint64(n))
	above, _ := bits.Mul64(rest, uint64(longest-shortest))
	return int(index), shortest + time.Duration(above)
}
