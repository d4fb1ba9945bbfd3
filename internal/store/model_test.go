package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"schedbench/schedulers"
)

// model is a store beside what it ought to hold.
type model struct {
	*testStore
	live, stale []schedulers.ID
	latest      map[uint32]uint32 // generation handed out, by cell
	heads       map[uint32]uint32 // what was written to reserved cells
}

func TestIDsAreValidUntilTheyAreDropped(t *testing.T) { rapid.Check(t, validUntilDropped) }

func FuzzStore(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 { // as long as a few bursts need
		seed := make([]byte, 1<<10)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(validUntilDropped))
}

func validUntilDropped(t *rapid.T) {
	m := &model{
		testStore: newReserved(rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "reserved")),
		latest:    map[uint32]uint32{},
		heads:     map[uint32]uint32{},
	}
	acts := map[string]func(*rapid.T){
		"take": func(t *rapid.T) {
			pages := rapid.SampledFrom([]int{slackPages + 2, 0, 1, 12, cached/PageLen + 20}).Draw(t, "pages")
			m.take(t, pages*PageLen+rapid.IntRange(0, 100).Draw(t, "more"))
		},
		"drop": func(t *rapid.T) {
			m.order(t)
			eighths := rapid.SampledFrom([]int{8, 0, 1, 4, 7}).Draw(t, "eighths")
			m.drop(t, min(len(m.live)*eighths/8+rapid.IntRange(0, 100).Draw(t, "more"), len(m.live)))
		},
		"replace": func(t *rapid.T) {
			m.order(t)
			for range rapid.IntRange(1, 1500).Draw(t, "times") {
				m.drop(t, min(1, len(m.live)))
				m.take(t, 1)
			}
		},
		"wear out": func(*rapid.T) {
			if i := m.First(); i != None {
				m.Cell(i).Gen = lastGen - 2
			}
		},
		"suspend": func(t *rapid.T) {
			if m.order(t); len(m.live) > 0 {
				m.suspend(t, rapid.Bool().Draw(t, "worn"), rapid.Bool().Draw(t, "resumed"))
			}
		},
		"reserve": func(t *rapid.T) {
			if n := m.supply.reserved; n > 0 {
				i := rapid.Uint32Range(0, uint32(n*PageLen-1)).Draw(t, "head")
				c := m.Reserve(i)
				m.heads[i]++
				c.Link[0] = m.heads[i]
				if int(i>>pageBits) != n-1 {
					c.Gen = 2
				}
			}
		},
	}
	names := []string{"take", "drop", "replace", "wear out", "reserve", "suspend"}
	for range rapid.IntRange(1, 12).Draw(t, "bursts") {
		acts[rapid.SampledFrom(names).Draw(t, "act")](t)
		m.check(t)
	}
}

// order decides which of the live ones go next: those at the end of the list.
func (m *model) order(t *rapid.T) {
	switch rapid.SampledFrom([]string{"newest", "oldest", "scattered", "highest", "lowest"}).Draw(t, "order") {
	case "oldest":
		slices.Reverse(m.live)
	case "scattered":
		rng := rand.New(rand.NewPCG(uint64(len(m.live)), uint64(len(m.stale))))
		rng.Shuffle(len(m.live), func(i, j int) { m.live[i], m.live[j] = m.live[j], m.live[i] })
	case "highest":
		slices.SortFunc(m.live, func(a, b schedulers.ID) int { return int(a.Cell()) - int(b.Cell()) })
	case "lowest":
		slices.SortFunc(m.live, func(a, b schedulers.ID) int { return int(b.Cell()) - int(a.Cell()) })
	}
}

func (m *model) take(t require.TestingT, n int) {
	for _, id := range m.takeMany(t, n) {
		if int(id.Cell())>>pageBits < m.supply.reserved {
			require.Fail(t, "a reserved cell", "%x", id)
		}
		if id.Generation() <= m.latest[id.Cell()] {
			require.Fail(t, "an ID for the second time", "%x after generation %d", id, m.latest[id.Cell()])
		}
		m.latest[id.Cell()] = id.Generation()
		m.live = append(m.live, id)
	}
}

// drop drops the last n of the live IDs.
func (m *model) drop(t require.TestingT, n int) {
	kept := len(m.live) - n
	m.dropBackward(t, m.live[kept:])
	m.stale = append(m.stale, m.live[kept:]...)
	m.live = m.live[:kept]
}

