package store

import (
	"slices"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// testStore is a store whose values are the IDs that cells were taken with. An ID is a cell and its generation.
type testStore struct {
	Store[[1]uint32, uint64]
	most uint64 // upkeep of a single call
}

func newStore() *testStore { return newReserved(0) }

func newReserved(pages int) *testStore {
	return &testStore{Store: NewReserved[[1]uint32, uint64](pages)}
}

// take takes a cell, and returns zero if there is none.
func (s *testStore) take() schedulers.ID {
	before := s.Upkeep()
	i, c := s.Alloc()
	s.most = max(s.most, s.Upkeep()-before)
	if c == nil {
		return 0
	}
	id := schedulers.MakeID(i, c.Gen)
	*s.Val(i) = uint64(id)
	return id
}

// drop gives the cell of an ID back, and reports whether the ID was valid.
func (s *testStore) drop(id schedulers.ID) bool {
	c := s.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	before := s.Upkeep()
	s.Free(id.Cell(), c)
	s.most = max(s.most, s.Upkeep()-before)
	return true
}

func (s *testStore) valid(id schedulers.ID) bool {
	c := s.Find(id.Cell(), id.Generation())
	return c != nil && c == s.Cell(id.Cell()) && *s.Val(id.Cell()) == uint64(id)
}

// present returns how many pages there are that are not reserved.
func (s *testStore) present() (n int) {
	for _, pg := range s.pages.Now[s.supply.reserved:] {
		if pg != nil {
			n++
		}
	}
	return n
}

// takeMany takes n IDs.
func (s *testStore) takeMany(t require.TestingT, n int) []schedulers.ID {
	ids := make([]schedulers.ID, n)
	for i := range ids {
		if ids[i] = s.take(); ids[i] == 0 {
			require.Fail(t, "no cell")
		}
	}
	return ids
}

// dropAll drops IDs that must be valid.
func (s *testStore) dropAll(t require.TestingT, ids ...schedulers.ID) {
	for _, id := range ids {
		if !s.drop(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// dropBackward drops the highest cells first, so that those of the first pages are the last in use.
func (s *testStore) dropBackward(t require.TestingT, ids []schedulers.ID) {
	for _, id := range slices.Backward(ids) {
		s.dropAll(t, id)
	}
}

// replace drops each of the IDs and takes another one for it.
func (s *testStore) replace(t require.TestingT, ids []schedulers.ID) {
	for i := range ids {
		s.dropAll(t, ids[i])
		ids[i] = s.take()
	}
}

// requireValid checks that IDs are valid.
func (s *testStore) requireValid(t require.TestingT, ids ...schedulers.ID) {
	for _, id := range ids {
		if !s.valid(id) {
			require.Fail(t, "lost a valid ID", "%x", id)
		}
	}
}

// requireStale checks that IDs that were handed out are not valid any more.
func (s *testStore) requireStale(t require.TestingT, ids ...schedulers.ID) {
	for _, id := range ids {
		if s.Find(id.Cell(), id.Generation()) != nil {
			require.Fail(t, "a stale ID is valid", "%x", id)
		}
	}
}
