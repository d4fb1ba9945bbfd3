package store

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type testStore = Store[[1]uint32, uint64]

func newStore() *testStore {
	s := New[[1]uint32, uint64]()
	return &s
}

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

// requireUsed and requireStale are about names that were handed out.
func requireUsed(t require.TestingT, s *testStore, names ...name) {
	for _, n := range names {
		if c := s.Find(n.i, n.gen); c == nil || c != s.Cell(n.i) {
			require.Fail(t, "lost a cell in use", "%v", n)
		}
	}
}

func requireStale(t require.TestingT, s *testStore, names ...name) {
	for _, n := range names {
		if s.Find(n.i, n.gen) != nil {
			require.Fail(t, "found a stale name", "%v", n)
		}
	}
}

// requireSound checks that each cell of a present page is in use, on the free
// list, or worn out, that nothing was written to what stands for the others, and
// that the store's counts say so too.
func requireSound(t require.TestingT, s *testStore) {
	free := make([]bool, len(s.cells)<<pageBits)
	for i := s.free; i != None; i = s.Cell(i).Link[0] {
		if int(i) >= len(free) || free[i] {
			require.Fail(t, "twice on the free list, or without a page", "cell %d", i)
		}
		free[i] = true
	}
	used, present := 0, 0
	for p, pg := range s.cells {
		here := pg != s.gone
		if here {
			present++
		}
		require.Equal(t, here, s.vals[p] != nil, "values of page %d", p)
		for at, c := range pg {
			i := p<<pageBits | at
			if unused := here && c.Gen&1 == 0 && c.Gen != lastGen; unused != free[i] {
				require.Fail(t, "wrong about what is free", "cell %d at generation %d", i, c.Gen)
			}
			used += int(c.Gen & 1)
		}
	}
	require.Equal(t, used, s.Used())
	require.Equal(t, present, s.present())
	if s.gone != nil && *s.gone != (page[[1]uint32]{}) {
		require.Fail(t, "written to what stands for pages given back")
	}
}

// model is a store beside what it ought to hold.
type model struct {
	*testStore
	live   []name
	vals   map[name]uint64 // of the live names
	stale  []name
	latest []uint32 // generation handed out, by cell
}

func (m *model) take(t require.TestingT, n int) {
	for range n {
		val := uint64(len(m.live) + len(m.stale)) // another one each time
		got := take(t, m.testStore, val)
		if int(got.i) >= len(m.latest) {
			m.latest = append(m.latest, make([]uint32, int(got.i)+1-len(m.latest))...)
		}
		if got.gen <= m.latest[got.i] {
			require.Fail(t, "a name for the second time", "%v after generation %d", got, m.latest[got.i])
		}
		m.latest[got.i] = got.gen
		m.live = append(m.live, got)
		m.vals[got] = val
	}
}

// giveBack gives back n of the live names, or as many as there are: the latest,
// or every second one before them.
func (m *model) giveBack(t require.TestingT, n int, scattered bool) {
	var kept []name
	for at, old := range slices.Backward(m.live) {
		if n == 0 || scattered && at%2 == 0 {
			kept = append(kept, old)
			continue
		}
		giveBack(t, m.testStore, old)
		delete(m.vals, old)
		m.stale = append(m.stale, old)
		n--
	}
	slices.Reverse(kept)
	m.live = kept
}

// wearOut brings the cell that is next to be handed out to its last use.
func (m *model) wearOut() {
	if m.free != None {
		m.Cell(m.free).Gen = lastGen - 2
	}
}

func (m *model) check(t require.TestingT) {
	requireSound(t, m.testStore)
	require.Equal(t, len(m.live), m.Used())
	requireUsed(t, m.testStore, m.live...)
	requireStale(t, m.testStore, m.stale...)
	listed, last := 0, -1
	for i, c := range m.All() {
		val, ok := m.vals[name{i, c.Gen}]
		if !ok || val != *m.Val(i) || int(i) <= last {
			require.Fail(t, "lists what is not there", "cell %d at generation %d", i, c.Gen)
		}
		listed, last = listed+1, int(i)
	}
	require.Equal(t, len(m.live), listed)
}

