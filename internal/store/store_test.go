package store

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// testShift makes pages small, so that a test has many of them.
const testShift = 3

type testStore = Store[[1]uint32, uint64]

// name is what a caller remembers of a cell.
type name struct{ i, gen uint32 }

func take(t require.TestingT, s *testStore, val uint64) name {
	i, c := s.Alloc()
	if c == nil {
		require.Fail(t, "no cell")
	}
	*s.Val(i) = val
	return name{i, c.Gen}
}

func takeMany(t require.TestingT, s *testStore, n int) []name {
	names := make([]name, n)
	for i := range names {
		names[i] = take(t, s, uint64(i))
	}
	return names
}

func giveBack(t require.TestingT, s *testStore, names ...name) {
	for _, n := range names {
		c := s.Find(n.i, n.gen)
		if c == nil {
			require.Fail(t, "lost a cell in use", "%v", n)
		}
		s.Free(n.i, c)
	}
}

// requireSound checks that each present cell is in use, on the free list, or
// worn out, and that the store's counts say so too.
func requireSound(t require.TestingT, s *testStore) {
	free := make(map[uint32]bool)
	for i := s.free; i != None; i = s.Cell(i).Link[0] {
		if free[i] {
			require.Fail(t, "twice on the free list", "cell %d", i)
		}
		free[i] = true
	}
	used, present := 0, 0
	for p, pg := range s.pages {
		if pg.cells != nil {
			present++
		}
		for at, c := range pg.cells {
			i := uint32(p<<s.shift | at)
			if unused := c.Gen&1 == 0 && c.Gen != lastGen; unused != free[i] {
				require.Fail(t, "wrong about what is free", "cell %d at generation %d", i, c.Gen)
			}
			used += int(c.Gen & 1)
			delete(free, i)
		}
	}
	require.Empty(t, free, "on the free list, but in no page")
	require.Equal(t, used, s.Used())
	require.Equal(t, present, s.present())
}

func TestStoreKeepsWhatWasPutInUntilItIsFreed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New[[1]uint32, uint64](testShift)
		live := make(map[name]uint64)
		var stale []name
		for range rapid.IntRange(1, 15).Draw(t, "bursts") {
			n := rapid.IntRange(0, 100).Draw(t, "size")
			if rapid.Bool().Draw(t, "alloc") {
				for range n {
					val := rand.Uint64()
					live[take(t, &s, val)] = val
				}
			} else {
				for _, gone := range firstOf(live, n) {
					giveBack(t, &s, gone)
					delete(live, gone)
					stale = append(stale, gone)
				}
			}
			requireSound(t, &s)
			requireHolds(t, &s, live, stale)
		}
	})
}

// firstOf returns up to n names, in the order of their cells, so that a failure
// can be reproduced.
func firstOf(live map[name]uint64, n int) []name {
	names := slices.SortedFunc(maps.Keys(live), func(a, b name) int { return int(a.i) - int(b.i) })
	return names[:min(n, len(names))]
}

func requireHolds(t require.TestingT, s *testStore, live map[name]uint64, stale []name) {
	require.Equal(t, len(live), s.Used())
	for n, val := range live {
		if s.Find(n.i, n.gen) == nil || *s.Val(n.i) != val {
			require.Fail(t, "lost a cell in use", "%v", n)
		}
	}
	for _, n := range stale {
		if s.Find(n.i, n.gen) != nil {
			require.Fail(t, "found a stale name", "%v", n)
		}
	}
	listed := 0
	for i, c := range s.All() {
		if _, ok := live[name{i, c.Gen}]; ok {
			listed++
		}
	}
	require.Equal(t, len(live), listed)
}

func TestFindRefusesWhatWasNeverHandedOut(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	require.Nil(t, s.Find(0, 0))
	require.Nil(t, s.Find(0, 1))
	n := take(t, &s, 7)
	for _, wrong := range []name{
		{n.i, 0}, {n.i, n.gen + 1}, {n.i, n.gen + 2}, {n.i, None},
		{n.i + 1, 0}, {n.i + 1, 1}, {1 << testShift, 1}, {None, n.gen}, {None, None},
	} {
		require.Nil(t, s.Find(wrong.i, wrong.gen), "%v", wrong)
	}
	require.NotNil(t, s.Find(n.i, n.gen))
}

func TestAllStopsWhenTheLoopDoes(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	takeMany(t, &s, 20)
	seen := 0
	for range s.All() {
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(t, 3, seen)
}

func TestFullStoreRefuses(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	s.pages = make([]page[[1]uint32, uint64], Max>>testShift-1)
	takeMany(t, &s, 1<<testShift)
	i, c := s.Alloc()
	require.Nil(t, c)
	require.EqualValues(t, None, i)
	require.Equal(t, 1<<testShift, s.Used(), "a refusal takes nothing")
}

// TestSteadyStoreDoesNotAllocate lets the population swing by a third, which is
// short of what makes pages come and go.
func TestSteadyStoreDoesNotAllocate(t *testing.T) {
	s := New[[1]uint32, uint64](testShift)
	names := takeMany(t, &s, 3000)
	require.Zero(t, testing.AllocsPerRun(5, func() {
		giveBack(t, &s, names[1000:2000]...)
		for i := range names[1000:2000] {
			names[1000+i] = take(t, &s, 0)
		}
	}))
}
