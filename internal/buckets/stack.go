package buckets

import (
	"schedbench/internal/store"
	"schedbench/schedulers"
)

// push puts an entry on bucket i.
func (b *Buckets[K, T]) push(i int, key K, id schedulers.ID, val T) {
	pos := b.tops[i]
	if pos&blockMask == 0 {
		pos = b.extend(i)
	}
	bl := b.blocks.Val(pos >> blockBits)
	at := pos & blockMask
	bl.keys[at] = key
	bl.ids[at] = id
	bl.vals[at] = val
	b.tops[i] = pos + 1
}

// extend puts a block on bucket i and returns the position of its first entry,
// which the caller fills. There is always a block to be had, because each one in
// use holds at least one entry: see maxPending.
func (b *Buckets[K, T]) extend(i int) (pos uint32) {
	n, c := b.blocks.Alloc()
	if top := b.tops[i]; top != 0 {
		c.Link[0] = (top - 1) >> blockBits
	} else {
		c.Link[0] = store.None
		b.occupied.Add(i)
	}
	return n << blockBits
}

// pop takes the top entry off bucket i, which must have one, and returns its
// block and place. The entry can be read until the next push.
func (b *Buckets[K, T]) pop(i int) (bl *block[K, T], at uint32) {
	pos := b.tops[i] - 1
	bl, at = b.blocks.Val(pos>>blockBits), pos&blockMask
	if at != 0 {
		b.tops[i] = pos
	} else {
		b.dropBlock(i)
	}
	return bl, at
}

// dropBlock takes the highest block off bucket i.
func (b *Buckets[K, T]) dropBlock(i int) {
	n := (b.tops[i] - 1) >> blockBits
	if b.tops[i] = b.below(b.tops[i]); b.tops[i] == 0 {
		b.occupied.Remove(i)
	}
	b.blocks.Free(n, b.blocks.Cell(n))
}

// below returns the top that a bucket whose top is given would have without
// its highest block.
func (b *Buckets[K, T]) below(top uint32) uint32 {
	n := b.blocks.Cell((top - 1) >> blockBits).Link[0]
	if n == store.None {
		return 0
	}
	return (n + 1) << blockBits
}

// remove takes entry at of block n out of bucket i, putting the top one in its
// place.
func (b *Buckets[K, T]) remove(i int, n, at uint32) {
	dst := b.blocks.Val(n)
	src, from := b.pop(i)
	dst.keys[at] = src.keys[from]
	dst.ids[at] = src.ids[from]
	dst.vals[at] = src.vals[from]
	b.Work.Moves++
	b.erase(src, from)
}

// erase makes the garbage collector forget a value that has left.
func (b *Buckets[K, T]) erase(bl *block[K, T], at uint32) {
	if b.clear {
		var zero T
		bl.vals[at] = zero
	}
}
