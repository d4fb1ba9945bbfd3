package roundswheel_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/internal/wheeltest"
	"schedbench/roundswheel"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	wheeltest.RequireRefusals(t, "roundswheel", roundswheel.New[uint64], append(wheeltest.BadTickOrSlots(), wheeltest.TooLong()...))
}

func TestNewTakesGeometryUpToTheLimits(t *testing.T) {
	for _, test := range wheeltest.AtTheLimits() {
		w := must.Get(roundswheel.New[uint64](test.Tick, test.Slots))(t)
		require.Equal(t, test.Tick, w.Tick())
		require.Equal(t, test.Comes, w.Slots())

		_, err := w.Schedule(math.MaxInt64, 7)
		require.NoError(t, err, "any deadline is taken")
		require.Zero(t, w.Expire(math.MaxInt64-1, make([]uint64, 1)))
		require.Equal(t, 1, w.Expire(math.MaxInt64, make([]uint64, 1)))
	}
}
