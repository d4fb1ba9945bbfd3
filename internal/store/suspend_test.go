package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSuspendedCellIsNotFoundUntilItIsResumed(t *testing.T) {
	s := newStore()
	id := s.take()
	c := s.Cell(id.Cell())
	for range 3 {
		before := c.Gen
		s.Suspend(c)
		for gen := before; gen < before+3; gen++ {
			require.Nil(t, s.Find(id.Cell(), gen))
		}
		require.Equal(t, 1, s.Used())
		require.True(t, s.Resume(c))
		require.Nil(t, s.Find(id.Cell(), before))
		require.Same(t, c, s.Find(id.Cell(), c.Gen))
	}
}

func TestSuspendedCellIsGivenBack(t *testing.T) {
	s := newStore()
	id := s.take()
	c := s.Cell(id.Cell())
	s.Suspend(c)
	s.Release(id.Cell(), c)
	require.Zero(t, s.Used())
	s.requireSound(t)
	again := s.take()
	require.Equal(t, id.Cell(), again.Cell())
	require.Greater(t, again.Generation(), id.Generation())
}

func TestWornOutCellIsNotResumed(t *testing.T) {
	s := newStore()
	id := s.take()
	c := s.Cell(id.Cell())
	c.Gen = lastGen - 1
	s.Suspend(c)
	require.False(t, s.Resume(c))
	s.Release(id.Cell(), c)
	s.requireSound(t)
	require.NotEqual(t, id.Cell(), s.take().Cell())
}
