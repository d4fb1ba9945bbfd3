package store

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/internal/table"
	"schedbench/schedulers"
)

// TestFullStoreRefuses has a store that pretends to have all pages but the last.
func TestFullStoreRefuses(t *testing.T) {
	const reserved = 3
	s := newReserved(reserved)
	s.pages = table.New[*cellPage[[1]uint32, uint64]](maxPages - 1 + reserved)
	s.supply.lists = table.New[pageList](maxPages - 1)
	s.supply.offers = maxPages
	ids := s.takeMany(t, PageLen)
	require.Equal(t, schedulers.MakeID(Max-1+reserved*PageLen, 1), ids[PageLen-1])
	for range 2 {
		i, c := s.Alloc()
		require.Nil(t, c)
		require.EqualValues(t, None, i)
		require.Equal(t, PageLen, s.Used(), "a refusal takes nothing")
		s.requireValid(t, ids...)
		s.dropAll(t, ids[7])
		ids[7] = s.take()
	}
}

// TestViewSeesWhatIsMadeAndGivenBack as long as no page is added.
func TestViewSeesWhatIsMadeAndGivenBack(t *testing.T) {
	s := newReserved(2)
	ids := s.takeMany(t, 6*PageLen)
	v := s.View()
	require.Same(t, s.Reserve(3), v.Cell(3))
	for _, id := range ids {
		c, val := v.Both(id.Cell())
		require.Same(t, v.Find(id.Cell(), id.Generation()), c)
		require.EqualValues(t, id, *val)
	}
	s.dropAll(t, ids...)
	require.Less(t, s.present(), 6)
	for _, id := range ids {
		require.Nil(t, v.Find(id.Cell(), id.Generation()))
	}
}

func TestHasPointers(t *testing.T) {
	type plain struct {
		_ int
		_ [3]float64
		_ struct{ _ bool }
	}
	type mixed struct {
		_ int
		_ [2]struct{ _ string }
	}
	for want, types := range map[bool][]reflect.Type{
		false: {
			reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](), reflect.TypeFor[complex128](),
			reflect.TypeFor[struct{}](), reflect.TypeFor[plain](), reflect.TypeFor[[0]*int](),
		},
		true: {
			reflect.TypeFor[[2]*int](), reflect.TypeFor[mixed](), reflect.TypeFor[string](), reflect.TypeFor[[]int](),
			reflect.TypeFor[map[int]int](), reflect.TypeFor[chan int](), reflect.TypeFor[func()](), reflect.TypeFor[any](),
		},
	} {
		for _, of := range types {
			require.Equal(t, want, HasPointers(of), "%v", of)
		}
	}
}

// TestUpkeepCountsWhatIsWritten compares all that a store holds before and after each call: beyond the cell that the
// call is about, no more may have changed than it counted.
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

// changes returns how many cells of two contents are not the same, and how many pages came or went.
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
