package singlewheel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/internal/must"
	"schedbench/internal/wheeltest"
	"schedbench/singlewheel"
)

func TestNewRefusesBadGeometry(t *testing.T) {
	wheeltest.RequireRefusals(t, "singlewheel", singlewheel.New[uint64], append(wheeltest.BadTickOrSlots(), wheeltest.TooLong()...))
}

func TestNewTakesGeometryUpToTheLimits(t *testing.T) {
	for _, test := range wheeltest.AtTheLimits() {
		w := must.Get(singlewheel.New[uint64](test.Tick, test.Slots))(t)
		require.Equal(t, test.Tick, w.Tick())
		require.Equal(t, test.Comes, w.Slots())
		require.Equal(t, test.Tick*time.Duration(test.Comes), w.Horizon())
	}
}
