// Package buckets keeps the entries of the two wheels whose slots hold many timers at once: with rounds, and hierarchical.
//
// An entry is a cell of a store, and a bucket is a few chains of cells, doubly
// linked by index in a ring that begins at a cell of its own, the head:
//
//	        head of chain 0 ⇄ cell ⇄ cell ⇄ cell ⇄ (the head)
//	bucket
//	        head of chain 1 ⇄ cell ⇄ cell ⇄ (the head)
//
//	cell    generation  next  previous  tick        and apart from it the value
//
// Each cell has two neighbours: Cancel needs no branch on where a cell is. A branch would wait for the cell, which is
// not in the cache at a million timers.
//
// In a chain each cell has to arrive before the next one is known. So a bucket has several chains, more of them when
// more timers are pending, and each is read from both ends: their cells arrive at the same time. The wheel with rounds
// has one chain a bucket. A single chain has few cells, or cells that were just moved: Take and Drain find them in the
// cache, and read the chain from one end.
//
// # What a call does at most
//
// Add, Cancel and Move do the work of their own entry, and at most MaxUpkeep steps of upkeep. They do not look whether a
// bucket has become empty; that is done when its turn comes. Taking, walking and looking for a bucket do O(1) for each
// entry that they see and each chain.
//
// See docs/decisions/0017-linked-cells.md for what else was measured.
package buckets

import (
	"iter"
	"math/bits"
	"reflect"

	"schedbench/internal/bitset"
	"schedbench/internal/store"
	"schedbench/schedulers"
)

// Links of a cell. The first two make the chain, and the others are the tick.
const (
	next = iota
	prev
	low
	high
)

// node is an entry without its value, or the head of a chain.
type node = store.Cell[[4]uint32]

const (
	// mostChains is the largest number of chains of a bucket: their ends are as many cells as a processor waits for at once.
	mostChains = 8
	// entriesPerChain is how many entries a bucket has on average before the number of chains doubles. One more chain
	// costs a head to look at, and pays where cells are not in the cache.
	entriesPerChain = 16
	// mostHeads bounds the heads that more than one chain to a bucket would make.
	mostHeads = 1 << 24

	// Max is the largest number of buckets.
	Max = 3 << 30
)

// MaxUpkeep is the largest number of steps that a call does for others than its own entry: those of the store, and
// opening a chain.
const MaxUpkeep = store.MaxUpkeep + 1

// Buckets is an array of buckets, and a queue beside it. Make one with New.
type Buckets[T any] struct {
	cells store.Store[[4]uint32, T]

	stride   uint32 // the head of chain x of bucket i is cell x*stride + i
	chain    uint32 // a mask: the number of chains in use, a power of two, less one. See New
	most     uint32 // the same, of those that may be
	spread   int
	near     uint32     // how many entries Scatter has moved near
	occupied bitset.Set // buckets with an open chain
	queue    uint32     // the head of the queue
	clear    bool       // T has pointers, so values are erased when they leave

	// Opened says that a bucket has become occupied. The owner resets it.
	Opened bool
	Work   schedulers.Work

	out     [Batch]uint32 // what Take and Step return
	taking  Walk
	touched T // what touch read: the compiler keeps the reads
}

// New returns n empty buckets, n at most Max, of which spread buckets hold most of the entries. The index of an entry's
// cell decides which chain of a bucket it joins; Scatter may choose another.
func New[T any](n, spread int) Buckets[T] { return newBuckets[T](n, spread, mostChains) }

// NewPlain is New with one chain to a bucket, however many are pending.
func NewPlain[T any](n int) Buckets[T] { return newBuckets[T](n, n, 1) }

func newBuckets[T any](n, spread, most int) Buckets[T] {
	chains := 1
	for chains < most && 2*chains*n <= mostHeads {
		chains *= 2
	}
	queue := chains * n
	if queue > store.PageLen { // a page without open heads, since it stands for those that are not made
		queue = (queue + store.PageLen - 1) / store.PageLen * store.PageLen
	}
	b := Buckets[T]{
		cells:    store.NewReserved[[4]uint32, T](queue/store.PageLen + 1),
		stride:   uint32(n),
		most:     uint32(chains - 1),
		spread:   spread,
		occupied: bitset.New(n),
		queue:    uint32(queue),
		clear:    store.HasPointers(reflect.TypeFor[T]()),
	}
	q := b.cells.Reserve(b.queue)
	q.Link[next], q.Link[prev] = b.queue, b.queue
	for i := range uint32(min(n, store.PageLen)) { // made and touched now, not when many entries move there at once
		setTick(b.cells.Reserve(i), never)
	}
	return b
}

