package idtable

// addPage makes a page present and its cells free, or returns false if there can
// be no more. No cell may be free. O(cells in a page).
func (t *Table) addPage() bool {
	a := absent{page: uint32(len(t.pages))}
	if n := len(t.absent); n > 0 {
		a = t.absent[n-1]
		t.absent = t.absent[:n-1]
	} else {
		if len(t.pages) >= t.most {
			return false
		}
		t.pages = append(t.pages, nil)
	}
	pg := new(page)
	for at := range pg {
		pg[at] = a.gen
	}
	t.pages[a.page] = pg
	t.stackFree(int(a.page))
	t.planShrink()
	return true
}

// present returns how many pages there are, without those given back.
func (t *Table) present() int { return len(t.pages) - len(t.absent) }

// planShrink puts the next shrink off until three quarters of the cells now used
// have become free, which pays for it; or until growth, if there is nothing left
// to give back.
func (t *Table) planShrink() {
	t.shrinkAt = t.used / 4
	if t.shrinkAt == 0 || t.present() <= keepPages { // worn-out cells can keep more
		t.shrinkAt = -1
	}
}

// shrink gives back the pages that have no used cell, the highest first, and
// stacks the free cells of the others anew. O(present cells), allocating next
// to nothing.
func (t *Table) shrink() {
	t.free.len = 0
	for p := len(t.pages) - 1; p >= 0; p-- {
		pg := t.pages[p]
		if pg == gone {
			continue
		}
		if latest, empty := pg.survey(); empty && t.present() > keepPages {
			t.pages[p] = gone
			t.absent = append(t.absent, absent{uint32(p), latest})
			continue
		}
		t.stackFree(p)
	}
	t.free.trim()
	t.planShrink()
}

// survey returns the highest generation of the page and whether no cell is in
// use, nor worn out: a new copy of the page could not tell that it must not be
// used again.
func (pg *page) survey() (latest uint32, empty bool) {
	empty = true
	for _, gen := range pg {
		latest = max(latest, gen)
		if gen&1 == 1 || gen == lastGen {
			empty = false
		}
	}
	return latest, empty
}

// stackFree puts the free cells of page p on the stack, so that the lowest comes
// out first.
func (t *Table) stackFree(p int) {
	pg := t.pages[p]
	for at := pageLen - 1; at >= 0; at-- {
		if gen := pg[at]; gen&1 == 0 && gen != lastGen {
			t.free.push(uint32(p<<pageBits | at))
		}
	}
}

// stack holds cells in pages, so that growth copies none. Pages stay when cells
// are popped, so that a stack that was once as high allocates nothing.
type stack struct {
	pages []*page
	len   int
}

func (s *stack) push(cell uint32) {
	if s.len>>pageBits == len(s.pages) {
		s.pages = append(s.pages, new(page))
	}
	s.pages[s.len>>pageBits][s.len&pageMask] = cell
	s.len++
}

// pop takes the last cell off. There must be one.
func (s *stack) pop() (cell uint32) {
	s.len--
	return s.pages[s.len>>pageBits][s.len&pageMask]
}

// trim gives back the pages that hold no cell.
func (s *stack) trim() {
	used := (s.len + pageLen - 1) >> pageBits
	clear(s.pages[used:])
	s.pages = s.pages[:used]
}
