package buckets

import "math"

// Walk is where a walk through the chains of a bucket has come to: from both ends
// of each towards its middle.
type Walk struct {
	// Least is the first tick of the entries that have been seen and stay.
	Least uint64

	n           int // chains that have not been seen as a whole
	head        [mostChains]uint32
	front, back [mostChains]uint32 // the next to be seen; the same if it is the only one
}

// Start begins a walk through bucket i, and returns false if it is empty.
func (b *Buckets[T]) Start(w *Walk, i int) bool {
	w.Least, w.n = math.MaxUint64, 0
	for x := range b.chain + 1 {
		h := x*b.stride + uint32(i)
		head := b.cells.Cell(h)
		if head.Gen == idle || head.Link[next] == h {
			continue
		}
		w.head[w.n], w.front[w.n], w.back[w.n] = h, head.Link[next], head.Link[prev]
		w.n++
	}
	return w.n > 0
}

// drop ends the walk through chain x, which has been seen as a whole; the last chain
// takes its place.
func (w *Walk) drop(x int) {
	w.n--
	w.head[x], w.front[x], w.back[x] = w.head[w.n], w.front[w.n], w.back[w.n]
}

// Step goes on with a walk and takes out the entries that it sees with a tick not
// after the given one, no more than Batch. It returns their cells, which are valid
// until the next Step or Take, and whether there is more to see. Each has to be given
// to Put, Enqueue or Hand. Meanwhile nothing may be done to the bucket.
func (b *Buckets[T]) Step(w *Walk, tick uint64) (due []uint32, more bool) {
	n := 0
	for w.n > 0 && n <= Batch-2*mostChains {
		n = b.round(w, tick, n)
	}
	return b.out[:n], w.n > 0
}

// round sees an entry at both ends of each chain, and adds what is due to b.out, of
// which n are in use.
func (b *Buckets[T]) round(w *Walk, tick uint64, n int) int {
	least, v := w.Least, b.cells.View()
	for x := 0; x < w.n; {
		front, back := w.front[x], w.back[x]
		f, l := v.Cell(front), v.Cell(back)
		after, before := f.Link[next], l.Link[prev]
		b.Work.Visits++
		if t := tickOf(f); t > tick {
			least = min(least, t)
		} else {
			unlink(v, f)
			b.out[n&(Batch-1)] = front
			n++
		}
		if front == back {
			w.drop(x)
			continue
		}
		b.Work.Visits++
		if t := tickOf(l); t > tick {
			least = min(least, t)
		} else {
			unlink(v, l)
			b.out[n&(Batch-1)] = back
			n++
		}
		if after == back {
			w.drop(x)
			continue
		}
		w.front[x], w.back[x] = after, before
		x++
	}
	w.Least = least
	return n
}
