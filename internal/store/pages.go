package store

// addPage makes a page present and returns its first cell, at the head of the
// free list, or None if there can be no more pages. O(cells in a page).
func (s *Store[L, V]) addPage() (first uint32) {
	var p int
	if n := len(s.absent); n > 0 {
		p = int(s.absent[n-1])
		s.absent = s.absent[:n-1]
	} else {
		if p = len(s.pages); p<<s.shift >= Max {
			return None
		}
		s.pages = append(s.pages, page[L, V]{})
	}
	pg := &s.pages[p]
	pg.cells = make([]Cell[L], 1<<s.shift)
	pg.vals = make([]V, 1<<s.shift)
	first = uint32(p << s.shift)
	for i := range pg.cells {
		pg.cells[i].Gen = pg.gen
		pg.cells[i].Link[0] = first + uint32(i) + 1
	}
	pg.cells[s.mask].Link[0] = s.free
	s.free = first
	s.shrinkAt = s.present() << s.shift / 4
	if s.present() <= keepPages {
		s.shrinkAt = -1
	}
	return first
}

// present returns how many pages there are, without those given back.
func (s *Store[L, V]) present() int { return len(s.pages) - len(s.absent) }

// shrink gives back the pages that have no used cell, and strings the free list
// anew through the others. O(present cells), and the next time only after
// three quarters of the cells now used have become free, or after growth.
func (s *Store[L, V]) shrink() {
	s.free = None
	for p := len(s.pages) - 1; p >= 0; p-- {
		pg := &s.pages[p]
		switch {
		case pg.cells == nil:
		case s.present() > keepPages && pg.empty():
			*pg = page[L, V]{gen: pg.latest()}
			s.absent = append(s.absent, uint32(p))
		default:
			s.free = pg.thread(uint32(p<<s.shift), s.free)
		}
	}
	s.shrinkAt = s.used / 4
	if s.shrinkAt == 0 || s.present() <= keepPages { // worn-out cells can keep more
		s.shrinkAt = -1
	}
}

// empty reports whether no cell of the page is in use, nor worn out: a new
// copy of the page could not tell that it must not be used again.
func (pg *page[L, V]) empty() bool {
	for i := range pg.cells {
		if gen := pg.cells[i].Gen; gen&1 == 1 || gen == lastGen {
			return false
		}
	}
	return true
}

// latest returns the highest generation in the page.
func (pg *page[L, V]) latest() (gen uint32) {
	for i := range pg.cells {
		gen = max(gen, pg.cells[i].Gen)
	}
	return gen
}

// thread puts the free cells of the page, whose first cell has the given
// index, before next in the free list and returns the new first.
func (pg *page[L, V]) thread(first, next uint32) uint32 {
	for i := len(pg.cells) - 1; i >= 0; i-- {
		if c := &pg.cells[i]; c.Gen&1 == 0 && c.Gen != lastGen {
			c.Link[0] = next
			next = first + uint32(i)
		}
	}
	return next
}
