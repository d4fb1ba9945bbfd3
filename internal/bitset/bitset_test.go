package bitset

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// from returns the first of the members that is at least i, or -1.
func from(members []int, i int) int {
	if at, _ := slices.BinarySearch(members, i); at < len(members) {
		return members[at]
	}
	return -1
}

// TestSetIsASet has up to four levels of words, and sizes at the edges of a word. It looks at the places given, at all members
// and beside them, and takes the members out one by one.
func TestSetIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(
			rapid.IntRange(1, 200),
			rapid.SampledFrom([]int{63, 64, 65, 128, 4095, 4096, 4097, 5000, 1 << 18, 1 << 24}),
		).Draw(t, "n")
		places := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 100)
		s, looks := New(n), append(places.Draw(t, "looks"), 0, n-1, n)
		var members []int // in order
		for _, i := range places.Draw(t, "toggled") {
			at, has := slices.BinarySearch(members, i)
			if has {
				s.Remove(i)
				members = slices.Delete(members, at, at+1)
			} else {
				s.Add(i)
				s.Add(i) // again makes no difference
				members = slices.Insert(members, at, i)
			}
			looks = append(looks, max(i-1, 0), i, i+1)
		}
		for _, i := range looks {
			_, has := slices.BinarySearch(members, i)
			require.Equal(t, has, i < n && s.Has(i), "has %d", i)
			require.Equal(t, from(members, i), s.From(i), "from %d", i)
		}
		for len(members) > 0 {
			s.Remove(members[0])
			members = members[1:]
			require.Equal(t, from(members, 0), s.From(0), "words become empty")
		}
	})
}

func TestSummariesTakeLittleMore(t *testing.T) {
	const n = 1 << 18
	bytes := 0
	for _, level := range New(n).levels {
		bytes += 8 * cap(level)
	}
	require.Equal(t, n/8+n/8/64+n/8/64/64, bytes)
}
