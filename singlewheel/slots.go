package singlewheel

import (
	"math/bits"
	"time"

	"schedbench/internal/bitset"
	"schedbench/internal/store"
	"schedbench/internal/ticks"
)

const (
	groupBits = 6
	groupLen  = 1 << groupBits // slots in a group
	groupMask = groupLen - 1

	pageBits = 7
	pageLen  = 1 << pageBits // groups of heads in a page
	pageMask = pageLen - 1

	// keepPages is how many pages are never given back.
	keepPages = 4
)

// slots has the first value of each slot. The heads, which take up the most,
// exist only for groups with an occupied slot, and a head is read only if its
// own slot is occupied: in a sparse wheel they are nearly always just written,
// which nothing has to wait for.
//
// Its methods are not generic, so that what they call is compiled into them: a
// scheduler is instantiated in packages that cannot inline what this one imports.
type slots struct {
	tick   ticks.Tick
	size   uint64 // number of slots
	groups []group
	filled bitset.Set // groups with an occupied slot

	pages  []*[pageLen]heads
	free   uint32 // first free heads, or store.None; the rest by their first
	used   int    // heads in use
	packAt int    // pack when used falls to this
}

// group is what is known of neighbouring slots. It has no padding, which would
// take up half a bit for each slot.
type group struct {
	occupied [2]uint32 // a bit for each slot
	heads    uint32    // where they are, if one of the slots is occupied
}

// heads holds the first value of each slot of a group.
type heads [groupLen]uint32

func newSlots(tick ticks.Tick, size int) slots {
	n := (size + groupMask) / groupLen
	return slots{
		tick:   tick,
		size:   uint64(size),
		groups: make([]group, n),
		filled: bitset.New(n),
		free:   store.None,
		packAt: -1,
	}
}

// word returns the bits of all slots.
func (g *group) word() uint64 { return uint64(g.occupied[1])<<32 | uint64(g.occupied[0]) }

// setWord sets the bits of all slots, both halves in one write: a read of both
// would have to wait until the write of one has reached the cache.
func (g *group) setWord(w uint64) { g.occupied = [2]uint32{uint32(w), uint32(w >> 32)} }

// has reports whether a slot is occupied. O(1).
func (s *slots) has(slot uint32) bool {
	return s.groups[slot>>groupBits].word()>>(slot&groupMask)&1 != 0
}

// head returns where the first value of an occupied slot is kept. O(1).
func (s *slots) head(slot uint32) *uint32 {
	at := s.groups[slot>>groupBits].heads
	return &s.pages[at>>pageBits][at&pageMask][slot&groupMask]
}

// from returns the first occupied slot that is at least slot, and -1 if there
// is none. O(levels of the set).
func (s *slots) from(slot int) int {
	i := slot >> groupBits
	if i >= len(s.groups) {
		return -1
	}
	if w := s.groups[i].word() >> (slot & groupMask); w != 0 {
		return slot + bits.TrailingZeros64(w)
	}
	if i = s.filled.From(i + 1); i < 0 {
		return -1
	}
	return i<<groupBits + bits.TrailingZeros64(s.groups[i].word())
}

// push makes i the first value of the slot of a deadline and returns the slot
// and the value that was its first, or store.None. O(1).
func (s *slots) push(deadline time.Duration, i uint32) (slot, after uint32) {
	slot = uint32(s.tick.Ceil(deadline) & (s.size - 1))
	g := &s.groups[slot>>groupBits]
	word, bit := g.word(), uint64(1)<<(slot&groupMask)
	g.setWord(word | bit)
	if word == 0 {
		s.fill(slot, i)
		return slot, store.None
	}
	after = store.None
	head := s.head(slot)
	if word&bit != 0 {
		after = *head
	}
	*head = i
	return slot, after
}

// fill makes room for the heads of a slot's group, and i the first value of the
// slot. O(levels of the set), but for the making of a page.
func (s *slots) fill(slot, i uint32) {
	s.filled.Add(int(slot >> groupBits))
	if s.free == store.None {
		s.addPage()
	}
	at := s.free
	h := &s.pages[at>>pageBits][at&pageMask]
	s.free = h[0]
	h[slot&groupMask] = i
	s.groups[slot>>groupBits].heads = at
	s.used++
}

// clear makes an occupied slot an empty one. Amortised O(1), or O(levels of the
// set) if the slot was the last one of its group.
func (s *slots) clear(slot uint32) {
	g := &s.groups[slot>>groupBits]
	word := g.word() &^ (1 << (slot & groupMask))
	g.setWord(word)
	if word != 0 {
		return
	}
	s.filled.Remove(int(slot >> groupBits))
	s.pages[g.heads>>pageBits][g.heads&pageMask][0] = s.free
	s.free = g.heads
	if s.used--; s.used <= s.packAt {
		s.pack()
	}
}

// addPage makes a page of free heads. O(groups in a page).
func (s *slots) addPage() {
	page, first := new([pageLen]heads), uint32(len(s.pages)<<pageBits)
	for at := range page {
		page[at][0] = first + uint32(at) + 1
	}
	page[pageMask][0] = s.free
	s.free = first
	s.pages = append(s.pages, page)
	if len(s.pages) > keepPages {
		s.packAt = len(s.pages) << pageBits / 4
	}
}

// pack copies all heads to new pages, as few as will do, and gives the old ones
// back. O(groups with an occupied slot), and the next time only after three
// quarters of these have become empty, or after growth.
func (s *slots) pack() {
	old := s.pages
	s.pages, s.free, s.used, s.packAt = nil, store.None, 0, -1
	for i := s.filled.From(0); i >= 0; i = s.filled.From(i + 1) {
		if s.free == store.None {
			s.addPage()
		}
		g, to := &s.groups[i], s.free
		h := &s.pages[to>>pageBits][to&pageMask]
		s.free = h[0]
		*h = old[g.heads>>pageBits][g.heads&pageMask]
		g.heads = to
		s.used++
	}
}
