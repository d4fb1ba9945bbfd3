package hierwheel_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/internal/wheeltest"
	"schedbench/schedulers"
)

func newNoCascade(t *testing.T) *hierwheel.NoCascade[uint64] {
	return must.Get(hierwheel.NewNoCascade[uint64](tick, 64, 8))(t)
}

// fill schedules n values at random within a day and returns their deadlines.
func fill(t *testing.T, w *hierwheel.NoCascade[uint64], n int) []time.Duration {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	deadlines := make([]time.Duration, n)
	for i := range deadlines {
		deadlines[i] = time.Duration(rng.Int64N(int64(24*time.Hour))) >> rng.IntN(20)
		must.Get(w.Schedule(deadlines[i], uint64(i)))(t)
	}
	return deadlines
}

// TestNothingMoves, whether the clock follows Next or jumps: all the work there
// is are the slots, each opened once.
func TestNothingMoves(t *testing.T) {
	const n = 10_000
	g := levelled{tick, 64, 8}
	for name, step := range map[string]time.Duration{"from Next to Next": 0, "by a minute": time.Minute, "in one jump": end} {
		t.Run(name, func(t *testing.T) {
			w := newNoCascade(t)
			type slot struct {
				span uint64
				at   time.Duration
			}
			slots := map[slot]bool{}
			for _, d := range fill(t, w, n) {
				slots[slot{g.span(uint64((d + tick - 1) / tick)), g.due(0, d)}] = true
			}
			due := make([]uint64, n)
			for now := time.Duration(0); w.Len() > 0; {
				wake, _ := w.Next()
				now = max(wake, now+min(step, end-now))
				require.NotZero(t, w.Expire(now, due), "no wake-up is in vain")
			}
			require.Equal(t, schedulers.Work{Slots: uint64(len(slots))}, wheeltest.WithoutUpkeep(w.Work()))
		})
	}
}

// TestEachIsSetAsideOnce has a caller that takes one value at a time, and
// schedules one after each, so that what is due is always in the way.
func TestEachIsSetAsideOnce(t *testing.T) {
	const n = 10_000
	w := newNoCascade(t)
	for i := range uint64(n) {
		must.Get(w.Schedule(time.Duration(i%1000)*tick, i))(t)
	}
	due := make([]uint64, 1)
	for i := range time.Duration(2 * n) {
		now := time.Second + i/4*tick
		require.Equal(t, 1, w.Expire(now, due))
		must.Get(w.Schedule(now+63*tick, 0))(t) // where the slot of the present tick is needed
	}
	work := w.Work()
	require.Zero(t, work.Cascades)
	require.LessOrEqual(t, work.Moves, uint64(2*3*n), "into the queue and forward in it")
	require.LessOrEqual(t, work.Visits, uint64(3*n))
}

func TestNoCascadePassesEmptySlotsForNothing(t *testing.T) {
	w := newNoCascade(t)
	must.Get(w.Schedule(time.Hour, 0))(t)
	for now := time.Duration(0); now < 10*time.Second; now += tick {
		require.Zero(t, w.Expire(now, make([]uint64, 1)))
	}
	require.Equal(t, schedulers.Work{}, wheeltest.WithoutUpkeep(w.Work()))
	require.Equal(t, 1, w.Expire(math.MaxInt64, make([]uint64, 1)))
	require.Equal(t, schedulers.Work{Slots: 1}, wheeltest.WithoutUpkeep(w.Work()))
}

// TestNextPassesCancelled: a driver is not woken for what has been cancelled.
func TestNextPassesCancelled(t *testing.T) {
	w := newNoCascade(t)
	for i := range uint64(100) {
		require.True(t, w.Cancel(must.Get(w.Schedule(time.Duration(i)*time.Second, i))(t)))
	}
	must.Get(w.Schedule(time.Hour, 100))(t)
	wake, ok := w.Next()
	require.True(t, ok)
	require.Equal(t, levelled{tick, 64, 8}.due(0, time.Hour), wake)
}

// TestSlotsWithoutValuesAreNotOpened: what cancelling has emptied costs nothing more.
func TestSlotsWithoutValuesAreNotOpened(t *testing.T) {
	w := newNoCascade(t)
	for i := range time.Duration(20_000) {
		require.True(t, w.Cancel(must.Get(w.Schedule(i*i*tick, 0))(t)))
	}
	for now := tick; now < end/2; now *= 2 {
		require.Zero(t, w.Expire(now, make([]uint64, 1)))
	}
	require.Equal(t, schedulers.Work{}, wheeltest.WithoutUpkeep(w.Work()))
}
