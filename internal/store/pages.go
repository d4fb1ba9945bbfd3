package store

const (
	// lastGen is the last even generation. A cell that reaches it is never used
	// again, since the next generation would repeat an earlier one.
	lastGen = 1<<32 - 2

	// keepPages is how many pages are never given back.
	keepPages = 4
)

// pages says which pages of cells there are. When three quarters of the used cells
// have become free, pages without a used cell are given back; one that is made anew
// begins behind the generations that it had.
type pages struct {
	count    int      // pages, those given back included
	most     int      // pages there may be
	used     int      // cells in use
	shrinkAt int      // look for pages to give back when used falls to this
	absent   []absent // pages given back, to be used again before new ones
}

// absent is what is remembered of a page that was given back.
type absent struct {
	page int
	gen  uint32 // no cell of it was beyond this
}

// paged is what has the cells of pages.
type paged interface {
	// gone reports whether a page was given back.
	gone(page int) bool
	// survey looks at the generations of a page.
	survey(page int) survey
	// giveBack puts a stand-in in the place of a page.
	giveBack(page int)
	// freeCells makes the unused cells of a page free, the lowest first to be used.
	freeCells(page int)
}

// Used returns the number of cells in use.
func (p *pages) Used() int { return p.used }

// present returns how many pages there are, without those given back.
func (p *pages) present() int { return p.count - len(p.absent) }

// next returns the page to be made next, and false if there can be no more.
func (p *pages) next() (a absent, ok bool) {
	if n := len(p.absent); n > 0 {
		a = p.absent[n-1]
		p.absent = p.absent[:n-1]
		return a, true
	}
	if p.count >= p.most {
		return a, false
	}
	p.count++
	return absent{page: p.count - 1}, true
}

// planShrink puts the next shrink off until three quarters of the cells now used
// have become free, which pays for it; or until growth, if there is nothing left
// to give back.
func (p *pages) planShrink() {
	p.shrinkAt = p.used / 4
	if p.shrinkAt == 0 || p.present() <= keepPages { // worn-out cells can keep more
		p.shrinkAt = -1
	}
}

// shrink gives back the pages that have no used cell, the highest first, and
// makes the unused cells of the others free anew. No cell is free before. O(present
// cells), allocating next to nothing.
func (p *pages) shrink(of paged) {
	for page := p.count - 1; page >= 0; page-- {
		if of.gone(page) {
			continue
		}
		if s := of.survey(page); !s.occupied && p.present() > keepPages {
			of.giveBack(page)
			p.absent = append(p.absent, absent{page, s.latest})
		} else {
			of.freeCells(page)
		}
	}
	p.planShrink()
}

// survey is what the generations of a page say of it.
type survey struct {
	latest uint32 // the highest
	// occupied says that a cell is in use, or worn out: a new copy of the page
	// could not tell that it must not be used again.
	occupied bool
}

// add takes in the generation of a cell.
func (s *survey) add(gen uint32) {
	s.latest = max(s.latest, gen)
	if gen&1 == 1 || gen == lastGen {
		s.occupied = true
	}
}
