package buckets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

const advSlots = 8

// adversary cancels where a sweep finds it last, knowing where the sweep is. It
// remembers by how many the dead outnumbered the pending at worst.
type adversary struct {
	b     Buckets[uint64, uint64]
	ids   [advSlots][]schedulers.ID
	worst int
}

// newAdversary has about n pending, the last slot as many times as many as the
// others.
func newAdversary(n, times int) *adversary {
	a := &adversary{b: New[uint64, uint64](advSlots, Unordered), worst: -n}
	each := n / (advSlots - 1 + times)
	for i := range advSlots {
		a.add(i, each)
	}
	a.add(advSlots-1, n-a.b.Len())
	return a
}

func (a *adversary) add(i, n int) {
	for range n {
		a.ids[i] = append(a.ids[i], a.b.Add(i, 0, 0))
	}
}

// cancel cancels an entry where it stays longest: in a bucket that the pass has
// done with, the nearest first, or else in the last one. It returns the bucket,
// or -1 if nothing is pending.
func (a *adversary) cancel() int {
	at := 0
	if a.b.sweep.active {
		at = min(a.b.sweep.bucket, advSlots)
	}
	for k := range advSlots {
		i := at - 1 - k
		if i < 0 {
			i += advSlots
		}
		if last := len(a.ids[i]) - 1; last >= 0 {
			a.b.Cancel(a.ids[i][last])
			a.ids[i] = a.ids[i][:last]
			a.worst = max(a.worst, a.b.held-a.b.Len())
			return i
		}
	}
	return -1
}

// replace is cancel, and adds one to the same bucket.
func (a *adversary) replace() { a.add(max(a.cancel(), 0), 1) }

// hurried reports whether the next step is at the fast pace.
func (a *adversary) hurried() bool {
	n := a.b.Len()
	return a.b.held > n-n/4+sweepSlackFast
}

// play lets a pass at the slow pace come to a bucket, cancelling and replacing
// behind it so that it finds as little as possible. Then more are scheduled in
// front of the pass, and all is cancelled: in its wake as long as there is
// anything.
func (a *adversary) play(replacing bool, bucket, more int) (worst int) {
	for !a.b.sweep.active && a.b.Len() > 0 {
		if i := a.cancel(); replacing {
			a.add(i, 1)
		}
	}
	for a.b.sweep.active && a.b.sweep.bucket < bucket && !a.hurried() {
		a.replace()
	}
	a.add(advSlots-1, more)
	for a.cancel() >= 0 {
	}
	return a.worst
}

// TestHeldIsBoundedAgainstAnAdversary plays at every stage of a pass. It must
// come near the bound too, or it would prove nothing.
func TestHeldIsBoundedAgainstAnAdversary(t *testing.T) {
	for _, n := range []int{100, 1000, 3000, 10_000, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 10_000 && testing.Short() {
				t.Skip("takes five seconds under the race detector")
			}
			worst := -n
			for bucket := range advSlots {
				for _, times := range []int{1, 9} {
					for _, more := range []int{0, 1000} {
						worst = max(worst,
							newAdversary(n, times).play(false, bucket, more),
							newAdversary(n, times).play(true, bucket, more))
					}
				}
			}
			t.Logf("%d more dead than pending", worst)
			require.LessOrEqual(t, worst, schedulers.MaxHeld)
			require.Greater(t, worst, schedulers.MaxHeld*2/3)
		})
	}
}
