package buckets

import "math/bits"

// Walk is the state of a walk through the chains of a bucket, from both ends of each towards its middle.
type Walk struct {
	bucket      int
	n           int // chains that have not been seen as a whole
	head        [mostChains]uint32
	front, back [mostChains]uint32 // the next to be seen; the same if it is the only one
	least       [mostChains]uint64 // the first tick of those that have been seen and stay
}

// Start begins a walk through the chains of bucket i that may hold a tick not after the given one. It returns false if
// there are none.
func (b *Buckets[T]) Start(w *Walk, i int, tick uint64) bool {
	w.bucket, w.n = i, 0
	for open := b.chains(i); open != 0; open &= open - 1 {
		x := bits.TrailingZeros32(open)
		h, head := b.head(i, x)
		switch {
		case head.Link[next] == h:
			b.shut(i, x)
		case tick == never || tickOf(head) <= tick:
			w.head[w.n], w.front[w.n], w.back[w.n], w.least[w.n] = h, head.Link[next], head.Link[prev], never
			w.n++
		}
	}
	return w.n > 0
}

// drop ends the walk through chain x, which has been seen as a whole. The last chain takes its place.
func (w *Walk) drop(x int) {
	w.n--
	w.head[x], w.front[x], w.back[x], w.least[x] = w.head[w.n], w.front[w.n], w.back[w.n], w.least[w.n]
}

// Step goes on with a walk and takes out the entries that it sees with a tick not after the given one, at most Batch.
// It returns their cells, and whether there is more to see. The cells are valid until the next Step or Take. Each has to
// be given to Enqueue or Hand. Meanwhile nothing may be done to the bucket.
func (b *Buckets[T]) Step(w *Walk, tick uint64) (due []uint32, more bool) {
	n := 0
	for w.n > 0 && n <= Batch-2*mostChains {
		n = b.round(w, tick, n)
	}
	return b.out[:n], w.n > 0
}

// round sees an entry at both ends of each chain, and adds the due ones to b.out, of which n are in use.
func (b *Buckets[T]) round(w *Walk, tick uint64, n int) int {
	v, seen := b.cells.View(), uint64(0)
	for x := 0; x < w.n; {
		front, back := w.front[x], w.back[x]
		f, l := v.Cell(front), v.Cell(back)
		after, before := f.Link[next], l.Link[prev]
		least := w.least[x]
		seen++
		if t := tickOf(f); t > tick {
			least = min(least, t)
		} else {
			unlink(v, f)
			b.out[n&(Batch-1)] = front
			n++
		}
		if front != back {
			seen++
			if t := tickOf(l); t > tick {
				least = min(least, t)
			} else {
				unlink(v, l)
				b.out[n&(Batch-1)] = back
				n++
			}
		}
		if front == back || after == back {
			setTick(v.Cell(w.head[x]), least)
			w.drop(x)
			continue
		}
		w.front[x], w.back[x], w.least[x] = after, before, least
		x++
	}
	b.Work.Visits += seen
	return n
}
