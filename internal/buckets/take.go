package buckets

import (
	"math/bits"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// Batch is the largest number of entries that are taken out of a bucket at once.
const Batch = 64

// Take takes up to limit entries out of bucket i, at most Batch, and returns their cells. The bucket is empty if they
// are fewer. The cells are valid until the next Step or Take. Each has to be given to Enqueue or Hand. Take only
// collects the numbers of cells: looking at an entry would delay the next ones.
func (b *Buckets[T]) Take(i int, limit int) []uint32 {
	limit = min(limit, Batch)
	if open := b.chains(i); open&(open-1) == 0 {
		return b.out[:b.takeChain(i, open, limit)]
	}
	w := &b.taking
	b.Start(w, i, never)
	n := 0
	for w.n > 0 && n < limit {
		n = b.takeRound(w, n, limit)
	}
	for x := range w.n { // what is left closes up behind what was taken
		h, front, back := w.head[x], w.front[x], w.back[x]
		head := b.cells.Cell(h)
		head.Link[next], head.Link[prev] = front, back
		b.cells.Cell(front).Link[prev] = h
		b.cells.Cell(back).Link[next] = h
	}
	return b.out[:n]
}

// takeChain is Take for a bucket with at most one chain, which open has as a bit.
func (b *Buckets[T]) takeChain(i int, open uint32, limit int) (n int) {
	if open == 0 {
		return 0
	}
	v := b.cells.View()
	h := uint32(bits.TrailingZeros32(open))*b.stride + uint32(i)
	head := v.Cell(h)
	at := head.Link[next]
	for at != h && n < limit {
		b.out[n&(Batch-1)] = at
		n++
		at = v.Cell(at).Link[next]
	}
	b.leave(v, i, h, head, at)
	return n
}

// leave makes at the first cell of the one chain of bucket i, after those before it have left. h is the head of the
// chain. If at is h, leave notes that the bucket is empty.
func (b *Buckets[T]) leave(v cells[T], i int, h uint32, head *node, at uint32) {
	if at == h {
		head.Gen = 0
		v.Cell(uint32(i)).Gen = 0
		b.occupied.Remove(i)
		return
	}
	head.Link[next] = at
	v.Cell(at).Link[prev] = h
}

// takeRound takes an entry from both ends of each chain, until there are limit.
func (b *Buckets[T]) takeRound(w *Walk, n, limit int) int {
	v := b.cells.View()
	for x := 0; x < w.n && n < limit; {
		front, back := w.front[x], w.back[x]
		after := v.Cell(front).Link[next]
		b.out[n&(Batch-1)] = front
		n++
		if front == back {
			b.taken(w, x)
			continue
		}
		w.front[x] = after
		if n == limit {
			break
		}
		before := v.Cell(back).Link[prev]
		b.out[n&(Batch-1)] = back
		n++
		if after == back {
			b.taken(w, x)
			continue
		}
		w.back[x] = before
		x++
	}
	return n
}

// taken notes that all of chain x was taken.
func (b *Buckets[T]) taken(w *Walk, x int) {
	b.shut(w.bucket, int(w.head[x]/b.stride))
	w.drop(x)
}

// Tick returns the tick of an entry that was taken out.
func (b *Buckets[T]) Tick(at uint32) uint64 { return tickOf(b.cells.Cell(at)) }

// Scatter takes up to limit entries out of bucket i and puts each into another bucket: place returns it for a tick. It
// returns how many there were: fewer than limit if the bucket is empty then. near means that they are going to be handed
// out soon. O(1) for each.
func (b *Buckets[T]) Scatter(i, limit int, near bool, place func(tick uint64) uint32) (n int) {
	v, chains := b.cells.View(), b.chain
	if b.Len() < fewNear {
		chains = 0
	}
	for n < limit {
		most := min(limit-n, Batch)
		out := b.Take(i, most)
		if near {
			b.touch(v, out)
		}
		for _, at := range out {
			c, chain := v.Cell(at), at
			if near {
				chain = b.near / sameChain
				b.near++
			}
			to := place(tickOf(c))
			b.link(v, at, c, chain&chains*b.stride+to, to)
			n++
		}
		if len(out) < most {
			break
		}
	}
	return n
}

// sameChain is how many entries that Scatter moves near, one after another, go to the same chains. Most buckets then have
// one chain. Where very many move, all will have left the cache when they are handed out, and a bucket gets several.
const sameChain = 1 << 12

// fewNear is how many entries need no other chains: they stay in the cache. Each new chain would take a page of heads.
const fewNear = 1 << 17

// touch reads the values of entries: they are then in the cache when they are handed out, each from a bucket of its own.
func (b *Buckets[T]) touch(v cells[T], out []uint32) {
	for _, at := range out {
		_, val := v.Both(at)
		b.touched = *val
	}
	if b.clear {
		var zero T
		b.touched = zero
	}
}

// Hand gives an entry that was taken out back to the store, and returns its value. O(1).
func (b *Buckets[T]) Hand(at uint32) T {
	c, v := b.cells.Both(at)
	val := *v
	b.release(at, c)
	return val
}

// Drain hands out the entries of bucket i, in no order, until due is full or the bucket empty, and returns how many.
func (b *Buckets[T]) Drain(i int, due []T) (n int) {
	if open := b.chains(i); open&(open-1) == 0 {
		return b.drainChain(i, open, due)
	}
	for n < len(due) {
		limit := min(len(due)-n, Batch)
		out := b.Take(i, limit)
		v := b.cells.View()
		for j, at := range out { // nothing else: many values are waited for together
			_, val := v.Both(at)
			due[n+j] = *val
		}
		for _, at := range out {
			b.release(at, v.Cell(at))
		}
		n += len(out)
		if len(out) < limit {
			break
		}
	}
	return n
}

// drainChain is Drain for a bucket with at most one chain, which open has as a bit.
func (b *Buckets[T]) drainChain(i int, open uint32, due []T) (n int) {
	if open == 0 {
		return 0
	}
	v := b.cells.View()
	h := uint32(bits.TrailingZeros32(open))*b.stride + uint32(i)
	head := v.Cell(h)
	at := head.Link[next]
	for at != h && n < len(due) {
		c, val := v.Both(at)
		due[n] = *val
		n++
		after := c.Link[next]
		if b.clear {
			b.erase(at)
		}
		if b.cells.End(at, c) {
			b.cells.Settle(at, c)
		}
		at = after
	}
	b.leave(v, i, h, head, at)
	return n
}

// AddLast puts an entry at the end of the queue and returns its ID, or 0 if no more fit. O(1).
func (b *Buckets[T]) AddLast(tick uint64, val T) schedulers.ID {
	at := b.cells.First()
	if at == store.None {
		if at = b.refill(); at == store.None {
			return 0
		}
	}
	c, to := b.cells.Both(at)
	b.cells.Begin(c)
	setTick(c, tick)
	*to = val
	b.Enqueue(at)
	return schedulers.MakeID(at, c.Gen)
}

// MoveLast puts the entry of id, which keeps its ID, at the end of the queue, and reports whether it was pending. O(1).
func (b *Buckets[T]) MoveLast(id schedulers.ID, tick uint64) bool {
	v := b.cells.View()
	c := v.Find(id.Cell(), id.Generation())
	if c == nil {
		return false
	}
	unlink(v, c)
	setTick(c, tick)
	b.Enqueue(id.Cell())
	return true
}

// Enqueue puts an entry that was taken out at the end of the queue. O(1).
func (b *Buckets[T]) Enqueue(at uint32) {
	c, q := b.cells.Cell(at), b.cells.Cell(b.queue)
	before := q.Link[prev]
	c.Link[next], c.Link[prev] = b.queue, before
	b.cells.Cell(before).Link[next] = at
	q.Link[prev] = at
}

// Queued reports whether the queue holds an entry. O(1).
func (b *Buckets[T]) Queued() bool { return b.cells.Cell(b.queue).Link[next] != b.queue }

// Dequeue hands out the entries of the queue, the first first, until due is full or the queue empty, and returns how many.
func (b *Buckets[T]) Dequeue(due []T) (n int) {
	q := b.cells.Cell(b.queue)
	at := q.Link[next]
	for ; n < len(due) && at != b.queue; n++ {
		c, v := b.cells.Both(at)
		due[n] = *v
		after := c.Link[next]
		b.release(at, c)
		at = after
	}
	q.Link[next] = at
	b.cells.Cell(at).Link[prev] = b.queue
	return n
}
