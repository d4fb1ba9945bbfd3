package trace

// numbers is a set of timer numbers: bits for small ones, which is what most
// traces have, and a map for others. The zero value is empty.
type numbers struct {
	pages  [smallNumbers / pageBits]*[pageBits / 64]uint64
	others map[uint64]struct{}
	n      int // in the set
}

const (
	pageBits = 1 << 15
	// smallNumbers is how many numbers can have a bit: 8 MiB when all pages are
	// there, each of which is made when it is needed.
	smallNumbers = 1 << 26
)

func (s *numbers) has(number uint64) bool {
	if number >= smallNumbers {
		_, ok := s.others[number]
		return ok
	}
	page := s.pages[number/pageBits]
	return page != nil && page[number%pageBits/64]>>(number%64)&1 != 0
}

// add puts a number in and reports whether it was not there.
func (s *numbers) add(number uint64) bool {
	if s.has(number) {
		return false
	}
	s.n++
	if number >= smallNumbers {
		if s.others == nil {
			s.others = map[uint64]struct{}{}
		}
		s.others[number] = struct{}{}
		return true
	}
	page := &s.pages[number/pageBits]
	if *page == nil {
		*page = new([pageBits / 64]uint64)
	}
	(*page)[number%pageBits/64] |= 1 << (number % 64)
	return true
}

// remove takes a number out and reports whether it was there.
func (s *numbers) remove(number uint64) bool {
	if !s.has(number) {
		return false
	}
	s.n--
	if number >= smallNumbers {
		delete(s.others, number)
		return true
	}
	s.pages[number/pageBits][number%pageBits/64] &^= 1 << (number % 64)
	return true
}

// addSmall puts a number in if it is small, so that the memory of a set that only
// grows stays bounded.
func (s *numbers) addSmall(number uint64) {
	if number < smallNumbers {
		s.add(number)
	}
}

// numbering hands out small numbers. Whoever has no more use for one appends it to
// those that are free.
type numbering struct {
	used uint32 // how many were handed out, free or not
	free []uint32
}

// fresh returns a number that was never used.
func (n *numbering) fresh() uint32 {
	n.used++
	return n.used - 1
}

// again returns a number that is free, the last one first, or else a fresh one.
func (n *numbering) again() uint32 {
	last := len(n.free) - 1
	if last < 0 {
		return n.fresh()
	}
	number := n.free[last]
	n.free = n.free[:last]
	return number
}