func TestStoreKeepsWhatWasPutInUntilItIsFreed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{testStore: newStore(), vals: make(map[name]uint64)}
		for range rapid.IntRange(1, 9).Draw(t, "bursts") {
			switch rapid.SampledFrom([]string{"take", "give back", "wear out"}).Draw(t, "act") {
			case "take":
				pages := rapid.SampledFrom([]int{keepPages + 1, 0, 2}).Draw(t, "pages")
				m.take(t, pages<<pageBits+rapid.IntRange(0, 100).Draw(t, "more"))
			case "give back":
				eighths := rapid.SampledFrom([]int{8, 0, 4, 7}).Draw(t, "eighths")
				few := rapid.IntRange(0, 100).Draw(t, "more")
				m.giveBack(t, len(m.live)*eighths/8+few, rapid.Bool().Draw(t, "scattered"))
			case "wear out":
				m.wearOut()
			}
			m.check(t)
		}
	})
}

func TestFindRefusesWhatWasNeverHandedOut(t *testing.T) {
	s := newStore()
	require.Nil(t, s.Find(0, 0))
	require.Nil(t, s.Find(0, 1))
	n := take(t, s, 7)
	giveBack(t, s, take(t, s, 8)) // so that a free cell has a generation
	for _, wrong := range []name{
		{n.i, 0}, {n.i, n.gen + 1}, {n.i, n.gen + 2}, {n.i, None},
		{n.i + 1, 0}, {n.i + 1, 1}, {n.i + 1, 2}, {n.i + 1, 3}, {n.i + 2, 0}, {n.i + 2, 1},
		{pageLen, 0}, {pageLen, 1}, {None, n.gen}, {None, None},
	} {
		require.Nil(t, s.Find(wrong.i, wrong.gen), "%v", wrong)
	}
	requireUsed(t, s, n)
}

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
	s.cells = make([]*page[[1]uint32], Max>>pageBits-1)
	s.vals = make([]*[pageLen]uint64, Max>>pageBits-1)
	names := takeMany(t, s, pageLen)
	require.Equal(t, name{Max - 1, 1}, names[pageLen-1])
	for range 2 {
		i, c := s.Alloc()
		require.Nil(t, c)
		require.EqualValues(t, None, i)
		require.Equal(t, pageLen, s.Used(), "a refusal takes nothing")
		requireUsed(t, s, names...)
		giveBack(t, s, names[7])
		names[7] = take(t, s, 0)
	}
}

// requireNoAllocation gives names back and takes as many again and again.
func requireNoAllocation(t *testing.T, s *testStore, names []name) {
	require.Zero(t, testing.AllocsPerRun(5, func() {
		giveBack(t, s, names...)
		for i := range names {
			names[i] = take(t, s, 0)
		}
	}))
	requireUsed(t, s, names...)
}

// TestSteadyStoreDoesNotAllocate lets the population swing by a third, which is
// short of what makes pages come and go.
func TestSteadyStoreDoesNotAllocate(t *testing.T) {
	const n = 12 << pageBits
	s := newStore()
	requireNoAllocation(t, s, takeMany(t, s, n)[n/3:2*n/3])
}

// TestNothingIsAllocatedAroundAFullPage lets the population swing around the
// number that fills the present pages: after growth, and after a burst has left.
func TestNothingIsAllocatedAroundAFullPage(t *testing.T) {
	const pages, swing = 2 * keepPages, 50
	s := newStore()
	names := takeMany(t, s, pages<<pageBits+swing)
	requireNoAllocation(t, s, names[pages<<pageBits-swing:])

	giveBackward(t, s, takeMany(t, s, 4*pages<<pageBits))
	require.Less(t, s.present(), 2*pages, "the burst has left")
	fill := takeMany(t, s, s.present()<<pageBits-s.Used())
	requireNoAllocation(t, s, append(fill[len(fill)-swing:], takeMany(t, s, swing)...))
}
