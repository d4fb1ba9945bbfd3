package schedulers_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// geometry is a tick and a number of slots. A refused one has the error and what its message must have.
type geometry struct {
	tick  time.Duration
	slots int
	want  error
	says  []string
}

// sized is a wheel of some geometry.
type sized interface {
	schedulers.Scheduler[uint64]
	Tick() time.Duration
	Slots() int
}

// constructor returns New of a wheel.
func constructor[W sized](make func(time.Duration, int) (W, error)) func(time.Duration, int) (sized, error) {
	return func(tick time.Duration, slots int) (sized, error) {
		return make(tick, slots)
	}
}

// noCascade returns NewNoCascade with a factor between levels.
func noCascade(coarser int) func(time.Duration, int) (sized, error) {
	return constructor(func(tick time.Duration, slots int) (*hierwheel.NoCascade[uint64], error) {
		return hierwheel.NewNoCascade[uint64](tick, slots, coarser)
	})
}

func TestWheelsRefuseBadGeometry(t *testing.T) {
	bad := []geometry{
		{0, 8, schedulers.ErrTick, []string{"0s", "at least 1ns"}},
		{-time.Second, 8, schedulers.ErrTick, []string{"-1s", "at least 1ns"}},
		{math.MinInt64, 8, schedulers.ErrTick, []string{"-2562047h47m16.854775808s", "at least 1ns"}},
		{1, 0, schedulers.ErrSlots, []string{"0", "to 1073741824"}},
		{1, -3, schedulers.ErrSlots, []string{"-3", "to 1073741824"}},
		{1, 1<<30 + 1, schedulers.ErrSlots, []string{"1073741825", "to 1073741824"}},
		{1, math.MaxInt, schedulers.ErrSlots, []string{strconv.Itoa(math.MaxInt), "to 1073741824"}},
	}
	// One revolution takes longer than the maximum duration, once the slots are rounded up to a power of two.
	tooLong := []geometry{
		{1 << 40, 1 << 23, schedulers.ErrTick, []string{"18m19.511627776s", "8388608", "2562047h47m16.854775807s"}},
		{math.MaxInt64 / 3, 3, schedulers.ErrTick, []string{"4 slots"}},
		{math.MaxInt64, 2, schedulers.ErrTick, []string{"2 slots"}},
	}
	for _, test := range []struct {
		pkg  string
		make func(time.Duration, int) (sized, error)
		bad  []geometry
	}{
		{"singlewheel", constructor(singlewheel.New[uint64]), bad},
		{"singlewheel", constructor(singlewheel.New[uint64]), tooLong},
		{"roundswheel", constructor(roundswheel.New[uint64]), bad},
		{"roundswheel", constructor(roundswheel.New[uint64]), tooLong},
		{"hierwheel", constructor(hierwheel.New[uint64]), bad},
		{"hierwheel", constructor(hierwheel.New[uint64]), []geometry{
			{1, 1, schedulers.ErrSlots, []string{"1 per level", "2 to 1073741824"}},
		}},
		{"hierwheel", noCascade(8), []geometry{
			{0, 64, schedulers.ErrTick, []string{"0s", "1ns"}},
			{-time.Second, 64, schedulers.ErrTick, []string{"-1s", "1ns"}},
		}},
		{"hierwheel", noCascade(2), []geometry{
			{1, -3, schedulers.ErrSlots, []string{"-3 per level", "4 to 1073741824"}},
			{1, 3, schedulers.ErrSlots, []string{"3 per level", "4 to 1073741824"}},
			{1, 1<<30 + 1, schedulers.ErrSlots, []string{"1073741825", "1073741824"}},
		}},
		{"hierwheel", noCascade(1), []geometry{{1, 64, schedulers.ErrSlots, []string{"1 times", "2 to 32"}}}},
		{"hierwheel", noCascade(-8), []geometry{{1, 64, schedulers.ErrSlots, []string{"-8 times", "2 to 32"}}}},
		{"hierwheel", noCascade(12), []geometry{{1, 64, schedulers.ErrSlots, []string{"12 times", "2 to 32"}}}},
		{"hierwheel", noCascade(64), []geometry{{1, 63, schedulers.ErrSlots, []string{"64 times", "2 to 32"}}}},
	} {
		for _, g := range test.bad {
			w, err := test.make(g.tick, g.slots)
			require.Nil(t, w, "%s of %+v", test.pkg, g)
			require.ErrorIs(t, err, g.want, "%s of %+v", test.pkg, g)
			for _, figure := range append(g.says, test.pkg+": ") {
				require.ErrorContains(t, err, figure)
			}
		}
	}
}

func TestWheelsTakeGeometryUpToTheLimits(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for _, g := range []struct {
		tick         time.Duration
		slots, comes int
	}{{1, 1, 1}, {longest, 1, 1}, {1 << 60, 4, 4}, {time.Millisecond, 1000, 1024}, {1, 1 << 20, 1 << 20}} {
		single := must.Get(singlewheel.New[uint64](g.tick, g.slots))(t)
		rounds := must.Get(roundswheel.New[uint64](g.tick, g.slots))(t)
		for _, w := range []sized{single, rounds} {
			require.Equal(t, g.tick, w.Tick())
			require.Equal(t, g.comes, w.Slots())
		}
		require.Equal(t, g.tick*time.Duration(g.comes), single.Horizon())

		must.Get(rounds.Schedule(longest, 7))(t)
		require.Zero(t, rounds.Expire(longest-1, make([]uint64, 1)))
		require.Equal(t, 1, rounds.Expire(longest, make([]uint64, 1)))
	}
}
