package store

import "schedbench/schedulers"

const (
	idPageBits = 12
	idPageLen  = 1 << idPageBits
	idPageMask = idPageLen - 1

	// maxIDPages is how many pages the cells of IDs can name.
	maxIDPages = 1 << (32 - idPageBits)
)

// idPage holds the generations of consecutive cells, or cells of the free stack.
type idPage [idPageLen]uint32

// noIDs stands for every page that was given back. All of its generations are
// zero, so no ID is valid there, and nothing writes to it: many tables share it.
var noIDs = new(idPage)

// IDs hands out the IDs of timers and tells the valid ones from the others. It
// keeps a generation of four bytes for each ID that can be valid at the same time,
// in pages, and a stack of the cells that are free:
//
//	gens    [0] gen gen gen ...   [1] gen gen gen ...   [2] given back
//	free    cell cell cell ...    the last one in is the first one out
//
// A generation is odd while its cell is in use, and moves on whenever an ID
// becomes valid or invalid. Nothing else is beside it, because the generation of
// a timer that is cancelled is a random access to memory: four bytes, packed,
// stay in the cache longest. Lists of free cells through the table would double
// it; the stack is only touched at its top.
//
// Growth adds a page and copies no generation. A population that is steady, or
// comes back to where it has been, allocates nothing.
//
// Make one with NewIDs. Like a scheduler, it is for one goroutine at a time.
type IDs struct {
	gens []*idPage // generations, by cell
	free cellStack // cells to be used again, all of them in present pages
	pages
}

// NewIDs returns an empty table that has room for limit IDs, rounded down to whole
// pages of 4096.
func NewIDs(limit int) IDs {
	return IDs{pages: pages{most: min(limit>>idPageBits, maxIDPages), shrinkAt: -1}}
}

// Take makes an ID valid that has never been valid before, and returns it. It
// returns zero, which is no ID, when there is no room for another one. O(1), but
// for the making of a page.
func (t *IDs) Take() schedulers.ID {
	if t.free.len == 0 && !t.addPage() {
		return 0
	}
	cell := t.free.pop()
	gen := &t.gens[cell>>idPageBits][cell&idPageMask]
	*gen++
	t.used++
	return schedulers.MakeID(cell, *gen)
}

// Drop makes id invalid for good, and reports whether it was valid: false also
// for an ID that was never handed out. Amortised O(1).
func (t *IDs) Drop(id schedulers.ID) bool {
	cell := id.Cell()
	if cell>>idPageBits >= uint32(len(t.gens)) {
		return false
	}
	gen := &t.gens[cell>>idPageBits][cell&idPageMask]
	if *gen != id.Generation() || *gen&1 == 0 {
		return false
	}
	*gen++
	t.used--
	if *gen != lastGen {
		t.free.push(cell)
	}
	if t.used <= t.shrinkAt {
		t.free.len = 0
		t.shrink(t)
		t.free.trim()
	}
	return true
}

// Holds reports whether id is valid: false also for an ID that was never handed
// out. O(1).
func (t *IDs) Holds(id schedulers.ID) bool {
	cell := id.Cell()
	return cell>>idPageBits < uint32(len(t.gens)) && id.Generation()&1 == 1 &&
		t.gens[cell>>idPageBits][cell&idPageMask] == id.Generation()
}

// Valid returns 1 if id is still valid, and 0 if not. It must be an ID that t
// handed out, not any number. O(1).
//
// The answer is a number so that callers can count with it instead of branching
// on it, which would be mispredicted often. And Valid is a generic function
// because the compiler inlines it wherever a scheduler is instantiated; a method
// of IDs, which is not generic, it would call there unless that package imports
// this one. Take and Drop are too large to be inlined either way, and were slower
// as generic functions.
func Valid[ID ~uint64](t *IDs, id ID) uint32 {
	gen := t.gens[uint32(id)>>idPageBits][uint32(id)&idPageMask]
	return uint32((uint64(gen^uint32(id>>32)) - 1) >> 63)
}

// addPage makes a page present and its cells free, or returns false if there can
// be no more. No cell may be free. O(cells in a page).
func (t *IDs) addPage() bool {
	a, ok := t.next()
	if !ok {
		return false
	}
	if a.page == len(t.gens) {
		t.gens = append(t.gens, nil)
	}
	pg := new(idPage)
	for at := range pg {
		pg[at] = a.gen
	}
	t.gens[a.page] = pg
	t.freeCells(a.page)
	t.planShrink()
	return true
}

func (t *IDs) gone(p int) bool { return t.gens[p] == noIDs }

func (t *IDs) giveBack(p int) { t.gens[p] = noIDs }

func (t *IDs) survey(p int) (found survey) {
	for _, gen := range t.gens[p] {
		found.add(gen)
	}
	return found
}

func (t *IDs) freeCells(p int) {
	pg := t.gens[p]
	for at := idPageLen - 1; at >= 0; at-- {
		if gen := pg[at]; gen&1 == 0 && gen != lastGen {
			t.free.push(uint32(p<<idPageBits | at))
		}
	}
}

// cellStack holds cells in pages, so that growth copies none. Pages stay when cells
// are popped, so that a stack that was once as high allocates nothing.
type cellStack struct {
	pages []*idPage
	len   int
}

func (s *cellStack) push(cell uint32) {
	if s.len>>idPageBits == len(s.pages) {
		s.pages = append(s.pages, new(idPage))
	}
	s.pages[s.len>>idPageBits][s.len&idPageMask] = cell
	s.len++
}

// pop takes the last cell off. There must be one.
func (s *cellStack) pop() (cell uint32) {
	s.len--
	return s.pages[s.len>>idPageBits][s.len&idPageMask]
}

// trim gives back the pages that hold no cell.
func (s *cellStack) trim() {
	used := (s.len + idPageLen - 1) >> idPageBits
	clear(s.pages[used:])
	s.pages = s.pages[:used]
}
