package roundswheel_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/roundswheel"
	"schedbench/schedulers"
)

const (
	tick  = time.Millisecond
	slots = 64
)

// filled returns a wheel with n values at random between two deadlines.
func filled(t *testing.T, n int, from, to time.Duration) (*roundswheel.Wheel[uint64], []schedulers.ID) {
	w, err := roundswheel.New[uint64](tick, slots)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	ids := make([]schedulers.ID, n)
	for i := range ids {
		ids[i], err = w.Schedule(from+time.Duration(rng.Int64N(int64(to-from))), uint64(i))
		require.NoError(t, err)
	}
	return w, ids
}

// TestInsertLooksAtNothingElse: the counts are the same for every number
// pending, namely none.
func TestInsertLooksAtNothingElse(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		w, _ := filled(t, n, time.Second, time.Hour)
		require.Equal(t, schedulers.Work{}, w.Work(), "with %d pending", n)
	}
}

// TestTickVisitsTheShareOfItsSlot takes deadlines far ahead, so that none is
// due within the revolutions that are counted.
func TestTickVisitsTheShareOfItsSlot(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		w, _ := filled(t, n, time.Minute, time.Hour)
		for revolution := range 3 {
			total := 0
			for i := range slots {
				before := w.Work().Visits
				require.Zero(t, w.Expire(time.Duration(revolution*slots+i+1)*tick, make([]uint64, 1)))
				visits := int(w.Work().Visits - before)
				total += visits
				// A slot's share is binomial: five deviations are never exceeded.
				share := float64(n) / slots
				require.InDelta(t, share, visits, 5*math.Sqrt(share), "slot %d of %d pending", i, n)
			}
			require.Equal(t, n, total, "each once in a revolution")
		}
	}
}

func TestTickOfAnEvenlyFilledWheelVisitsExactlyTheMean(t *testing.T) {
	const each = 37
	w, err := roundswheel.New[uint64](tick, slots)
	require.NoError(t, err)
	for i := range each * slots {
		_, err := w.Schedule(time.Hour+time.Duration(i)*tick, 0)
		require.NoError(t, err)
	}
	for i := range 2 * slots {
		before := w.Work()
		w.Expire(time.Duration(i+1)*tick, nil)
		work := w.Work().Sub(before)
		require.EqualValues(t, each, work.Visits)
		require.EqualValues(t, 1, work.Slots)
	}
}

// TestJumpVisitsEachEntryOnce, however many revolutions it takes.
func TestJumpVisitsEachEntryOnce(t *testing.T) {
	const n = 10_000
	for _, jump := range []time.Duration{slots * tick, time.Second, 30 * time.Minute, math.MaxInt64} {
		w, _ := filled(t, n, time.Second, time.Hour)
		require.Equal(t, jump == math.MaxInt64, w.Expire(jump, make([]uint64, n)) == n)
		require.EqualValues(t, n, w.Work().Visits)
		require.EqualValues(t, slots, w.Work().Slots)
	}
}

// TestNextSkipsTheRevolutionsThatFireNothing: the visits are made up for by the
// Expire after them.
func TestNextSkipsTheRevolutionsThatFireNothing(t *testing.T) {
	w, err := roundswheel.New[uint64](tick, slots)
	require.NoError(t, err)
	_, err = w.Schedule(time.Hour, 7)
	require.NoError(t, err)
	wake, ok := w.Next()
	require.True(t, ok)
	require.Equal(t, time.Hour, wake)
	require.Equal(t, 1, w.Expire(wake, make([]uint64, 1)))
	require.EqualValues(t, 1, w.Work().Visits)
}
