package store

import (
	"math"

	"schedbench/internal/bitset"
	"schedbench/internal/table"
)

// While nearly all cells are in use, one list has all free cells, and the one that became free last is taken next: it is in
// the cache. When many are free, because a burst has passed, that list is put aside, and free cells are sorted into a list
// for each page. Cells are then taken from the lowest page that has a free one. So pending values move there as timers
// are replaced, and a page goes back once all of its cells are in its list. Once few cells are free again, the one list
// is enough.
//
//	one list     free ──▶ 7104 ──▶ 88 ──▶ 3000 ──▶ ...
//	by page      page 0: none   page 1: 600 ──▶ 513   page 2: none   page 3: ...
//	                            └ free cells are taken from here first

const (
	// slackPages is how many pages may be free, beyond an eighth of the cells in use, before free cells are sorted. With
	// these, a population that swings a little, or is small, allocates nothing.
	slackPages = 3
	// enoughPages is how many of them, beyond a sixteenth, end the sorting.
	enoughPages = 1

	// linked is how many cells of a new page are linked at a time.
	linked = 32
	// together is the number of freed cells that are sorted at a time, with as many that were put aside. Sorting one
	// cell at a time would wait for each.
	together = 8
	// cached is the number of cells that the cache holds. If fewer are in use, each freed cell is sorted at once, with
	// alongside others. Otherwise unsorted cells would visibly keep pages.
	cached = 64 * PageLen
	// alongside is how many of those that were put aside are sorted with one.
	alongside = 2

	// MaxUpkeep is the largest number of steps that a call does for others than its own cell: the cells of a new page
	// that it links, the page, and the entries that two lists copy. Sorting cells, and giving back a page with each,
	// takes fewer.
	MaxUpkeep = linked + 1 + 2*table.Copied

	maxPages = Max / PageLen
)

// supply knows which cells are free, where there are many, and which pages there are.
type supply struct {
	lists    table.Table[pageList]
	reserved int        // pages before the first with a list
	present  int        // pages with a list that are not given back
	absent   uint32     // a page that was given back, or None; the rest by head
	offering bitset.Set // pages with a list that is not empty
	offers   int        // pages that offering has bits for

	sorting    bool
	aside      uint32 // the list that was put aside, or None
	unsorted   int    // cells that have come to it since some were sorted
	fresh, end uint32 // cells of the newest page that have not been linked yet
	worn       int    // cells that are never used again
	upkeep     uint64
}

// pageList is the list of the free cells of a page.
type pageList struct {
	head   uint32 // a free cell, or None; the rest by Link[0]. If given back: the next such page
	n      uint32
	latest uint32 // no cell that came to the list was beyond this generation
}

const firstOffers = 64

// freeCells returns how many cells are free, with the cells of the newest page that are not linked yet.
func (s *Store[L, V]) freeCells() int { return s.supply.present*PageLen - s.supply.worn - s.used }

// plan decides below how many cells in use free cells are sorted.
func (s *Store[L, V]) plan() {
	switch y := &s.supply; {
	case !y.sorting:
		// Free are total-used: these are more than used/8 and the slack where used is less than this.
		total := y.present*PageLen - y.worn
		s.low = (total - slackPages*PageLen) * 8 / 9
	case y.aside == None && s.freeCells() <= s.used/16+enoughPages*PageLen:
		y.sorting = false
		s.plan()
	default:
		s.low = math.MaxInt
	}
}

// Settle has cell i, which is c and the first of the free ones, sorted, or takes it out of use for good. O(1).
func (s *Store[L, V]) Settle(i uint32, c *Cell[L]) {
	y := &s.supply
	switch {
	case c.Gen == lastGen:
		s.free = c.Link[0]
		y.worn++
		s.plan()
	case !y.sorting:
		y.sorting, y.aside, s.free = true, s.free, None
		s.plan()
	default:
		s.free = c.Link[0]
		c.Link[0], y.aside = y.aside, i
		if y.unsorted++; y.unsorted >= together || s.used < cached {
			s.sortSome()
		}
	}
}

