// Package wheeltest has what the tests of the wheels share.
package wheeltest

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// Refusal is a geometry that a constructor must refuse.
type Refusal struct {
	// Name says what is wrong.
	Name  string
	Tick  time.Duration
	Slots int
	// Want is the error that the constructor's must wrap.
	Want error
	// Figures must be in its message.
	Figures []string
}

// BadTickOrSlots lists geometries whose tick or number of slots is out of range by itself.
func BadTickOrSlots() []Refusal {
	return []Refusal{
		{"no tick", 0, 8, schedulers.ErrTick, []string{"0s", "at least 1ns"}},
		{"negative tick", -time.Second, 8, schedulers.ErrTick, []string{"-1s", "at least 1ns"}},
		{"least tick", math.MinInt64, 8, schedulers.ErrTick, []string{"-2562047h47m16.854775808s", "at least 1ns"}},
		{"no slots", 1, 0, schedulers.ErrSlots, []string{"0", "to 1073741824"}},
		{"negative slots", 1, -3, schedulers.ErrSlots, []string{"-3", "to 1073741824"}},
		{"too many slots", 1, 1<<30 + 1, schedulers.ErrSlots, []string{"1073741825", "to 1073741824"}},
		{"most slots", 1, math.MaxInt, schedulers.ErrSlots, []string{strconv.Itoa(math.MaxInt), "to 1073741824"}},
	}
}

// TooLong lists geometries of good ticks and slots whose revolution takes longer than the maximum duration, once the slots
// are rounded up to a power of two.
func TooLong() []Refusal {
	return []Refusal{
		{"longer than there is", 1 << 40, 1 << 23, schedulers.ErrTick, []string{"18m19.511627776s", "8388608", "2562047h47m16.854775807s"}},
		{"longer once rounded up", math.MaxInt64 / 3, 3, schedulers.ErrTick, []string{"4 slots"}},
		{"longest tick, two slots", math.MaxInt64, 2, schedulers.ErrTick, []string{"2 slots"}},
	}
}

// RequireRefusals checks that a constructor refuses every geometry of a list: with no wheel, and an error that names
// the package, wraps the right sentinel and has the figures.
func RequireRefusals[W any](t *testing.T, pkg string, construct func(tick time.Duration, slots int) (*W, error), list []Refusal) {
	t.Helper()
	for _, r := range list {
		t.Run(r.Name, func(t *testing.T) {
			w, err := construct(r.Tick, r.Slots)
			require.Nil(t, w)
			require.ErrorIs(t, err, r.Want)
			require.ErrorContains(t, err, pkg+": ")
			for _, figure := range r.Figures {
				require.ErrorContains(t, err, figure)
			}
		})
	}
}

// Rounded is a geometry within the limits, and the number of slots it comes to.
type Rounded struct {
	Tick         time.Duration
	Slots, Comes int
}

// AtTheLimits lists geometries of one revolution that reach the limits or need rounding up.
func AtTheLimits() []Rounded {
	return []Rounded{
		{1, 1, 1},
		{math.MaxInt64, 1, 1},
		{1 << 60, 4, 4},
		{time.Millisecond, 1000, 1024},
		{1, 1 << 20, 1 << 20},
	}
}
