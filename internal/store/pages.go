package store

// addPage makes a page present and returns its first cell, at the head of the
// free list, or None if there can be no more pages. No cell may be free. O(cells
// in a page).
func (s *Store[L, V]) addPage() (first uint32) {
	a := absent{page: uint32(len(s.cells))}
	if n := len(s.absent); n > 0 {
		a = s.absent[n-1]
		s.absent = s.absent[:n-1]
	} else {
		if len(s.cells) >= Max>>pageBits {
			return None
		}
		s.cells = append(s.cells, nil)
		s.vals = append(s.vals, nil)
	}
	pg := new(page[L])
	for at := range pg {
		pg[at].Gen = a.gen
	}
	s.cells[a.page], s.vals[a.page] = pg, new([pageLen]V)
	s.listFree(int(a.page))
	s.planShrink()
	return s.free
}

// present returns how many pages there are, without those given back.
func (s *Store[L, V]) present() int { return len(s.cells) - len(s.absent) }

// planShrink puts the next shrink off until three quarters of the cells now used
// have become free, which pays for it; or until growth, if there is nothing left
// to give back.
func (s *Store[L, V]) planShrink() {
	s.shrinkAt = s.used / 4
	if s.shrinkAt == 0 || s.present() <= keepPages { // worn-out cells can keep more
		s.shrinkAt = -1
	}
}

// shrink gives back the pages that have no used cell, the highest first, and
// strings the free list anew through the others. O(present cells), allocating
// next to nothing.
func (s *Store[L, V]) shrink() {
	if s.gone == nil {
		s.gone = new(page[L])
	}
	s.free = None
	for p := len(s.cells) - 1; p >= 0; p-- {
		pg := s.cells[p]
		if pg == s.gone {
			continue
		}
		if latest, empty := pg.survey(); empty && s.present() > keepPages {
			s.cells[p], s.vals[p] = s.gone, nil
			s.absent = append(s.absent, absent{uint32(p), latest})
			continue
		}
		s.listFree(p)
	}
	s.planShrink()
}

// survey returns the highest generation of the page and whether no cell is in
// use, nor worn out: a new copy of the page could not tell that it must not be
// used again.
func (pg *page[L]) survey() (latest uint32, empty bool) {
	empty = true
	for at := range pg {
		gen := pg[at].Gen
		latest = max(latest, gen)
		if gen&1 == 1 || gen == lastGen {
			empty = false
		}
	}
	return latest, empty
}

// listFree puts the free cells of page p at the head of the free list, the lowest
// first.
func (s *Store[L, V]) listFree(p int) {
	pg := s.cells[p]
	for at := pageLen - 1; at >= 0; at-- {
		if c := &pg[at]; c.Gen&1 == 0 && c.Gen != lastGen {
			c.Link[0] = s.free
			s.free = uint32(p<<pageBits | at)
		}
	}
}
