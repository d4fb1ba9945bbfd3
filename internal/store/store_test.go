package store

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

// testStore is a store as pages. The value of each cell is the ID it was taken
// with.
type testStore struct {
	Store[[1]uint32, uint64]
}

func newStore() *testStore { return &testStore{New[[1]uint32, uint64]()} }

func (s *testStore) Take() schedulers.ID {
	i, c := s.Alloc()
	if c == nil {
		return 0
	}
	id := schedulers.MakeID(i, c.Gen)
	*s.Val(i) = uint64(id)
	return id
}

func (s *testStore) Drop(id schedulers.ID) bool {
	c := s.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	s.Free(id.Cell(), c)
	return true
}

func (s *testStore) Holds(id schedulers.ID) bool {
	return s.Find(id.Cell(), id.Generation()) != nil
}

func (s *testStore) Valid(id schedulers.ID) bool {
	c := s.Find(id.Cell(), id.Generation())
	return c != nil && c == s.Cell(id.Cell())
}

func (s *testStore) plan() *pages { return &s.pages }

func (s *testStore) generation(cell uint32) *uint32 { return &s.Cell(cell).Gen }

func (s *testStore) freeList() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := s.free; i != None && yield(i); i = s.Cell(i).Link[0] {
		}
	}
}

func (s *testStore) forgetFree() { s.free = None }

// requireSound checks that the present pages have values and the others have none,
// that nothing was written to what stands for these, and that All lists what is in
// use, once and with its value.
func (s *testStore) requireSound(t require.TestingT) {
	for p, pg := range s.cells {
		require.Equal(t, pg != s.standIn, s.vals[p] != nil, "values of page %d", p)
	}
	if s.standIn != nil && *s.standIn != (cellPage[[1]uint32]{}) {
		require.Fail(t, "written to what stands for pages given back")
	}
	listed, last := 0, -1
	for i, c := range s.All() {
		id := schedulers.MakeID(i, c.Gen)
		if !s.Holds(id) || *s.Val(i) != uint64(id) || int(i) <= last {
			require.Fail(t, "lists what is not there", "cell %d at generation %d", i, c.Gen)
		}
		listed, last = listed+1, int(i)
	}
	require.Equal(t, s.Used(), listed)
}

var storePages = pageTests{pageBits, func() tested { return newStore() }}

func TestAllStopsWhenTheLoopDoes(t *testing.T) {
	s := newStore()
	takeMany(t, s, 20)
	seen := 0
	for range s.All() {
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)
}

// TestFullStoreRefuses has a store that pretends to have all pages but the last.
func TestFullStoreRefuses(t *testing.T) {
	s := newStore()
	s.cells = make([]*cellPage[[1]uint32], Max>>pageBits-1)
	s.vals = make([]*[pageLen]uint64, Max>>pageBits-1)
	s.count = len(s.cells)
	ids := takeMany(t, s, pageLen)
	require.Equal(t, schedulers.MakeID(Max-1, 1), ids[pageLen-1])
	for range 2 {
		i, c := s.Alloc()
		require.Nil(t, c)
		require.EqualValues(t, None, i)
		require.Equal(t, pageLen, s.Used(), "a refusal takes nothing")
		requireValid(t, s, ids...)
		drop(t, s, ids[7])
		ids[7] = s.Take()
	}
}
