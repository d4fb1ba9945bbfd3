package ticks_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/must"
	"schedbench/internal/ticks"
	"schedbench/schedulers"
)

const end = time.Duration(math.MaxInt64)

func newTick(t require.TestingT, d time.Duration) ticks.Tick {
	tick := must.Get(ticks.New(d))(t)
	require.Equal(t, d, tick.Duration())
	return tick
}

// edges are the durations at which arithmetic goes wrong first: both ends, and each power of two with its neighbours.
func edges() []time.Duration {
	ds := []time.Duration{0, 3, 5, 6, 7, 10, 1000, time.Millisecond, time.Second, time.Hour, end - 1, end}
	for shift := range 63 {
		p := time.Duration(1) << shift
		ds = append(ds, p-1, p, p+1)
	}
	return ds
}

// requireExact compares every conversion of at, in ticks of d, with division.
func requireExact(t require.TestingT, d, at time.Duration) {
	tick := newTick(t, d)
	floor, rest := uint64(at/d), at%d
	require.Equal(t, floor, tick.Floor(at), "floor of %d in ticks of %d", at, d)
	ceil := floor
	if rest > 0 {
		ceil++
	}
	if at > 0 {
		require.Equal(t, ceil, tick.Ceil(at), "ceiling of %d in ticks of %d", at, d)
	}
	reached := floor
	if at == end {
		reached = ceil
	}
	require.Equal(t, reached, tick.Reached(at), "reached at %d in ticks of %d", at, d)
}

func TestConversionsAreThoseOfDivision(t *testing.T) {
	for _, d := range edges()[1:] {
		for _, at := range edges() {
			requireExact(t, d+1-min(d, 1), at) // 1 for 0
		}
	}
	duration := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >>
			rapid.IntRange(0, 62).Draw(t, "shift"))
	})
	rapid.Check(t, func(t *rapid.T) {
		d := max(duration.Draw(t, "tick"), 1)
		at := duration.Draw(t, "at")
		requireExact(t, d, at)
		// Multiples of the tick and their neighbours, where a reciprocal that is off by one would show.
		for _, near := range []time.Duration{-1, 0, 1} {
			if m := at - at%d; m+near >= 0 && m <= end-1 {
				requireExact(t, d, m+near)
			}
		}
	})
}

func TestStartIsTheProductUpToTheEndOfTime(t *testing.T) {
	requireStart := func(t require.TestingT, d time.Duration, k uint64) {
		product := new(big.Int).Mul(big.NewInt(int64(d)), new(big.Int).SetUint64(k))
		want := end
		if product.IsInt64() {
			want = time.Duration(product.Int64())
		}
		tick := newTick(t, d)
		require.Equal(t, want, tick.Start(k), "start of tick %d of %d", k, d)
	}
	for _, d := range edges()[1:] {
		for _, k := range edges() {
			requireStart(t, max(d, 1), uint64(k))
		}
		requireStart(t, max(d, 1), math.MaxUint64)
	}
	rapid.Check(t, func(t *rapid.T) {
		requireStart(t, time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "tick")),
			rapid.Uint64().Draw(t, "k"))
	})
}

func TestSlotsAreRoundedUpToAPowerOfTwo(t *testing.T) {
	for n, want := range map[int]int{
		1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 20: 32, 512: 512, 513: 1024,
		ticks.MaxSlots/2 + 1: ticks.MaxSlots, ticks.MaxSlots: ticks.MaxSlots,
	} {
		got := must.Get(ticks.Slots(n))(t)
		require.Equal(t, want, got, "%d slots", n)
		require.Equal(t, want, 1<<ticks.Log2(got))
	}
}

func TestRevolutionMustFitInADuration(t *testing.T) {
	for _, test := range []struct {
		tick  time.Duration
		slots int
		want  time.Duration // 0: refused
	}{
		{1, 1, 1},
		{time.Millisecond, 512, 512 * time.Millisecond},
		{end, 1, end},
		{end, 2, 0},
		{end / 2, 2, end - 1},
		{end/2 + 1, 2, 0},
		{1 << 33, 1 << 29, 1 << 62},
		{1 << 33, 1 << 30, 0},
		{1 << 62, 1 << 30, 0}, // beyond 64 bits
	} {
		tick := newTick(t, test.tick)
		got, err := tick.Revolution(test.slots)
		require.Equal(t, test.want, got)
		if test.want == 0 {
			require.ErrorIs(t, err, schedulers.ErrTick)
			require.ErrorContains(t, err, test.tick.String())
			require.ErrorContains(t, err, end.String())
		}
	}
}