// suspend suspends the last of the live IDs, and resumes or releases its cell, which may have had its last generation.
func (m *model) suspend(t require.TestingT, worn, resumed bool) {
	last := len(m.live) - 1
	i := m.live[last].Cell()
	c := m.Cell(i)
	if !m.Suspend(c) {
		return
	}
	m.stale, m.live = append(m.stale, m.live[last]), m.live[:last]
	require.Nil(t, m.Find(i, c.Gen))
	require.Equal(t, last+1, m.Used())
	if worn {
		c.Gen = lastGen
	}
	if worn = c.Gen == lastGen; !resumed || worn {
		require.False(t, worn && m.Resume(c))
		m.Release(i, c)
		return
	}
	require.True(t, m.Resume(c))
	m.latest[i] = c.Gen
	id := schedulers.MakeID(i, c.Gen)
	*m.Val(i) = uint64(id)
	m.live = append(m.live, id)
}

func (m *model) check(t require.TestingT) {
	m.requireSound(t)
	require.Equal(t, len(m.live), m.Used())
	m.requireValid(t, m.live...)
	m.requireStale(t, m.stale...)
	for i, link := range m.heads {
		require.Equal(t, link, m.Cell(i).Link[0], "reserved cell %d", i)
	}
	require.LessOrEqual(t, m.most, uint64(MaxUpkeep))
}

// requireSound checks that each cell of a page is in use, in one list, not linked
// yet, or worn out, and that all counts say so too.
func (s *testStore) requireSound(t require.TestingT) {
	c := census{testStore: s, t: t, lists: map[uint32]string{}}
	c.follow("the free ones", s.free)
	c.follow("those put aside", s.supply.aside)
	for p, l := range s.supply.lists.Now {
		if s.pages.Now[p+s.supply.reserved] != nil {
			c.page(p, l)
		}
	}
	c.absent()
	require.Equal(t, c.present, s.supply.present, "pages")
	require.Equal(t, c.used, s.Used(), "in use")
	require.Equal(t, c.worn, s.supply.worn, "worn out")
	require.Equal(t, len(c.lists)+c.fresh, s.freeCells(), "free")
	require.EqualValues(t, c.fresh, s.supply.end-s.supply.fresh, "not linked yet")
	require.Equal(t, s.supply.sorting, s.low > Max)
	c.listed()
	c.reserved()
}

// census counts the cells of a store.
type census struct {
	*testStore
	t                          require.TestingT
	lists                      map[uint32]string // that cells are in
	present, used, worn, fresh int
}

// follow notes the cells of a list and returns how many there are.
func (c *census) follow(name string, i uint32) (n uint32) {
	for ; i != None; i = c.Cell(i).Link[0] {
		if other, twice := c.lists[i]; twice {
			require.Fail(c.t, "free twice", "cell %d in %s and in %s", i, other, name)
		}
		c.lists[i] = name
		n++
	}
	return n
}

// page counts the cells of a page.
func (c *census) page(p int, l pageList) {
	c.present++
	first := uint32(p+c.supply.reserved) << pageBits
	name := fmt.Sprint("page ", p)
	require.Equal(c.t, l.n, c.follow(name, l.head))
	require.Less(c.t, l.n, uint32(PageLen), "ought to have been given back")
	require.Equal(c.t, l.n > 0, c.supply.offering.Has(p))
	for i := first; i < first+PageLen; i++ {
		gen, list := c.Cell(i).Gen, c.lists[i]
		fresh := c.supply.fresh <= i && i < c.supply.end
		used, worn := gen&1 == 1, gen == lastGen
		switch {
		case fresh:
			c.fresh++
		case used:
			c.used++
		case worn:
			c.worn++
		}
		if (list != "") == (fresh || used || worn) || fresh && gen != 0 || list == name && gen > l.latest {
			require.Fail(c.t, "in the wrong list, or in none", "cell %d at generation %d: %q", i, gen, list)
		}
	}
}

// absent checks that the pages that were given back are in the list of those.
func (c *census) absent() {
	n := 0
	for p := c.supply.absent; p != None; p = c.supply.lists.Now[p].head {
		require.True(c.t, c.pages.Now[int(p)+c.supply.reserved] == nil)
		require.False(c.t, c.supply.offering.Has(int(p)))
		n++
	}
	require.Equal(c.t, len(c.supply.lists.Now)-c.present, n, "pages given back")
}

// listed checks that All lists what is in use, once and with its value.
func (c *census) listed() {
	n, last := 0, -1
	for i, cell := range c.All() {
		if !c.valid(schedulers.MakeID(i, cell.Gen)) || int(i) <= last {
			require.Fail(c.t, "lists what is not there", "cell %d at generation %d", i, cell.Gen)
		}
		n, last = n+1, int(i)
	}
	require.Equal(c.t, c.Used(), n)
}

// reserved checks that where a page stands for others, the generations of its cells are zero.
func (c *census) reserved() {
	n := c.supply.reserved
	for p := range n - 1 {
		if c.pages.Now[p] != c.pages.Now[n-1] {
			continue
		}
		for at := range c.pages.Now[p].cells {
			if c.pages.Now[p].cells[at].Gen != 0 {
				require.Fail(c.t, "written to a page that stands for others", "cell %d", at)
			}
		}
		return
	}
}
