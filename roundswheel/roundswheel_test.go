package roundswheel_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/roundswheel"
	"schedbench/schedulers/schedtest"
)

func tested() []schedtest.Scheduler {
	return []schedtest.Scheduler{
		schedtest.Wheel(roundswheel.New[uint64], time.Millisecond, 512),
		schedtest.Wheel(roundswheel.New[uint64], 1, 1),
		schedtest.Wheel(roundswheel.New[uint64], 7, 2),
		schedtest.Wheel(roundswheel.New[uint64], time.Hour, 64),
		schedtest.Wheel(roundswheel.New[uint64], 1<<20, 1000),
	}
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested()...) }

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, tested()[0]) }

const (
	tick  = time.Millisecond
	slots = 64
)

// filled returns a wheel with n values at random between two deadlines.
func filled(t *testing.T, n int, from, to time.Duration) *roundswheel.Wheel[uint64] {
	w := must.Get(roundswheel.New[uint64](tick, slots))(t)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range uint64(n) {
		must.Get(w.Schedule(from+time.Duration(rng.Int64N(int64(to-from))), i))(t)
	}
	return w
}

// TestTickVisitsAtMostItsSlotIfSomethingIsDue compares with all the entries of the slots at whose tick something is due.
// A tick at which nothing is due costs nothing.
func TestTickVisitsAtMostItsSlotIfSomethingIsDue(t *testing.T) {
	for _, n := range []int{100, 1_000, 10_000} {
		const ticks = 100 * slots
		w := must.Get(roundswheel.New[uint64](tick, slots))(t)
		rng := rand.New(rand.NewPCG(2, uint64(n)))
		var dueAt [ticks + 1]int
		var held [slots]int
		for i := range n {
			k := 1 + rng.IntN(ticks)
			must.Get(w.Schedule(time.Duration(k)*tick, uint64(i)))(t)
			dueAt[k]++
			held[k%slots]++
		}
		for k := 1; k <= ticks; k++ {
			before := w.Work()
			require.Equal(t, dueAt[k], w.Expire(time.Duration(k)*tick, make([]uint64, n)))
			work := w.Work().Sub(before)
			if dueAt[k] == 0 {
				require.Zero(t, work)
			}
			visits := int(work.Visits)
			require.LessOrEqual(t, dueAt[k], visits)
			require.LessOrEqual(t, visits, held[k%slots])
			held[k%slots] -= dueAt[k]
		}
		require.Zero(t, w.Len())
	}
}

// TestCancelledCostsOneVisitInVain: the slot is looked into for what was first in it, and then it is known who is.
func TestCancelledCostsOneVisitInVain(t *testing.T) {
	const n = 37
	w := must.Get(roundswheel.New[uint64](tick, slots))(t)
	for i := range n {
		must.Get(w.Schedule(time.Duration((1000+i)*slots+5)*tick, 0))(t)
	}
	require.True(t, w.Cancel(must.Get(w.Schedule(5*tick, 1))(t)))
	for now := tick; now < time.Second; now += tick {
		require.Zero(t, w.Expire(now, make([]uint64, 1)))
	}
	require.EqualValues(t, n, w.Work().Visits)
	require.EqualValues(t, 1, w.Work().Slots)
}

// TestJumpVisitsNoEntryTwice, however many revolutions it takes, and none in a slot where nothing is due.
func TestJumpVisitsNoEntryTwice(t *testing.T) {
	const n = 10_000
	for _, jump := range []time.Duration{slots * tick, time.Second - tick, 30 * time.Minute, math.MaxInt64} {
		w := filled(t, n, time.Second, time.Hour)
		due := 0
		for buf := make([]uint64, n/3); ; {
			n := w.Expire(jump, buf)
			due += n
			if n < len(buf) {
				break
			}
		}
		require.Equal(t, due, n-w.Len())
		require.LessOrEqual(t, w.Work().Visits, uint64(n))
		require.LessOrEqual(t, w.Work().Slots, uint64(slots))
		if jump < time.Second {
			require.Zero(t, w.Work().Visits)
		}
	}
}
