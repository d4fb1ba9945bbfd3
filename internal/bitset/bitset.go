// Package bitset has a set of small integers that finds the next member without looking at each integer between.
package bitset

import "math/bits"

// Set is a set of small integers with summaries: each word of one level is one bit of the next. Four levels cover 2^24
// slots, and five cover 2^30.
type Set struct {
	levels [][]uint64
}

// New returns an empty set for the integers below n.
func New(n int) Set {
	var s Set
	for {
		n = (n + 63) / 64
		s.levels = append(s.levels, make([]uint64, n))
		if n <= 1 {
			return s
		}
	}
}

// Add puts i in the set. O(levels), without a branch on what is there: whether
// a word was empty cannot be predicted in a large and sparse set.
func (s *Set) Add(i int) {
	for _, level := range s.levels {
		level[i>>6] |= 1 << (i & 63)
		i >>= 6
	}
}

// Remove takes i, which must be in it, out of the set. O(levels), without a branch, as Add.
func (s *Set) Remove(i int) {
	gone := uint64(1) // 1 while the words below have become empty
	for _, level := range s.levels {
		w := level[i>>6] &^ (gone << (i & 63))
		level[i>>6] = w
		gone &= (w - 1) &^ w >> 63 // 1 if w is 0
		i >>= 6
	}
}

// Has reports whether i is in the set. O(1).
func (s *Set) Has(i int) bool { return s.levels[0][i>>6]>>(i&63)&1 != 0 }

// From returns the smallest member that is at least i, and -1 if there is none. O(levels).
func (s *Set) From(i int) int {
	for up, level := range s.levels {
		if i>>6 >= len(level) {
			return -1
		}
		if w := level[i>>6] >> (i & 63); w != 0 {
			return s.down(up, i+bits.TrailingZeros64(w))
		}
		i = i>>6 + 1
	}
	return -1
}

// down returns the smallest member below bit i of the summary at level up.
func (s *Set) down(up, i int) int {
	for up > 0 {
		up--
		i = i<<6 + bits.TrailingZeros64(s.levels[up][i])
	}
	return i
}
