package hierwheel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/schedulers"
	"schedbench/schedulers/schedtest"
)

func tested() []schedtest.Scheduler {
	return []schedtest.Scheduler{
		schedtest.Wheel(hierwheel.New[uint64], time.Millisecond, 64),
		schedtest.Wheel(hierwheel.New[uint64], 1, 2),
		schedtest.Wheel(hierwheel.New[uint64], 7, 256),
		schedtest.Wheel(hierwheel.New[uint64], time.Hour, 20),
		schedtest.Wheel(hierwheel.New[uint64], 1<<20, 1000),
	}
}

func TestScheduler(t *testing.T) { schedtest.RunAll(t, tested()...) }

func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, tested()[0]) }

// TestEveryGeometryReachesTheEndOfTime has as many as 63 levels, or as few as
// one, and a tick that is longer than all time but two of them.
func TestEveryGeometryReachesTheEndOfTime(t *testing.T) {
	const end = time.Duration(math.MaxInt64)
	for _, test := range []struct {
		tick  time.Duration
		slots int
	}{{1, 2}, {1, 3}, {1, 256}, {1, 1 << 16}, {time.Hour, 2}, {end/2 + 1, 2}, {end, 2}, {end, 1 << 16}} {
		t.Run(fmt.Sprintf("tick=%d/slots=%d", test.tick, test.slots), func(t *testing.T) {
			w := must.Get(hierwheel.New[uint64](test.tick, test.slots))(t)
			require.Equal(t, test.tick, w.Tick())
			must.Get(w.Schedule(end, 1))(t)
			must.Get(w.Schedule(1, 0))(t)

			due := make([]uint64, 1)
			for _, want := range []uint64{0, 1} {
				for w.Expire(wake(t, w), due) == 0 {
				}
				require.Equal(t, want, due[0])
			}
			require.Zero(t, w.Len())
		})
	}
}

func wake(t *testing.T, w *hierwheel.Wheel[uint64]) time.Duration {
	at, ok := w.Next()
	require.True(t, ok)
	return at
}

const tick = time.Millisecond

func newWheel(t *testing.T, slotsPerLevel int) *hierwheel.Wheel[uint64] {
	return must.Get(hierwheel.New[uint64](tick, slotsPerLevel))(t)
}

// filled returns a wheel of 256 slots a level, with n values at random between two deadlines.
func filled(t *testing.T, n int, from, to time.Duration) *hierwheel.Wheel[uint64] {
	w := newWheel(t, 256)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range uint64(n) {
		must.Get(w.Schedule(from+time.Duration(rng.Int64N(int64(to-from))), i))(t)
	}
	return w
}

// levelOf returns the level that a tick is put on while the clock is at 0: the lowest of which the
// first two revolutions hold it.
func levelOf(tick, slots uint64) (level uint64) {
	for tick /= slots; tick > 1; tick /= slots {
		level++
	}
	return level
}

func TestValuesSinkLevelByLevel(t *testing.T) {
	const last = 2*4*4*4*4 + 17 // of four levels with four slots, and into the fifth
	for name, step := range map[string]int{"tick by tick": 1, "by three": 3, "in one jump": last} {
		t.Run(name, func(t *testing.T) {
			for k := range uint64(last + 1) {
				w := newWheel(t, 4)
				must.Get(w.Schedule(time.Duration(k)*tick, k))(t)
				for now := 0; w.Len() > 0; now += step {
					w.Expire(time.Duration(now)*tick, make([]uint64, 1))
				}
				level := levelOf(k, 4)
				require.LessOrEqual(t, w.Work().Cascades, level, "tick %d", k)
				require.GreaterOrEqual(t, w.Work().Cascades, min(level, 1), "tick %d", k)
			}
		})
	}
}

// An Expire that comes each tick moves 80 values of a level at most, until a slot has very many.
func TestValuesSinkAFewAtATime(t *testing.T) {
	const n = 1_000_000 // 17 a tick, and 4266 a slot of the second level
	for name, from := range map[string]time.Duration{"from the second level": 70 * time.Second, "from the third": 200 * time.Second} {
		t.Run(name, func(t *testing.T) {
			w := filled(t, n, from, from+time.Minute)
			due, most, came := make([]uint64, n), 0, 0
			for now := tick; w.Len() > 0; now += tick {
				before := w.Work()
				out := w.Expire(now, due)
				most, came = max(most, out+int(w.Work().Sub(before).Cascades)), came+out
			}
			require.Equal(t, n, came)
			require.Less(t, most, 250)
		})
	}
}

// Who sleeps until Next moves some hundreds at a time.
func TestWhoSleepsIsWokenToMoveSome(t *testing.T) {
	const n, most = 100_000, 2 * (256 + 16*64)
	w := filled(t, n, time.Hour, time.Hour+time.Second)
	due := make([]uint64, n)
	for wakes, before := 0, w.Work(); w.Len() > 0; before = w.Work() {
		if w.Expire(wake(t, w), due) == 0 {
			wakes++
			require.Less(t, wakes, 1000)
		}
		require.LessOrEqual(t, int(w.Work().Sub(before).Cascades), most, "wake-up %d", wakes)
	}
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
			must.Get(w.Schedule(deadline, 0))(t)
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

// Keep-alive timers of a minute that are put off each second move once a minute, and none is early or late.
func TestAValueThatIsPutOffMovesWhenItsSlotComes(t *testing.T) {
	const n, minutes = 100, 10
	w := newWheel(t, 256)
	ids, due := make([]schedulers.ID, n), make([]uint64, n)
	for i := range ids {
		ids[i] = must.Get(w.Schedule(time.Minute, uint64(i)))(t)
	}
	wakes, last := 0, time.Duration(0)
	for now := time.Second; now <= minutes*time.Minute; now += time.Second {
		for wake(t, w) <= now {
			require.Zero(t, w.Expire(wake(t, w), due))
			wakes++
		}
		last = now + time.Minute
		for _, id := range ids {
			require.True(t, must.Get(w.Reset(id, last))(t))
		}
	}
	require.LessOrEqual(t, w.Work().Cascades, uint64(n*(minutes+1)))
	require.NotZero(t, w.Work().Cascades, "or the test shows nothing")
	require.LessOrEqual(t, wakes, 3*minutes)
	require.Zero(t, w.Expire(last-1, due))
	require.Equal(t, n, w.Expire(last, due))
}

// A value that is put off in the last moment moves at once: nobody has to look at it in its old place.
func TestAValueThatIsPutOffInTheLastMomentMovesAtOnce(t *testing.T) {
	w := newWheel(t, 256)
	id := must.Get(w.Schedule(time.Minute, 1))(t)
	for now := 59 * time.Second; now < time.Hour; now += 59 * time.Second {
		require.Zero(t, w.Expire(now, nil))
		require.True(t, must.Get(w.Reset(id, now+time.Minute))(t))
	}
	require.Zero(t, w.Work().Cascades)
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
	must.Get(w.Schedule(time.Hour, 0))(t)
	for now := time.Duration(0); now < 10*time.Second; now += tick {
		require.Zero(t, w.Expire(now, nil))
	}
	require.Equal(t, schedulers.Work{Upkeep: w.Work().Upkeep}, w.Work())
	require.Equal(t, 1, w.Expire(math.MaxInt64, make([]uint64, 1)))
	require.EqualValues(t, 2, w.Work().Cascades)
	require.EqualValues(t, 3, w.Work().Slots, "one of each level")
}
