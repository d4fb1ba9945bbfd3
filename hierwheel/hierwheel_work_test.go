package hierwheel_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/wheeltest"
	"schedbench/schedulers"
)

const tick = time.Millisecond

func newWheel(t *testing.T, slotsPerLevel int) *hierwheel.Wheel[uint64] {
	w, err := hierwheel.New[uint64](tick, slotsPerLevel)
	require.NoError(t, err)
	return w
}

// filled returns a wheel with n values at random between two deadlines.
func filled(t *testing.T, n int, from, to time.Duration) (*hierwheel.Wheel[uint64], []schedulers.ID) {
	w := newWheel(t, 64)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	ids := make([]schedulers.ID, n)
	for i := range ids {
		var err error
		ids[i], err = w.Schedule(from+time.Duration(rng.Int64N(int64(to-from))), uint64(i))
		require.NoError(t, err)
	}
	return w, ids
}

// TestInsertLooksAtNothingElse: the counts are the same for every number
// pending, namely none.
func TestInsertLooksAtNothingElse(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		w, _ := filled(t, n, tick, 24*time.Hour)
		require.Equal(t, schedulers.Work{}, wheeltest.WithoutUpkeep(w.Work()), "with %d pending", n)
	}
}

// cascades returns how often a value of a tick moves in a wheel whose clock
// starts at 0: once for each digit but the last that is not zero, since it waits
// for each of these to come.
func cascades(tick, slotsPerLevel uint64) (n uint64) {
	for tick /= slotsPerLevel; tick > 0; tick /= slotsPerLevel {
		if tick%slotsPerLevel != 0 {
			n++
		}
	}
	return n
}

func TestCascadesAreThoseOfTheDigits(t *testing.T) {
	const last = 4*4*4*4 + 17 // of four levels with four slots, and into the fifth
	for name, step := range map[string]int{"tick by tick": 1, "by three": 3, "in one jump": last} {
		t.Run(name, func(t *testing.T) {
			for k := range uint64(last + 1) {
				w := newWheel(t, 4)
				_, err := w.Schedule(time.Duration(k)*tick, k)
				require.NoError(t, err)
				for now := 0; w.Len() > 0; now += step {
					w.Expire(time.Duration(now)*tick, make([]uint64, 1))
				}
				require.Equal(t, cascades(k, 4), w.Work().Cascades, "tick %d", k)
			}
		})
	}
}

func TestCascadesOfManyAddUp(t *testing.T) {
	const n = 1000
	w := newWheel(t, 4)
	var want uint64
	for k := range uint64(n) {
		_, err := w.Schedule(time.Duration(k)*tick, k)
		require.NoError(t, err)
		want += cascades(k, 4)
	}
	due := make([]uint64, 7)
	for now := time.Duration(0); w.Len() > 0; now += tick {
		w.Expire(now, due)
	}
	require.Equal(t, want, w.Work().Cascades)
}

// TestValueMovesAtMostOnceALevel begins at clocks at which the digits carry.
func TestValueMovesAtMostOnceALevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, slots := range []int{2, 4, 64, 256} {
		for range 500 {
			w := newWheel(t, slots)
			clock := time.Duration(rng.Int64()>>(rng.IntN(40)+1)) / tick * tick
			w.Expire(clock, nil)
			deadline := clock + time.Duration(rng.Int64()>>(rng.IntN(40)+1))
			_, err := w.Schedule(deadline, 0)
			require.NoError(t, err)
			for w.Len() > 0 {
				wake, _ := w.Next()
				w.Expire(wake, make([]uint64, 1))
			}
			above := digits(uint64(slots), deadline) - 1
			require.LessOrEqual(t, int(w.Work().Cascades), above, "%d slots, from %d to %d", slots, clock, deadline)
			require.LessOrEqual(t, int(w.Work().Slots), above+1, "and is passed in as many steps")
		}
	}
}

// digits returns how many digits the tick of a deadline has.
func digits(slots uint64, deadline time.Duration) (n int) {
	for k := uint64((deadline + tick - 1) / tick); k > 0; k /= slots {
		n++
	}
	return max(n, 1)
}

func TestEmptySlotsCostNothing(t *testing.T) {
	w := newWheel(t, 256)
	_, err := w.Schedule(time.Hour, 0)
	require.NoError(t, err)
	for now := time.Duration(0); now < 10*time.Second; now += tick {
		require.Zero(t, w.Expire(now, nil))
	}
	require.Equal(t, schedulers.Work{}, wheeltest.WithoutUpkeep(w.Work()))
	require.Equal(t, 1, w.Expire(math.MaxInt64, make([]uint64, 1)))
	require.EqualValues(t, 2, w.Work().Cascades)
	require.EqualValues(t, 3, w.Work().Slots, "one of each level")
}
