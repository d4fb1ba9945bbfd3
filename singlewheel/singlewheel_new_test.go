package singlewheel_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
	"schedbench/singlewheel"
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
		{"most slots", 1, math.MaxInt, schedulers.ErrSlots, []string{"9223372036854775807", "1073741824"}},
		{"longer than there is", 1 << 40, 1 << 23, schedulers.ErrTick, []string{"18m19.511627776s", "8388608", "2562047h47m16.854775807s"}},
		{"longer once rounded up", math.MaxInt64 / 3, 3, schedulers.ErrTick, []string{"4 slots"}},
		{"longest tick, two slots", math.MaxInt64, 2, schedulers.ErrTick, []string{"2 slots"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := singlewheel.New[uint64](test.tick, test.slots)
			require.Nil(t, w)
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, "singlewheel: ")
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
		w, err := singlewheel.New[uint64](test.tick, test.slots)
		require.NoError(t, err)
		require.Equal(t, test.tick, w.Tick())
		require.Equal(t, test.rounded, w.Slots())
		require.Equal(t, test.tick*time.Duration(test.rounded), w.Horizon())
	}
}

func TestScheduleRefusesWhatIsBeyondTheHorizon(t *testing.T) {
	w, err := singlewheel.New[uint64](time.Millisecond, 8)
	require.NoError(t, err)
	w.Expire(3500*time.Microsecond, nil) // in tick 3, so that tick 11 is the last

	id, err := w.Schedule(11*time.Millisecond, 1)
	require.NoError(t, err)
	late := 11*time.Millisecond + 1
	_, err = w.Schedule(late, 2)
	require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
	require.ErrorContains(t, err, "11.000001ms")
	require.ErrorContains(t, err, "8ms")
	require.Equal(t, 1, w.Len())

	ok, err := w.Reset(id, late)
	require.True(t, ok, "still pending at its old deadline")
	require.ErrorIs(t, err, schedulers.ErrBeyondHorizon)
	wake, _ := w.Next()
	require.Equal(t, 11*time.Millisecond, wake)
}
