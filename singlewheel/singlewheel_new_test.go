package singlewheel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/wheeltest"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	wheeltest.RequireRefusals(t, "singlewheel", singlewheel.New[uint64], append(wheeltest.BadTickOrSlots(), wheeltest.TooLong()...))
}

func TestNewTakesGeometryUpToTheLimits(t *testing.T) {
	for _, test := range wheeltest.AtTheLimits() {
		w, err := singlewheel.New[uint64](test.Tick, test.Slots)
		require.NoError(t, err)
		require.Equal(t, test.Tick, w.Tick())
		require.Equal(t, test.Comes, w.Slots())
		require.Equal(t, test.Tick*time.Duration(test.Comes), w.Horizon())
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
