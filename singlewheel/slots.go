package singlewheel

import (
	"math/bits"
	"time"

	"schedbench/internal/bitset"
	"schedbench/internal/store"
	"schedbench/internal/table"
	"schedbench/internal/ticks"
)

const (
	groupBits = 6
	groupLen  = 1 << groupBits // slots in a group
	groupMask = groupLen - 1

	pageBits = 7
	pageLen  = 1 << pageBits // groups of heads in a page
	pageMask = pageLen - 1

	// slackPages is how many pages may be free, beyond a quarter of the groups, before groups are moved.
	slackPages = 4
	// movedAlong is how many groups are moved then with each that becomes empty.
	movedAlong = 2

	// MostFlat is the largest number of slots whose heads are one array of half a megabyte:
	// two minutes at a tick of 1 ms. See docs/decisions/0038-structures-as-named.md.
	MostFlat = 1 << 17

	// MaxUpkeep is the largest number of steps that Schedule, Cancel or Reset does for others than its own value: those
	// of the store, the groups moved, a page, and what the lists of pages copy for it.
	MaxUpkeep = store.MaxUpkeep + movedAlong + 1 + 2*table.Copied
)

// slots has the first value of each slot, its head. Up to MostFlat slots the heads are one array. Beyond, where they
// take up the most, they exist only for groups with an occupied slot. A head is read only if its own slot is occupied.
// So in a sparse wheel heads are nearly always just written, and nothing has to wait for that.
//
// Its methods are not generic, so their calls are inlined here. The packages that instantiate a scheduler cannot inline
// what this package imports.
type slots struct {
	tick   ticks.Tick
	size   uint64 // number of slots
	groups []group
	flat   []uint32   // the heads, or nil if pages have them
	filled bitset.Set // groups with an occupied slot

	pages  table.Table[*[pageLen]heads]
	owners table.Table[*[pageLen]uint32] // the group of each heads, or store.None
	free   uint32                        // first free heads, or store.None; see freed
	fresh  uint32                        // heads from here on are in no list, and not in use
	used   int                           // heads in use
	upkeep uint64
}

// group has the notes on neighbouring slots. It has no padding, which would take up half a bit for each slot.
type group struct {
	occupied [2]uint32 // a bit for each slot
	heads    uint32    // where they are, if one of the slots is occupied
}

// heads holds the first value of each slot of a group.
type heads [groupLen]uint32

func newSlots(tick ticks.Tick, size int) slots {
	n := (size + groupMask) / groupLen
	s := slots{
		tick:   tick,
		size:   uint64(size),
		groups: make([]group, n),
		filled: bitset.New(n),
		pages:  table.New[*[pageLen]heads](0),
		owners: table.New[*[pageLen]uint32](0),
		free:   store.None,
	}
	if size <= MostFlat {
		s.flat = make([]uint32, size)
	}
	return s
}

// word returns the bits of all slots.
func (g *group) word() uint64 { return uint64(g.occupied[1])<<32 | uint64(g.occupied[0]) }

// setWord sets the bits of all slots, both halves in one write: a read of both would have to wait until the write of one
// half has reached the cache.
func (g *group) setWord(w uint64) { g.occupied = [2]uint32{uint32(w), uint32(w >> 32)} }

// has reports whether a slot is occupied. O(1).
func (s *slots) has(slot uint32) bool {
	return s.groups[slot>>groupBits].word()>>(slot&groupMask)&1 != 0
}

// head returns where the first value of an occupied slot is kept. O(1).
func (s *slots) head(slot uint32) *uint32 {
	if s.flat != nil {
		return &s.flat[slot]
	}
	at := s.groups[slot>>groupBits].heads
	return &s.at(at)[slot&groupMask]
}

// from returns the first occupied slot that is at least slot, and -1 if there is none. O(levels of the set).
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

// at returns heads by their place. O(1).
func (s *slots) at(place uint32) *heads { return &s.pages.Now[place>>pageBits][place&pageMask] }

// owner returns where the group of heads is noted. O(1).
func (s *slots) owner(place uint32) *uint32 { return &s.owners.Now[place>>pageBits][place&pageMask] }

// fill takes heads for a slot's group, and makes i the first value of the
// slot. O(levels of the set), but for the making of a page.
func (s *slots) fill(slot, i uint32) {
	s.filled.Add(int(slot >> groupBits))
	if s.flat != nil {
		s.flat[slot] = i
		return
	}
	at := s.take()
	s.at(at)[slot&groupMask] = i
	*s.owner(at) = slot >> groupBits
	s.groups[slot>>groupBits].heads = at
	s.used++
}

// clear makes an occupied slot an empty one. O(1), or O(levels of the set) if the slot was the last one of its group.
func (s *slots) clear(slot uint32) {
	g := &s.groups[slot>>groupBits]
	word := g.word() &^ (1 << (slot & groupMask))
	g.setWord(word)
	if word != 0 {
		return
	}
	s.filled.Remove(int(slot >> groupBits))
	if s.flat != nil {
		return
	}
	s.put(g.heads)
	s.used--
	if s.roomy() {
		s.moveTogether()
	}
}

const (
	freeNext = 0 // of free heads: the next ones
	freePrev = 1 // of free heads that are not the first: those before
)

// take returns heads that are free. O(1), but for the making of a page.
func (s *slots) take() (at uint32) {
	if at = s.free; at != store.None {
		s.free = s.at(at)[freeNext]
		return at
	}
	if at = s.fresh; int(at>>pageBits) == len(s.pages.Now) {
		page, owners := new([pageLen]heads), new([pageLen]uint32)
		s.upkeep += uint64(s.pages.Add(page)+s.owners.Add(owners)) + 1
	}
	s.fresh++
	return at
}

// put makes heads the first of the free ones. O(1).
func (s *slots) put(at uint32) {
	if s.free != store.None {
		s.at(s.free)[freePrev] = at
	}
	s.at(at)[freeNext] = s.free
	*s.owner(at) = store.None
	s.free = at
}

// remove takes free heads out of the list. O(1).
func (s *slots) remove(at uint32) {
	after := s.at(at)[freeNext]
	if at == s.free {
		s.free = after
		return
	}
	before := s.at(at)[freePrev]
	s.at(before)[freeNext] = after
	if after != store.None {
		s.at(after)[freePrev] = before
	}
}

// roomy reports whether more heads are free than are worth keeping. O(1).
func (s *slots) roomy() bool {
	return len(s.pages.Now)<<pageBits-s.used > s.used/4+slackPages*pageLen
}

// moveTogether moves the last heads to free ones, a few at a time, until the last page is empty and goes. O(1).
func (s *slots) moveTogether() {
	for range movedAlong {
		if s.fresh--; *s.owner(s.fresh) == store.None {
			s.remove(s.fresh)
		} else {
			s.move(s.fresh, s.take())
		}
		s.upkeep++
	}
	if last := len(s.pages.Now) - 1; int(s.fresh) <= last<<pageBits {
		s.pages.Pop()
		s.owners.Pop()
		s.upkeep++
	}
}

// move moves heads that are in use. O(1).
func (s *slots) move(from, to uint32) {
	*s.at(to) = *s.at(from)
	group := *s.owner(from)
	*s.owner(to) = group
	s.groups[group].heads = to
}
