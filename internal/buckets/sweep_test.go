package buckets

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// near and far are a slot that expires and one that does not.
const near, far = 0, 1

// mixed returns buckets with n entries in near and dead cancelled ones in far.
func mixed(t *testing.T, n, dead int) *model[uint64, uint64] {
	m := newModel[uint64](ownValue)
	for range n {
		m.add(near, 0)
	}
	for range dead {
		m.add(far, 0)
	}
	for at := dead - 1; at >= 0; at-- {
		m.cancel(t, far, at)
	}
	return m
}

func (m *model[K, T]) requireBound(t *testing.T) {
	held, pending := int(m.b.Counts().Held), m.b.Len()
	require.LessOrEqual(t, held, pending+schedulers.MaxHeld, "with %d pending", pending)
}

// TestHeldIsBoundedHoweverThePendingLeave expires what is pending while many are
// dead, where no expiry comes upon them. Each counts, however few leave at once.
func TestHeldIsBoundedHoweverThePendingLeave(t *testing.T) {
	for _, n := range []int{100, 1000, 20_000} {
		for _, room := range []int{1, 2, 3, 4, 5, 100, n} {
			m := mixed(t, n, n*3/4+sweepSlack)
			due := make([]uint64, room)
			for m.b.Len() > 0 {
				m.b.Drain(near, due)
				m.requireBound(t)
			}
		}
	}
}

func TestHeldIsBoundedWhenCountedDown(t *testing.T) {
	const n, group = 20_000, 3
	m := newModel[uint64](ownValue)
	for i := range n {
		m.add(near, uint64(i/group))
	}
	for range n * 3 / 4 {
		m.add(far, 0)
	}
	for at := len(m.want[far]) - 1; at >= 0; at-- {
		m.cancel(t, far, at)
	}
	var due [group]uint64
	for m.b.Len() > 0 {
		m.b.Countdown(near, 1, due[:], modelOrdered)
		m.requireBound(t)
	}
}

func TestHeldIsBoundedWhenCancelled(t *testing.T) {
	for _, n := range []int{100, 1000, 2500, 20_000} {
		m := newModel[uint64](ownValue)
		for i := range n {
			m.add(i%modelSlots, 0)
		}
		for i := range modelSlots {
			for at := len(m.want[i]) - 1; at >= 0; at-- {
				m.cancel(t, i, at)
				m.requireBound(t)
			}
		}
		require.Zero(t, m.b.Len())
		require.LessOrEqual(t, int(m.b.Counts().Held), schedulers.MaxHeld)
	}
}

// TestHeldIsBoundedInAnyOrder cancels and drains at random, mostly many of one
// bucket in a row, which leaves the dead where a sweep under way looks last, or
// has just been.
func TestHeldIsBoundedInAnyOrder(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		size := 10 << rng.IntN(11)
		b := New[uint64, uint64](modelCount, Unordered)
		due := make([]uint64, 1+rng.IntN(8))
		var ids [modelSlots][]schedulers.ID
		for range 100 {
			i, n := rng.IntN(modelSlots), 1+rng.IntN(size/2)
			if b.Len() < size {
				n *= 4
			}
			act := rng.IntN(3)
			for range n {
				switch last := len(ids[i]) - 1; {
				case act == 0:
					ids[i] = append(ids[i], b.Add(i, 0, 0))
				case act == 1:
					b.Drain(i, due)
				case last >= 0:
					b.Cancel(ids[i][last])
					ids[i] = ids[i][:last]
				}
				if held := int(b.Counts().Held); held > b.Len()+schedulers.MaxHeld {
					require.Fail(t, "too many held", "%d with %d pending, seed %d", held, b.Len(), seed)
				}
			}
		}
	}
}

// TestCancelPaysForLittleAtATime is why sweeps have steps.
func TestCancelPaysForLittleAtATime(t *testing.T) {
	m := newModel[uint64](ownValue)
	const n = 20_000
	for i := range n {
		m.add(i%modelSlots, 0)
	}
	before := m.b.Counts().Swept
	for at := len(m.want[0]) - 1; at >= 0; at-- {
		for i := range modelSlots {
			m.cancel(t, i, at)
			swept := m.b.Counts().Swept
			require.Less(t, int(swept-before), sweepEntriesFast+blockLen)
			before = swept
		}
	}
	require.NotZero(t, before, "a sweep has taken place")
}

func TestNothingIsSweptBelowTheSlack(t *testing.T) {
	m := mixed(t, 0, sweepSlack)
	require.Equal(t, sweepSlack, int(m.b.Counts().Held))
	require.Zero(t, m.b.Counts().Swept)
}

// TestSweptBucketKeepsItsOrder has one bucket with order and cancels in others
// and in it, until it has been repacked.
func TestSweptBucketKeepsItsOrder(t *testing.T) {
	const n = 5000
	m := newModel[uint32](ownPointer())
	for range n {
		m.add(modelOrdered, 0)
	}
	for at := n - 1; at >= 0; at -= 2 {
		m.cancel(t, modelOrdered, at)
	}
	for range n {
		m.add(0, 0)
	}
	for at := n - 1; at >= 0; at-- {
		m.cancel(t, 0, at)
	}
	require.NotZero(t, m.b.Counts().Swept)
	require.Less(t, int(m.b.Counts().Held), n, "the bucket was repacked")
	m.check(t)
	for m.b.Len() > 0 {
		m.drain(t, modelOrdered, 100)
		m.check(t)
	}
}

// TestOperationsMeetASweepHalfWay stops a sweep in the middle of a bucket and
// then does one thing to that bucket.
func TestOperationsMeetASweepHalfWay(t *testing.T) {
	const slot = 2
	for name, operate := range map[string]func(t *testing.T, m *model[uint32, *uint64]){
		"nothing":   func(t *testing.T, m *model[uint32, *uint64]) {},
		"add":       func(t *testing.T, m *model[uint32, *uint64]) { m.add(slot, 7) },
		"trim":      func(t *testing.T, m *model[uint32, *uint64]) { m.trim(t, slot) },
		"drain":     func(t *testing.T, m *model[uint32, *uint64]) { m.drain(t, slot, 99) },
		"scatter":   func(t *testing.T, m *model[uint32, *uint64]) { m.scatter(t, slot) },
		"countdown": func(t *testing.T, m *model[uint32, *uint64]) { m.countdown(t, slot, 3, 9, 0) },
		"extract":   func(t *testing.T, m *model[uint32, *uint64]) { m.extract(t, slot, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel[uint32](ownPointer())
			for at := range 9000 {
				m.add(slot, uint32(at%10))
			}
			for m.b.sweep.rest == 0 {
				m.cancel(t, slot, len(m.want[slot])/2)
			}
			m.check0(t)
			operate(t, m)
			m.check(t)
		})
	}
}

// check0 is check without All, which completes the sweep.
func (m *model[K, T]) check0(t *testing.T) {
	requireSound(t, &m.b)
	require.NotZero(t, m.b.sweep.rest)
	require.NotZero(t, m.b.Work.Swept)
}
