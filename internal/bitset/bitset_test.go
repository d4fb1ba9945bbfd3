package bitset_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/internal/bitset"
)

// requireSame compares a set for the integers below n with a map.
func requireSame(t require.TestingT, want map[int]bool, s *bitset.Set, n int) {
	next := -1
	require.Equal(t, -1, s.From(n))
	for i := n - 1; i >= 0; i-- {
		require.Equal(t, want[i], s.Has(i), "has %d", i)
		if want[i] {
			next = i
		}
		require.Equal(t, next, s.From(i), "from %d", i)
	}
}

func TestSetIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Up to two levels full of words, and sizes at the edges of a word.
		n := rapid.OneOf(
			rapid.IntRange(1, 200),
			rapid.SampledFrom([]int{63, 64, 65, 128, 4095, 4096, 4097, 5000}),
		).Draw(t, "n")
		s, want := bitset.New(n), make(map[int]bool)
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 100).Draw(t, "toggled") {
			if want[i] {
				s.Remove(i)
				delete(want, i)
			} else {
				s.Add(i)
				s.Add(i) // again makes no difference
				want[i] = true
			}
		}
		requireSame(t, want, &s, n)
	})
}

// TestLargeSetFindsFarNeighbours crosses all levels of summaries in one step.
func TestLargeSetFindsFarNeighbours(t *testing.T) {
	const n = 1 << 24
	s := bitset.New(n)
	members := []int{0, 63, 64, 4095, 1<<18 - 1, 1 << 18, n/2 + 5, n - 1}
	for _, i := range members {
		s.Add(i)
	}
	for at, i := range members {
		require.Equal(t, i, s.From(i))
		next := -1
		if at+1 < len(members) {
			next = members[at+1]
		}
		require.Equal(t, next, s.From(i+1))
	}
	for at, i := range members {
		s.Remove(i)
		next := -1
		if at+1 < len(members) {
			next = members[at+1]
		}
		require.Equal(t, next, s.From(0))
	}
}

func TestSummariesTakeLittleMore(t *testing.T) {
	const n = 1 << 18
	require.Equal(t, n/8+n/8/64+n/8/64/64, bitset.New(n).Bytes())
}
