package roundswheel_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/roundswheel"
	"schedbench/schedulers"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	for _, test := range []struct {
		name    string
		tick    time.Duration
		slots   int
		want    error
		figures []string // in the message
	}{
		{"no tick", 0, 8, schedulers.ErrTick, []string{"0s", "1ns"}},
		{"negative tick", -time.Second, 8, schedulers.ErrTick, []string{"-1s", "1ns"}},
		{"no slots", 1, 0, schedulers.ErrSlots, []string{"0", "1073741824"}},
		{"negative slots", 1, -3, schedulers.ErrSlots, []string{"-3", "1073741824"}},
		{"too many slots", 1, 1<<30 + 1, schedulers.ErrSlots, []string{"1073741825", "1073741824"}},
		{"longer than there is", 1 << 40, 1 << 23, schedulers.ErrTick, []string{"18m19.511627776s", "8388608", "2562047h47m16.854775807s"}},
		{"longer once rounded up", math.MaxInt64 / 3, 3, schedulers.ErrTick, []string{"4 slots"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := roundswheel.New[uint64](test.tick, test.slots)
			require.Nil(t, w)
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, "roundswheel: ")
			for _, figure := range test.figures {
				require.ErrorContains(t, err, figure)
			}
		})
	}
}

func TestNewTakesGeometryUpToTheLimits(t *testing.T) {
	for _, test := range []struct {
		tick    time.Duration
		slots   int
		rounded int
	}{
		{1, 1, 1},
		{math.MaxInt64, 1, 1},
		{1 << 60, 4, 4},
		{time.Millisecond, 1000, 1024},
		{1, 1 << 20, 1 << 20},
	} {
		w, err := roundswheel.New[uint64](test.tick, test.slots)
		require.NoError(t, err)
		require.Equal(t, test.tick, w.Tick())
		require.Equal(t, test.rounded, w.Slots())
		require.GreaterOrEqual(t, w.Horizon(), test.tick)

		_, err = w.Schedule(w.Horizon(), 7)
		require.NoError(t, err, "within the horizon")
		require.Equal(t, 1, w.Expire(math.MaxInt64, make([]uint64, 1)))
	}
}

// TestScheduleRefusesWhatIsBeyondTheRounds: a count of rounds has 32 bits.
func TestScheduleRefusesWhatIsBeyondTheRounds(t *testing.T) {
	w, err := roundswheel.New[uint64](1, 2)
	require.NoError(t, err)
	last := time.Duration(2 << 32)
	_, err = w.Schedule(last, 1)
	require.NoError(t, err)
	_, err = w.Schedule(last+1, 2)
	require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
	require.ErrorContains(t, err, "8.589934593s") // the deadline
	require.ErrorContains(t, err, "8.58993459s")  // what is promised
	require.Equal(t, 1, w.Len())
	require.Zero(t, w.Expire(last-1, make([]uint64, 1)))
	require.Equal(t, 1, w.Expire(last, make([]uint64, 1)))
}
