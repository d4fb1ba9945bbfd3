package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// TestUpkeepCountsWhatIsWritten compares all that a store holds before and after each
// call: beyond the cell that the call is about, no more may have changed than it
// counted.
func TestUpkeepCountsWhatIsWritten(t *testing.T) {
	const pages = 9
	s := newStore()
	rng := rand.New(rand.NewPCG(3, 4))
	var ids []schedulers.ID
	was := snapshot(s)
	watch := func(operate func()) {
		before := s.Upkeep()
		operate()
		is := snapshot(s)
		steps := int(s.Upkeep() - before)
		if was.changes(is) > 1+steps {
			require.Fail(t, "not counted", "%d changes, %d steps", was.changes(is), steps)
		}
		was = is
	}
	for range 2 {
		for len(ids) < pages*PageLen {
			watch(func() { ids = append(ids, s.take()) })
		}
		remainders["random"](ids)
		for len(ids) > pages*PageLen/10 {
			watch(func() { s.dropAll(t, ids[len(ids)-1]) })
			ids = ids[:len(ids)-1]
		}
		for range pages * PageLen {
			i := rng.IntN(len(ids))
			watch(func() { s.dropAll(t, ids[i]) })
			watch(func() { ids[i] = s.take() })
		}
	}
}

// contents is what a store holds.
type contents struct {
	pages  [][]Cell[[1]uint32] // nil if given back
	copied int                 // entries in the larger arrays of the tables
}

func snapshot(s *testStore) (c contents) {
	for _, pg := range s.pages.Now {
		var cells []Cell[[1]uint32]
		if pg != nil {
			cells = slices.Clone(pg.cells[:])
		}
		c.pages = append(c.pages, cells)
	}
	c.copied = s.pages.Copies() + s.supply.lists.Copies()
	return c
}

// changes returns how many cells of two contents are not the same, and how many pages
// came or went.
func (c contents) changes(d contents) (n int) {
	for p, after := range d.pages {
		var before []Cell[[1]uint32]
		if p < len(c.pages) {
			before = c.pages[p]
		}
		if (before == nil) != (after == nil) {
			n++
		}
		if before == nil {
			before = make([]Cell[[1]uint32], PageLen)
		}
		for at := range after {
			if before[at] != after[at] {
				n++
			}
		}
	}
	return n + max(d.copied-c.copied, 0)
}
