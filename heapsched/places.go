package heapsched

import (
	"math"
	"time"

	"schedbench/internal/store"
	"schedbench/internal/table"
)

const (
	// width is how many children an entry has.
	width = 16

	// root is the place of the first entry. With it, the children of place p are those from width*(p-root+1) on, and their
	// deadlines fill two cache lines.
	root = width - 1

	pageBits = 10
	pageLen  = 1 << pageBits
	pageMask = pageLen - 1

	// slackPages is how many pages may be free, beyond an eighth of those in use, before they are given back. They let
	// a population that swings a little allocate nothing.
	slackPages = 2

	// MaxUpkeep is the largest number of steps that Schedule, Cancel or Reset does for others than its own value: those
	// of the store, a page and what the list of pages copies for it, and the deadlines of a new family.
	MaxUpkeep = store.MaxUpkeep + 1 + table.Copied + width
)

// entry is what the heap orders.
type entry struct {
	deadline time.Duration
	cell     uint32 // of the value
}

// page is a part of the heap's array, which thus grows without being copied.
// Deadlines lie apart from the rest, since sifting compares many and moves few.
type page struct {
	deadlines [pageLen]time.Duration
	cells     [pageLen]uint32
}

// family is the deadlines of the children of one entry. A missing child has never.
type family [width]time.Duration

// never is not before any deadline.
const never = math.MaxInt64

// parent returns the place above one that is not root.
func parent(place uint32) uint32 { return place/width + root - 1 }

// children returns the first of the places below one.
func children(place uint32) uint32 { return (place - root + 1) * width }

// places is the heap's array.
type places struct {
	pages  table.Table[*page]
	n      int    // places in use, from root on
	upkeep uint64 // steps done for other places than the one added or taken away
}

// end returns the place after the last.
func (a *places) end() uint32 { return root + uint32(a.n) }

func (a *places) deadline(place uint32) time.Duration {
	return a.pages.Now[place>>pageBits].deadlines[place&pageMask]
}

func (a *places) cell(place uint32) uint32 {
	return a.pages.Now[place>>pageBits].cells[place&pageMask]
}

func (a *places) entry(place uint32) entry { return entry{a.deadline(place), a.cell(place)} }

func (a *places) put(place uint32, e entry) {
	p := a.pages.Now[place>>pageBits]
	p.deadlines[place&pageMask] = e.deadline
	p.cells[place&pageMask] = e.cell
}

// family returns the deadlines of the children of which the first is at a place. O(1).
func (a *places) family(first uint32) *family {
	return (*family)(a.pages.Now[first>>pageBits].deadlines[first&pageMask:])
}

// grow adds a place at the end, whose entry is arbitrary, and returns it. O(1).
func (a *places) grow() (place uint32) {
	place = a.end()
	a.n++
	if int(place>>pageBits) == len(a.pages.Now) {
		a.upkeep += uint64(a.pages.Add(new(page))) + 1
	}
	if place%width == 0 {
		f := a.family(place)
		for i := range f {
			f[i] = never
		}
		a.upkeep += width
	}
	return place
}

// shrink takes the last entry away and returns it. O(1).
func (a *places) shrink() (last entry) {
	a.n--
	place := a.end()
	last = a.entry(place)
	a.put(place, entry{deadline: never})
	if place&pageMask == 0 {
		a.giveBack()
	}
	return last
}

// giveBack gives a page or two back if there are more than needed. O(1).
func (a *places) giveBack() {
	needed := int(a.end() >> pageBits)
	for len(a.pages.Now) > needed+needed/8+slackPages {
		a.pages.Pop()
		a.upkeep++
	}
}
