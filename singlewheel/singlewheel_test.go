package singlewheel_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
	"schedbench/singlewheel"
)

func tested() []schedtest.Scheduler {
	return []schedtest.Scheduler{
		schedtest.Wheel(singlewheel.New[uint64], time.Millisecond, 1<<16),
		schedtest.Wheel(singlewheel.New[uint64], time.Millisecond, 2*singlewheel.MostFlat), // in groups
		schedtest.Wheel(singlewheel.New[uint64], 1, 2),
		schedtest.Wheel(singlewheel.New[uint64], 7, 2),
		schedtest.Wheel(singlewheel.New[uint64], time.Hour, 64),
		schedtest.Wheel(singlewheel.New[uint64], 1<<20, 1000),
	}
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested()...) }

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, tested()[0]) }

// filled returns a wheel of 4096 slots with n values in random ones.
func filled(t *testing.T, n int) *singlewheel.Wheel[uint64] {
	const slots = 1 << 12
	w := must.Get(singlewheel.New[uint64](time.Millisecond, slots))(t)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range uint64(n) {
		must.Get(w.Schedule(time.Duration(1+rng.IntN(slots))*time.Millisecond, i))(t)
	}
	return w
}

// TestExpireOpensEachOccupiedSlotOnce, whether it comes tick by tick or in one
// jump of many revolutions, and nothing else.
func TestExpireOpensEachOccupiedSlotOnce(t *testing.T) {
	const n = 1_000
	due := make([]uint64, n)
	w := filled(t, n)
	occupied := 0
	for now := time.Duration(0); w.Len() > 0; now += time.Millisecond {
		if w.Expire(now, due) > 0 {
			occupied++
		}
	}
	require.Equal(t, schedulers.Work{Slots: uint64(occupied), Upkeep: w.Work().Upkeep}, w.Work())

	w = filled(t, n)
	require.Equal(t, n, w.Expire(time.Hour, due))
	require.Equal(t, schedulers.Work{Slots: uint64(occupied), Upkeep: w.Work().Upkeep}, w.Work())
}

// TestWithoutRoomEachValueMovesOnce to where it waits for it.
func TestWithoutRoomEachValueMovesOnce(t *testing.T) {
	const n = 1_000
	w := filled(t, n)
	require.Zero(t, w.Expire(time.Hour, nil))
	require.EqualValues(t, n, w.Work().Visits)
	for w.Len() > 0 {
		require.Equal(t, 1, w.Expire(time.Hour, make([]uint64, 1)))
	}
	require.EqualValues(t, n, w.Work().Visits)
}