// Len returns the number of pending entries. O(1).
func (b *Buckets[T]) Len() int { return b.cells.Used() }

// Add puts an entry into bucket i and returns its ID, or 0 if no more fit. O(1).
func (b *Buckets[T]) Add(i uint32, tick uint64, val T) schedulers.ID {
	at := b.cells.First()
	if at == store.None {
		if at = b.refill(); at == store.None {
			return 0
		}
	}
	v := b.cells.View()
	c, to := v.Both(at)
	b.cells.Begin(c)
	c.Link[low], c.Link[high] = uint32(tick), uint32(tick>>32)
	*to = val

	// This is link, written out to save the call.
	h := at&b.chain*b.stride + i
	head := v.Cell(h)
	if head.Gen&open == 0 {
		head = b.begin(h, i)
	}
	after := head.Link[next]
	c.Link[next], c.Link[prev] = after, h
	head.Link[next] = at
	v.Cell(after).Link[prev] = at
	return schedulers.ID(uint64(c.Gen)<<32 | uint64(at))
}

// chains returns how many chains a bucket has when most of the pending entries are in spread buckets: at most most.
func chains(spread, pending, most int) int {
	for chains := 1; chains < most; chains *= 2 {
		if pending <= chains*spread*entriesPerChain {
			return chains
		}
	}
	return most
}

// refill returns the cell to be taken next when the store has to look for one.
func (b *Buckets[T]) refill() uint32 {
	b.chain = max(b.chain, uint32(chains(b.spread, b.Len(), int(b.most)+1)-1))
	return b.cells.Refill()
}

// Cancel takes the entry of id out, and reports whether it was pending. O(1).
func (b *Buckets[T]) Cancel(id schedulers.ID) bool {
	at := uint32(id)
	v := b.cells.View()
	c := v.Find(at, uint32(id>>32))
	if c == nil {
		return false
	}
	unlink(v, c)
	if b.clear {
		b.erase(at)
	}
	if b.cells.End(at, c) {
		b.cells.Settle(at, c)
	}
	return true
}

// Move puts the entry of id, which keeps its ID, into bucket i, and reports whether it was pending. O(1).
//
// An entry whose tick is not before stay, and that is put off by at most half of the time from now to its tick, stays where it
// is, and Scatter sees its new tick. Three such calls come before that, and one look more costs less than three moves.
func (b *Buckets[T]) Move(id schedulers.ID, i uint32, tick, now, stay uint64) bool {
	at := uint32(id)
	v := b.cells.View()
	c := v.Find(at, uint32(id>>32))
	if c == nil {
		return false
	}
	was := uint64(c.Link[low]) | uint64(c.Link[high])<<32 // tickOf would be called
	c.Link[low], c.Link[high] = uint32(tick), uint32(tick>>32)
	_, early := bits.Sub64(was, stay, 0)
	_, far := bits.Sub64((was-now)/2, tick-was, 0) // 1 also if tick is before was
	if early|far != 0 {                            // one branch: two are predicted badly
		unlink(v, c)
		b.link(v, at, c, at&b.chain*b.stride+i, i)
	}
	return true
}

// First returns the value of an entry of bucket i. ok is false if the bucket is empty. O(1) for each chain.
func (b *Buckets[T]) First(i int) (val T, ok bool) {
	for open := b.chains(i); open != 0; open &= open - 1 {
		h, head := b.head(i, bits.TrailingZeros32(open))
		if at := head.Link[next]; at != h {
			return *b.cells.Val(at), true
		}
	}
	return val, false
}

// All yields every pending entry.
func (b *Buckets[T]) All() iter.Seq2[schedulers.ID, T] {
	return func(yield func(schedulers.ID, T) bool) {
		for at, c := range b.cells.All() {
			if !yield(schedulers.MakeID(at, c.Gen), *b.cells.Val(at)) {
				return
			}
		}
	}
}

// Counts returns the work counters.
func (b *Buckets[T]) Counts() schedulers.Work {
	w := b.Work
	w.Upkeep += b.cells.Upkeep()
	return w
}

// release gives back cell at, which is c and in no chain.
func (b *Buckets[T]) release(at uint32, c *node) {
	if b.clear {
		b.erase(at)
	}
	if b.cells.End(at, c) {
		b.cells.Settle(at, c)
	}
}

// erase makes the garbage collector forget a value that has left.
func (b *Buckets[T]) erase(at uint32) {
	var zero T
	*b.cells.Val(at) = zero
}
