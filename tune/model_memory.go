package tune

import (
	"math"
	"unsafe"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/internal/buckets"
	"schedbench/internal/store"
	"schedbench/judge"
	"schedbench/singlewheel"
)

// What the schedulers keep of each timer of a driver, and of slots, in bytes: see
// the section "Cost" of their packages.
const (
	taskBytes = float64(unsafe.Sizeof(driver.Task{}))

	heapTimer = 16 + 8 + taskBytes // entry, cell, task
	listTimer = 8 + 12 + taskBytes // deadline, cell, task

	// runtimeTimer is a time.Timer, in the size class of the allocator, and its entry in
	// the runtime's heap.
	runtimeTimer = 96 + 16

	singleTimer = 12 + taskBytes // cell, task
	singleGroup = 256            // heads of groupSlots slots, if one is occupied
	groupSlots  = 64
	singleSlot  = 1.5 / 8

	// Timers of the other wheels are in cells, and each chain of a slot has a head,
	// which is a cell too; heads are made so many at a time.
	bucketTimer = 20 + taskBytes
	headsAtOnce = store.PageLen
	bucketSlot  = 8.0/headsAtOnce + 1.0/8
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
	var bytes float64
	switch c.Scheduler {
	case catalog.Heap:
		bytes = n * heapTimer
	case catalog.RuntimeTimer:
		bytes = n * runtimeTimer
	case catalog.List:
		bytes = n * listTimer
	case catalog.Single:
		groups := float64(c.RealSlots()) / groupSlots
		if c.RealSlots() > singlewheel.MostFlat {
			groups = l.filled(c, n, groups)
		}
		bytes = n*singleTimer + float64(c.RealSlots())*singleSlot + singleGroup*groups
	case catalog.Rounds:
		slots := float64(c.RealSlots())
		bytes = n*bucketTimer + slots*bucketSlot + headsAtOnce*bucketTimer*l.filled(c, n, slots/headsAtOnce)
	case catalog.Hier:
		bytes = n*bucketTimer + l.heads(c, n)
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

// heads returns what the slots of a hierarchical wheel take for n pending, without these: those
// of the levels that the deadlines reach, though not of slots that are never used.
func (l *Load) heads(c catalog.Config, n float64) (bytes float64) {
	slots, width := 2*float64(c.RealSlots()), c.Tick.Seconds() // of two revolutions, and of a slot
	chains := float64(buckets.Chains(c.RealSlots(), int(n), buckets.MostChains))
	for {
		bytes += slots*bucketSlot + chains*min(slots, max(l.farthest()/width, 1))*bucketTimer
		if width *= slots / 2; width > l.Horizon.Seconds() {
			return max(bytes, headsAtOnce*bucketTimer)
		}
	}
}

// occupied returns the share of slots that hold something if each holds so many on
// average, at random.
func occupied(mean float64) float64 { return -math.Expm1(-mean) }
