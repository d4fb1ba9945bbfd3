// Package buckets keeps the entries of the two wheels whose slots hold many
// timers at once: the wheel with rounds and the hierarchical wheel.
//
// A bucket is a stack of entries in a chain of blocks, so that a slot is read
// in sequence rather than by chasing a pointer for each timer:
//
//	bucket ──▶ block ──▶ block ──▶ block        keys    k k k k ...
//	           top, 5    16 full   16 full      ids     i i i i ...
//	                                            values  v v v v ...
//
// An entry carries the ID of its timer, and a table knows which IDs are valid:
// store.IDs. Cancel makes an ID invalid there and does not touch the entry:
// that is its one random access to memory, and the entry is dead from then on.
// Dead entries are dropped when they would have left their slot, or by a sweep
// that looks at a few entries for each cancellation and expiry once they are more
// than half as many as the pending; so no Cancel ever pays for all of them. See
// docs/decisions/0001-node-store.md for what else was measured.
package buckets

import (
	"iter"
	"reflect"

	"schedbench/internal/bitset"
	"schedbench/internal/store"
	"schedbench/schedulers"
)

const (
	blockBits = 4
	// blockLen is the number of entries in a block. Sixteen keep the waste of
	// a sparse wheel small and still amortise a cache miss for each block.
	blockLen  = 1 << blockBits
	blockMask = blockLen - 1

	// maxPending entries, and as many dead ones and schedulers.MaxHeld more,
	// need no more blocks than can be named, even if each has one to itself.
	maxPending = store.Max/2 - schedulers.MaxHeld
)

// Key is what a wheel notes of each entry: the rounds left, or the tick.
type Key interface{ ~uint32 | ~uint64 }

// block is an array of entries in three columns, because a walk reads the keys
// alone, or the ids.
type block[K Key, T any] struct {
	keys [blockLen]K
	ids  [blockLen]schedulers.ID
	vals [blockLen]T
}

// Buckets is an array of buckets. Make one with New.
type Buckets[K Key, T any] struct {
	ids    store.IDs
	blocks store.Store[[1]uint32, block[K, T]] // link: the block below

	// tops holds the position after the top entry of each bucket, and zero for
	// an empty one. Position p is entry p&blockMask of block p>>blockBits; all
	// blocks below the top one are full.
	tops []uint32

	ordered  int        // the bucket whose order is kept
	occupied bitset.Set // buckets that hold entries, dead ones included
	held     int        // dead entries
	due      int        // cancellations and expiries until the next sweep step
	sweep    sweep
	fetched  uint32 // what fetch read, so that it is not optimised away
	clear    bool   // T has pointers, so values are erased when they leave
	Work     schedulers.Work
}

// Unordered is for wheels none of whose buckets is ordered.
const Unordered = -1

// New returns n empty buckets. The order of entries in bucket ordered is kept:
// last in, first out. The bucket after that one must be left unused.
func New[K Key, T any](n, ordered int) Buckets[K, T] {
	return Buckets[K, T]{
		ordered:  ordered,
		ids:      store.NewIDs(maxPending),
		blocks:   store.New[[1]uint32, block[K, T]](),
		tops:     make([]uint32, n),
		occupied: bitset.New(n),
		clear:    store.HasPointers(reflect.TypeFor[T]()),
	}
}

// Grow makes room for n buckets. O(n).
func (b *Buckets[K, T]) Grow(n int) {
	b.tops = append(make([]uint32, 0, n), b.tops...)[:n]
	b.occupied = b.occupied.Grow(n)
}

// Count returns the number of buckets.
func (b *Buckets[K, T]) Count() int { return len(b.tops) }

// Len returns the number of pending entries.
func (b *Buckets[K, T]) Len() int { return b.ids.Used() }

// From returns the first bucket at or after i that holds entries, dead ones
// included, or -1.
func (b *Buckets[K, T]) From(i int) int { return b.occupied.From(i) }

// Has reports whether bucket i holds entries, dead ones included. O(1).
func (b *Buckets[K, T]) Has(i int) bool { return b.occupied.Has(i) }

// Add puts an entry into bucket i and returns its ID, or 0 if no more fit. O(1).
func (b *Buckets[K, T]) Add(i int, key K, val T) schedulers.ID {
	id := b.ids.Take()
	if id == 0 {
		return 0
	}
	// This is push, written out to save the call.
	pos := b.tops[i]
	if pos&blockMask == 0 {
		pos = b.extend(i)
	}
	bl, at := b.blocks.Val(pos>>blockBits), pos&blockMask
	bl.keys[at], bl.ids[at], bl.vals[at] = key, id, val
	b.tops[i] = pos + 1
	return id
}

// Cancel makes id invalid and leaves its entry dead. O(1).
func (b *Buckets[K, T]) Cancel(id schedulers.ID) bool {
	if !b.ids.Drop(id) {
		return false
	}
	b.held++
	if b.due--; b.due < 0 {
		b.sweepIfDue()
	}
	return true
}

// All yields every pending entry.
func (b *Buckets[K, T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for i := b.From(0); i >= 0; i = b.From(i + 1) {
			if !b.each(i, yield) {
				return
			}
		}
	}
}

// each yields the pending entries of bucket i until yield returns false.
func (b *Buckets[K, T]) each(i int, yield func(schedulers.ID, T) bool) bool {
	b.finishSweep(i)
	for top := b.tops[i]; top != 0; top = b.below(top) {
		bl := b.blocks.Val((top - 1) >> blockBits)
		for at := range (top-1)&blockMask + 1 {
			id := bl.ids[at]
			if store.Valid(&b.ids, id) != 0 && !yield(id, bl.vals[at]) {
				return false
			}
		}
	}
	return true
}

// Counts returns the work counters with the present number of dead entries.
func (b *Buckets[K, T]) Counts() schedulers.Work {
	w := b.Work
	w.Held = uint64(b.held)
	return w
}
