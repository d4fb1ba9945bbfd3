package store

import (
	"math"

	"schedbench/internal/bitset"
)

// Which free cell is taken next decides whether memory can go back. While nearly
// all cells are in use it is the one that became free last, which is in the cache:
// one list goes through all that are free. When many are free, because a burst has
// passed, that list is put aside, and each cell that becomes free is filed with
// its page. Cells are then taken from the lowest page that has one, so that what is
// pending moves there as timers are replaced; and a page all of whose cells are
// filed goes back. Once few are free again, the one list is enough.
//
//	one list     free ──▶ 7104 ──▶ 88 ──▶ 3000 ──▶ ...
//	filed        page 0: full   page 1: 600 ──▶ 513   page 2: full   page 3: ...
//	                            └ free cells are taken from here first

const (
	// slackPages is how many pages may be free, beyond an eighth of the cells in
	// use, before free cells are filed: so many that a population that swings a
	// little, or is small, allocates nothing.
	slackPages = 3
	// enoughPages is how many of them, beyond a sixteenth, end the filing.
	enoughPages = 1

	// linked is how many cells of a new page are linked at a time.
	linked = 32
	// unspilled is how many cells of the list put aside are filed with each cell
	// that becomes free.
	unspilled = 2

	// MaxUpkeep is the largest number of steps that a call does for others than
	// its own cell: the cells of a new page that it links, the page, and the
	// entries that two lists copy.
	MaxUpkeep = linked + 1 + 2*copied

	maxPages = Max / PageLen
)

// room says which cells are free, where there are many, and which pages there are.
type room struct {
	files    table[file]
	reserved int        // pages before the first with a file
	present  int        // pages with a file that are not given back
	absent   uint32     // a page that was given back, or None; the rest by head
	roomy    bitset.Set // pages with filed cells
	bits     int        // pages that roomy has room for

	filing     bool
	spill      uint32 // the list that was put aside, or None
	fresh, end uint32 // cells of the newest page that have not been linked yet
	worn       int    // cells that are never used again
	upkeep     uint64
}

// file is what is known of a page.
type file struct {
	head   uint32 // a free cell, or None; the rest by Link[0]. If given back: the next such page
	free   uint32 // how many are filed
	latest uint32 // no filed cell is beyond this generation
}

const firstBits = 64

func newRoom(reserved int) room {
	return room{
		files:    newTable[file](0),
		reserved: reserved,
		absent:   None,
		spill:    None,
		roomy:    bitset.New(firstBits),
		bits:     firstBits,
	}
}

// freeCells returns how many cells are free, or are cells of the newest page that
// are going to be.
func (s *Store[L, V]) freeCells() int {
	return s.room.present*PageLen - s.room.worn - s.used
}

// plan decides from how few cells in use on what is free is filed.
func (s *Store[L, V]) plan() {
	switch r := &s.room; {
	case !r.filing:
		// Free are total-used, so that it is about where free exceeds used/8 and
		// the slack.
		total := r.present*PageLen - r.worn
		s.low = (total - slackPages*PageLen) * 8 / 9
	case r.spill == None && s.freeCells() <= s.used/16+enoughPages*PageLen:
		r.filing = false
		s.plan()
	default:
		s.low = math.MaxInt
	}
}

// Settle files cell i, which is c and has just become the first of the free ones,
// or takes it out of use for good. O(1).
func (s *Store[L, V]) Settle(i uint32, c *Cell[L]) {
	r := &s.room
	if c.Gen == lastGen {
		s.free = c.Link[0]
		r.worn++
		s.plan()
		return
	}
	if !r.filing {
		r.filing, r.spill, s.free = true, s.free, None
	} else {
		s.free = c.Link[0]
		s.file(i, c)
	}
	for range unspilled {
		if i = r.spill; i != None {
			c = s.Cell(i)
			r.spill = c.Link[0]
			s.file(i, c)
		}
	}
	s.plan()
}

// file notes that cell i, which is c and in no list, is free. O(1).
func (s *Store[L, V]) file(i uint32, c *Cell[L]) {
	r := &s.room
	p := int(i>>pageBits) - r.reserved
	f := r.files.now[p]
	c.Link[0], f.head = f.head, i
	f.latest = max(f.latest, c.Gen)
	f.free++
	r.upkeep++
	switch f.free {
	case 1:
		r.roomy.Add(p)
	case PageLen:
		s.giveBack(p, &f)
	}
	r.files.set(p, f)
}

// giveBack gives back a page all of whose cells are filed. One that is made in its
// place begins behind the generations that it had. O(1).
func (s *Store[L, V]) giveBack(p int, f *file) {
	r := &s.room
	r.roomy.Remove(p)
	s.pages.set(p+r.reserved, nil)
	f.head, r.absent = r.absent, uint32(p)
	f.free = 0
	r.present--
	r.upkeep++
}

// Refill makes some cells the list of free ones, which is empty, and returns the
// first of them, or None if there can be no more. O(1).
func (s *Store[L, V]) Refill() uint32 {
	r := &s.room
	if p := r.roomy.From(0); p >= 0 {
		f := r.files.now[p]
		s.free, f.head, f.free = f.head, None, 0
		r.files.set(p, f)
		r.roomy.Remove(p)
		r.upkeep++
		return s.free
	}
	if r.spill != None {
		s.free, r.spill = r.spill, None
		return s.free
	}
	if r.fresh == r.end && !s.addPage() {
		return None
	}
	s.linkFresh()
	return s.free
}

// linkFresh makes a few cells of the newest page free. O(1).
func (s *Store[L, V]) linkFresh() {
	r := &s.room
	pg := s.pages.now[r.fresh>>pageBits]
	gen := r.files.now[int(r.fresh>>pageBits)-r.reserved].latest
	first := r.fresh
	for range linked {
		c := &pg.cells[r.fresh&pageMask]
		r.fresh++
		c.Gen, c.Link[0] = gen, r.fresh
	}
	pg.cells[(r.fresh-1)&pageMask].Link[0] = s.free
	s.free = first
	r.upkeep += linked
}

// addPage makes a page, none of whose cells is linked yet, or returns false if there
// can be no more.
func (s *Store[L, V]) addPage() bool {
	r := &s.room
	p := len(r.files.now)
	switch {
	case r.absent != None:
		p = int(r.absent)
		f := r.files.now[p]
		r.absent, f.head = f.head, None
		r.files.set(p, f)
		s.pages.set(p+r.reserved, new(page[L, V]))
	case p == maxPages:
		return false
	default:
		if p == r.bits {
			r.bits *= 2
			r.roomy = bitset.New(r.bits) // none has a cell, or there would be no new page
		}
		r.files.add(file{head: None})
		s.pages.add(new(page[L, V]))
		r.upkeep += 2 * copied
	}
	r.present++
	r.upkeep++
	r.fresh = uint32(p+r.reserved) << pageBits
	r.end = r.fresh + PageLen
	s.plan()
	return true
}
