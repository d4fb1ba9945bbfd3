package singlewheel_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// filled returns a wheel with n values in random slots, and their IDs.
func filled(t *testing.T, slots, n int) (*singlewheel.Wheel[uint64], []schedulers.ID) {
	w, err := singlewheel.New[uint64](time.Millisecond, slots)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	ids := make([]schedulers.ID, n)
	for i := range ids {
		deadline := time.Duration(1+rng.IntN(slots)) * time.Millisecond
		ids[i], err = w.Schedule(deadline, uint64(i))
		require.NoError(t, err)
	}
	return w, ids
}

// TestInsertResetAndCancelLookAtNothingElse: the counts are the same for every
// number pending, namely none.
func TestInsertResetAndCancelLookAtNothingElse(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		w, ids := filled(t, 1<<12, n)
		for _, id := range ids {
			ok, err := w.Reset(id, time.Second)
			require.True(t, ok)
			require.NoError(t, err)
			require.True(t, w.Cancel(id))
		}
		require.Equal(t, schedulers.Work{Upkeep: w.Work().Upkeep}, w.Work(), "with %d pending", n)
	}
}

// TestExpireOpensEachOccupiedSlotOnce, whether it comes tick by tick or in one
// jump of many revolutions, and nothing else.
func TestExpireOpensEachOccupiedSlotOnce(t *testing.T) {
	const slots, n = 1 << 12, 1_000
	due := make([]uint64, n)
	w, _ := filled(t, slots, n)
	occupied := 0
	for now := time.Duration(0); w.Len() > 0; now += time.Millisecond {
		if w.Expire(now, due) > 0 {
			occupied++
		}
	}
	require.Equal(t, schedulers.Work{Slots: uint64(occupied), Upkeep: w.Work().Upkeep}, w.Work())

	w, _ = filled(t, slots, n)
	require.Equal(t, n, w.Expire(time.Hour, due))
	require.Equal(t, schedulers.Work{Slots: uint64(occupied), Upkeep: w.Work().Upkeep}, w.Work())
}

// TestWithoutRoomEachValueMovesOnce to where it waits for it.
func TestWithoutRoomEachValueMovesOnce(t *testing.T) {
	const n = 1_000
	w, _ := filled(t, 1<<12, n)
	require.Zero(t, w.Expire(time.Hour, nil))
	require.EqualValues(t, n, w.Work().Visits)
	for w.Len() > 0 {
		require.Equal(t, 1, w.Expire(time.Hour, make([]uint64, 1)))
	}
	require.EqualValues(t, n, w.Work().Visits)
}
