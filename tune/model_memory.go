package tune

import (
	"math"
	"unsafe"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/judge"
)

// What the schedulers keep of each timer of a driver, and of slots, in bytes: see
// the section "Cost" of their packages.
const (
	taskBytes = float64(unsafe.Sizeof(driver.Task{}))

	heapTimer = 16 + 8 + taskBytes // entry, cell, task
	listTimer = 8 + 12 + taskBytes // deadline, cell, task

	singleTimer = 12 + taskBytes // cell, task
	singleGroup = 256            // heads of groupSlots slots, if one is occupied
	groupSlots  = 64
	singleSlot  = 1.5 / 8

	// Timers of the other wheels are in blocks of entries, of which each slot with
	// a timer has one at least.
	blockEntries = 16
	bucketTimer  = 8                                // cell
	roundsBlock  = blockEntries*(4+8+taskBytes) + 8 // rounds, ID, task; link
	roundsSlot   = 8.13
	hierBlock    = blockEntries*(8+8+taskBytes) + 8 // tick, ID, task; link
	hierSlot     = 4.13
)

// memoryError is the share by which the memory may be more or less than what the
// structure asks for: it is had in chunks, and goes back in chunks.
const memoryError = 0.25

// memory returns how many bytes the pending timers take when they are as many as
// ever.
func (l *Load) memory(c catalog.Config) judge.Estimate {
	n := float64(l.MostPending)
	if n == 0 {
		n = math.Ceil(l.Pending)
	}
	held := l.Held * n / max(l.Pending, 1)
	var bytes float64
	switch c.Scheduler {
	case catalog.Heap:
		bytes = n * heapTimer
	case catalog.List:
		bytes = n * listTimer
	case catalog.Single:
		groups := float64(c.RealSlots()) / groupSlots
		bytes = n*singleTimer + float64(c.RealSlots())*singleSlot + singleGroup*l.filled(c, n, groups)
	case catalog.Rounds:
		slots := float64(c.RealSlots())
		bytes = n*bucketTimer + slots*roundsSlot + roundsBlock*blocks(n+held, l.filled(c, n+held, slots))
	case catalog.Hier:
		bytes = n*bucketTimer + l.levels(c, n+held)
	}
	return judge.Estimate{Value: bytes, Low: bytes * (1 - memoryError), High: bytes * (1 + memoryError)}
}

// filled returns how many of some equal parts of a flat wheel hold a timer, if n
// are as far ahead as those of the load are: their deadlines are spread over the
// wheel, or over the part of it up to the latest.
func (l *Load) filled(c catalog.Config, n, parts float64) float64 {
	around := c.Tick.Seconds() * float64(c.RealSlots())
	if farthest := l.farthest(); farthest < around {
		parts = max(parts*farthest/around, 1)
	}
	return parts * occupied(n/parts)
}

// farthest returns how far ahead nearly all of the pending are due, in seconds.
func (l *Load) farthest() float64 {
	if len(l.Residuals) == 0 {
		return max(l.Horizon.Seconds(), 1e-9)
	}
	return max(l.Residuals[len(l.Residuals)*19/20].Seconds()/0.95, 1e-9)
}

// levels returns what the levels of a hierarchical wheel take: those near hold what
// is due soon, in as many of their slots as there are ticks of theirs up to it.
func (l *Load) levels(c catalog.Config, entries float64) (bytes float64) {
	slots, width := float64(c.RealSlots()), c.Tick.Seconds() // of a slot
	farthest := l.farthest()
	before := 0.0
	for {
		share := l.dueWithin(width*slots) - before
		before += share
		used := max(min(slots, farthest/width), 1)
		bytes += slots*hierSlot + hierBlock*blocks(share*entries, used*occupied(share*entries/used))
		if width *= slots; width > l.Horizon.Seconds() || before >= 1 {
			return bytes
		}
	}
}

// dueWithin returns the share of the pending that are due within so many seconds.
func (l *Load) dueWithin(s float64) float64 {
	if len(l.Residuals) == 0 {
		return min(s/max(l.Horizon.Seconds(), 1e-9), 1)
	}
	return float64(countUpTo(l.Residuals, seconds(s))) / float64(len(l.Residuals))
}

// occupied returns the share of slots that hold something if each holds so many on
// average, at random.
func occupied(mean float64) float64 { return -math.Expm1(-mean) }

// blocks returns how many blocks of entries it takes for n entries in so many
// occupied slots: of each slot the last one is half full on average, or holds the
// only entry.
func blocks(n, slots float64) float64 {
	if slots <= 0 {
		return 0
	}
	each := max(n/slots, 1)
	return slots * max(1, (each+(blockEntries-1)/2.0)/blockEntries)
}
