package roundswheel_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/wheeltest"
	"schedbench/roundswheel"
	"schedbench/schedulers"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	wheeltest.RequireRefusals(t, "roundswheel", roundswheel.New[uint64], append(wheeltest.BadTickOrSlots(), wheeltest.TooLong()...))
}

func TestNewTakesGeometryUpToTheLimits(t *testing.T) {
	for _, test := range wheeltest.AtTheLimits() {
		w, err := roundswheel.New[uint64](test.Tick, test.Slots)
		require.NoError(t, err)
		require.Equal(t, test.Tick, w.Tick())
		require.Equal(t, test.Comes, w.Slots())
		require.GreaterOrEqual(t, w.Horizon(), test.Tick)

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
