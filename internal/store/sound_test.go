package store

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"schedbench/schedulers"
)

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

// reserved checks that where a page stands for others, the generations of its cells
// are zero.
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
