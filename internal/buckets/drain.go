package buckets

import (
	"schedbench/internal/store"
	"schedbench/schedulers"
)

// Drain hands out the pending entries of bucket i until due is full or the
// bucket empty, and returns how many.
func (b *Buckets[K, T]) Drain(i int, due []T) (n int) {
	b.finishSweep(i)
	for n < len(due) && b.tops[i] != 0 {
		bl, at := b.pop(i)
		if at&(together-1) == together-1 {
			b.fetch(bl, at)
		}
		id := bl.ids[at]
		if b.ids.Drop(id) {
			due[n] = bl.vals[at]
			n++
		} else {
			b.held--
		}
		b.erase(bl, at)
	}
	b.fired(n)
	return n
}

// together is how many entries have their generations fetched at once, a power of
// two.
const together = 8

// fetch reads the generations of the entry at and of those below it that are
// drained next. Each is a random access to memory, and reads that do not depend
// on each other are waited for together; a caller that takes one value at a time,
// as a driver does, would wait for each by itself.
func (b *Buckets[K, T]) fetch(bl *block[K, T], at uint32) {
	var valid uint32
	for _, id := range bl.ids[at&^(together-1) : at+1] {
		valid += store.Valid(&b.ids, id)
	}
	b.fetched = valid
}

// Trim drops dead entries off the top of bucket i until one is pending, and
// reports whether there is one.
func (b *Buckets[K, T]) Trim(i int) bool {
	b.finishSweep(i)
	for top := b.tops[i]; top != 0; top = b.tops[i] {
		id := b.blocks.Val((top - 1) >> blockBits).ids[(top-1)&blockMask]
		if store.Valid(&b.ids, id) != 0 {
			return true
		}
		b.erase(b.pop(i))
		b.held--
	}
	return false
}

// Scatter empties bucket i, puts each pending entry into the bucket that place
// returns for its key, and returns how many it moved.
func (b *Buckets[K, T]) Scatter(i int, place func(key K) int) (n int) {
	b.finishSweep(i)
	for b.tops[i] != 0 {
		bl, at := b.pop(i)
		key, id, val := bl.keys[at], bl.ids[at], bl.vals[at]
		b.erase(bl, at)
		if store.Valid(&b.ids, id) != 0 {
			b.push(place(key), key, id, val)
			n++
		} else {
			b.held--
		}
	}
	return n
}

// Countdown takes passes off the key of every entry in bucket i. Entries that
// had fewer than passes left are due: each is handed out while due has room,
// and moved to bucket rest after that. It returns how many it handed out, and
// the smallest key that stays, if any. Dead entries are dropped when they are
// due.
//
// Holes are filled from the top, and the walk begins there, so an entry that
// fills a hole has had its turn.
func (b *Buckets[K, T]) Countdown(i int, passes K, due []T, rest int) (n int, least K) {
	least = ^K(0)
	b.finishSweep(i)
	for top := b.tops[i]; top != 0; {
		lower := b.below(top)
		block := (top - 1) >> blockBits
		bl := b.blocks.Val(block)
		b.Work.Visits += uint64((top-1)&blockMask + 1)
		for at := (top - 1) & blockMask; at < blockLen; at-- { // down to 0, then wraps
			key := bl.keys[at]
			if key >= passes {
				bl.keys[at] = key - passes
				least = min(least, key-passes)
				continue
			}
			id := bl.ids[at]
			switch {
			case store.Valid(&b.ids, id) == 0:
				b.held--
			case n < len(due):
				due[n] = bl.vals[at]
				n++
				b.ids.Drop(id)
			default:
				b.push(rest, 0, id, bl.vals[at])
			}
			b.remove(i, block, at)
		}
		top = lower
	}
	b.fired(n)
	return n, least
}

// Late is an entry that Extract took out, with the tick that orders it.
type Late[T any] struct {
	Tick uint64
	id   schedulers.ID
	val  T
}

// Extract takes the entries that have fewer than passes left out of bucket i
// and appends them to late, and takes passes off the others. tick tells the
// tick of an entry from its key. It returns late and the smallest key that
// stays, if any.
func (b *Buckets[K, T]) Extract(i int, passes uint64, tick func(K) uint64, late []Late[T]) ([]Late[T], K) {
	least := ^K(0)
	b.finishSweep(i)
	for top := b.tops[i]; top != 0; {
		lower := b.below(top)
		block := (top - 1) >> blockBits
		bl := b.blocks.Val(block)
		b.Work.Visits += uint64((top-1)&blockMask + 1)
		for at := (top - 1) & blockMask; at < blockLen; at-- { // down to 0, then wraps
			key := bl.keys[at]
			if uint64(key) >= passes {
				bl.keys[at] = key - K(passes)
				least = min(least, bl.keys[at])
				continue
			}
			if id := bl.ids[at]; store.Valid(&b.ids, id) != 0 {
				late = append(late, Late[T]{tick(key), id, bl.vals[at]})
			} else {
				b.held--
			}
			b.remove(i, block, at)
		}
		top = lower
	}
	return late, least
}

// Put adds an entry that Extract took out to bucket i.
func (b *Buckets[K, T]) Put(i int, l Late[T]) { b.push(i, 0, l.id, l.val) }
