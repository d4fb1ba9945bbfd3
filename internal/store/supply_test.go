package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// pagesFor returns how many pages a store may have with so many cells in use, once its free cells are sorted: a
// sixteenth more and one page, and the one that cells are taken from.
func pagesFor(used int) int { return (used+used/16)/PageLen + enoughPages + 2 }

// remainders are ways to choose which tenth of a population stays: they put that at the end.
var remainders = map[string]func(ids []schedulers.ID){
	"oldest": slices.Reverse[[]schedulers.ID],
	"newest": func([]schedulers.ID) {},
	"every tenth": func(ids []schedulers.ID) {
		for i := len(ids) - 1; i >= 0; i -= 10 {
			last := len(ids) - 1 - (len(ids)-1-i)/10
			ids[i], ids[last] = ids[last], ids[i]
		}
	},
	"random": func(ids []schedulers.ID) {
		rng := rand.New(rand.NewPCG(1, uint64(len(ids))))
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	},
}

// TestPagesGoBackAfterABurst of which a tenth stays, and is replaced.
func TestPagesGoBackAfterABurst(t *testing.T) {
	for name, rearrange := range remainders {
		t.Run(name, func(t *testing.T) {
			const n = 200 * PageLen
			s := newStore()
			ids := s.takeMany(t, n)
			rearrange(ids)
			left := ids[n-n/10:]
			s.dropAll(t, ids[:n-n/10]...)
			if name == "oldest" || name == "newest" {
				require.LessOrEqual(t, s.present(), pagesFor(n/10), "at once, since they are side by side")
			}
			s.requireSound(t)
			s.replace(t, left)
			require.LessOrEqual(t, s.present(), pagesFor(n/10))
			s.requireSound(t)
			s.requireValid(t, left...)
			s.requireStale(t, ids[:n-n/10]...)
			s.dropAll(t, left...)
			require.LessOrEqual(t, s.present(), pagesFor(0), "little is kept of nothing")
			require.EqualValues(t, MaxUpkeep, s.most, "what is promised is reached, and no more")
			s.requireSound(t)
		})
	}
}

// TestWhatIsPutAsideIsSorted also if most of it is taken again before it could be: of
// a list that went back as a whole no page would ever be complete.
func TestWhatIsPutAsideIsSorted(t *testing.T) {
	s := newStore()
	ids := s.takeMany(t, 64*PageLen)
	remainders["random"](ids)
	for !s.supply.sorting {
		s.dropAll(t, ids[0])
		ids = ids[1:]
	}
	free := s.freeCells()
	ids = append(ids, s.takeMany(t, free/8)...)
	require.NotEqual(t, uint32(None), s.supply.aside, "a rest is not sorted yet")
	s.dropAll(t, ids...)
	require.LessOrEqual(t, s.present(), pagesFor(0))
	s.requireSound(t)
}

// TestSortingEnds once few are free, and begins again when many are.
func TestSortingEnds(t *testing.T) {
	s := newStore()
	const n = 40 * PageLen
	ids := s.takeMany(t, n)
	for range 3 {
		remainders["random"](ids)
		kept := n * 3 / 4
		s.dropAll(t, ids[kept:]...)
		require.True(t, s.supply.sorting)
		s.replace(t, ids[:kept])
		require.False(t, s.supply.sorting)
		require.LessOrEqual(t, s.freeCells(), kept/16+enoughPages*PageLen)
		s.requireSound(t)

		few := kept / 16
		s.dropAll(t, ids[:few]...)
		require.False(t, s.supply.sorting, "that is a swing")
		copy(ids, s.takeMany(t, few))
		copy(ids[kept:], s.takeMany(t, n-kept))
	}
}

// TestNothingIsAllocatedAroundAFullPage: after growth, and after a burst has left.
func TestNothingIsAllocatedAroundAFullPage(t *testing.T) {
	const swing = 50
	s := newStore()
	around := func() {
		t.Helper()
		s.takeMany(t, s.freeCells())
		ids := s.takeMany(t, swing)
		require.Zero(t, testing.AllocsPerRun(5, func() {
			s.replace(t, ids)
			s.dropAll(t, ids...)
			for i := range ids {
				ids[i] = s.take()
			}
		}))
	}
	s.takeMany(t, 9*PageLen)
	around()
	s.dropBackward(t, s.takeMany(t, 60*PageLen))
	require.Less(t, s.present(), 20)
	around()
}

// TestPageOfTheGenerationBeforeTheLastReturns for one use of each cell.
func TestPageOfTheGenerationBeforeTheLastReturns(t *testing.T) {
	s := newStore()
	const pages = slackPages + 3
	ids := s.takeMany(t, pages*PageLen)
	top := ids[len(ids)-1].Cell()
	s.Cell(top).Gen = lastGen - 3
	s.dropAll(t, schedulers.MakeID(top, lastGen-3))
	s.dropBackward(t, ids[:len(ids)-1])
	require.True(t, s.pages.Now[pages-1] == nil)

	ids = s.takeMany(t, pages*PageLen)
	for _, id := range ids {
		if id.Cell() >= (pages-1)*PageLen && id.Generation() != lastGen-1 {
			require.Fail(t, "not beyond what was", "%x", id)
		}
	}
	s.dropAll(t, ids...)
	require.True(t, s.pages.Now[pages-1] != nil, "worn out as a whole")
	require.Equal(t, PageLen, s.supply.worn)
	s.requireSound(t)
}

// TestWornOutPagesAreNotTakenForFreeOnes: that would keep the sorting going.
func TestWornOutPagesAreNotTakenForFreeOnes(t *testing.T) {
	s := newStore()
	ids := s.takeMany(t, 20*PageLen)
	for i, id := range ids {
		s.Cell(id.Cell()).Gen = lastGen - 1
		ids[i] = schedulers.MakeID(id.Cell(), lastGen-1)
		*s.Val(id.Cell()) = uint64(ids[i])
	}
	s.dropAll(t, ids...)
	require.Equal(t, 20*PageLen, s.supply.worn)
	require.Zero(t, s.freeCells())
	require.False(t, s.supply.sorting)
	s.requireSound(t)
	s.replace(t, s.takeMany(t, 2*PageLen))
	require.False(t, s.supply.sorting)
	s.requireSound(t)
}