// sortSome sorts cells of the list put aside: more than have come to it since the last time. O(1).
func (s *Store[L, V]) sortSome() {
	y := &s.supply
	for range min((1+alongside)*y.unsorted, 2*together) {
		i := y.aside
		if i == None {
			break
		}
		c := s.Cell(i)
		y.aside = c.Link[0]
		s.sort(i, c)
	}
	y.unsorted = 0
	s.plan()
}

// sort puts cell i, which is c, free and in no list, into the list of its page. O(1).
func (s *Store[L, V]) sort(i uint32, c *Cell[L]) {
	y := &s.supply
	p := int(i>>pageBits) - y.reserved
	l := y.lists.Now[p]
	c.Link[0], l.head = l.head, i
	l.latest = max(l.latest, c.Gen)
	l.n++
	y.upkeep++
	switch l.n {
	case 1:
		y.offering.Add(p)
	case PageLen:
		s.giveBack(p, &l)
	}
	y.lists.Set(p, l)
}

// giveBack gives back a page whose cells are all in its list: none is in use, in another list, worn out, or not linked
// yet. A page that is made in its place begins behind the generations that it had. O(1).
func (s *Store[L, V]) giveBack(p int, l *pageList) {
	y := &s.supply
	y.offering.Remove(p)
	s.pages.Set(p+y.reserved, nil)
	l.head, y.absent = y.absent, uint32(p)
	l.n = 0
	y.present--
	y.upkeep++
}

// Refill makes some cells the list of free ones, which is empty, and returns the
// first of them, or None if there can be no more. O(1).
func (s *Store[L, V]) Refill() uint32 {
	y := &s.supply
	if p := y.offering.From(0); p >= 0 {
		l := y.lists.Now[p]
		s.free, l.head, l.n = l.head, None, 0
		y.lists.Set(p, l)
		y.offering.Remove(p)
		y.upkeep++
		return s.free
	}
	if y.aside != None {
		// One alone: what is left has still to be sorted.
		s.free = y.aside
		c := s.Cell(s.free)
		y.aside, c.Link[0] = c.Link[0], None
		return s.free
	}
	if y.fresh == y.end && !s.addPage() {
		return None
	}
	s.linkFresh()
	return s.free
}

// linkFresh makes a few cells of the newest page free. O(1).
func (s *Store[L, V]) linkFresh() {
	y := &s.supply
	pg := s.pages.Now[y.fresh>>pageBits]
	gen := y.lists.Now[int(y.fresh>>pageBits)-y.reserved].latest
	s.free = y.fresh
	for range linked {
		c := &pg.cells[y.fresh&pageMask]
		y.fresh++
		c.Gen, c.Link[0] = gen, y.fresh
	}
	pg.cells[(y.fresh-1)&pageMask].Link[0] = None
	y.upkeep += linked
}

// addPage makes a page, none of whose cells is linked yet, or returns false if there
// can be no more. O(1), but for what the allocator does.
func (s *Store[L, V]) addPage() bool {
	y := &s.supply
	p := len(y.lists.Now)
	switch {
	case y.absent != None:
		p = int(y.absent)
		l := y.lists.Now[p]
		y.absent, l.head = l.head, None
		y.lists.Set(p, l)
		s.pages.Set(p+y.reserved, new(cellPage[L, V]))
	case p == maxPages:
		return false
	default:
		if p == y.offers {
			y.offers *= 2
			y.offering = bitset.New(y.offers) // no list has a cell, or there would be no new page
		}
		y.upkeep += uint64(y.lists.Add(pageList{head: None}) + s.pages.Add(new(cellPage[L, V])))
	}
	y.present++
	y.upkeep++
	y.fresh = uint32(p+y.reserved) << pageBits
	y.end = y.fresh + PageLen
	s.plan()
	return true
}
