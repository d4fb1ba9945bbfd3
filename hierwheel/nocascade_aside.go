package hierwheel

import (
	"cmp"
	"slices"

	"schedbench/internal/buckets"
)

// A slot of a level stands for one tick in each turn of the level. While
// everything that is due has been handed out, the ticks of what is pending at a
// level are less than a turn apart. But a caller whose buffer was too small may
// schedule more before it takes the rest, and then a slot could be needed for
// two ticks. So what is due leaves the slots at that moment, for a queue: each
// value moves into aside, and once more into late when those before it are out.

// setAside moves what is due out of the slots. O(1) for each value.
func (w *NoCascade[T]) setAside() {
	for {
		level, tick := w.earliest()
		if tick > w.reached {
			w.behind = false
			return
		}
		if i := w.bucket(level, tick); w.entries.Has(i) {
			w.entries.Work.Slots++
			w.entries.Work.Moves += uint64(w.entries.Scatter(i, func(uint64) int { return aside }))
			w.waiting = true
		}
		w.first[level] = w.after(level)
	}
}

// drainWaiting hands out what setAside left, in the order of ticks.
func (w *NoCascade[T]) drainWaiting(due []T) (n int) {
	n = w.entries.Drain(late, due)
	for n < len(due) && w.entries.Has(aside) {
		w.sortAside()
		n += w.entries.Drain(late, due[n:])
	}
	w.waiting = w.entries.Has(late) || w.entries.Has(aside)
	return n
}

// sortAside moves all of aside into late, which is empty. O(n log n) for n
// values.
func (w *NoCascade[T]) sortAside() {
	sorted, _ := w.entries.Extract(aside, never, func(tick uint64) uint64 { return tick }, w.sorted[:0])
	slices.SortFunc(sorted, func(a, b buckets.Late[T]) int { return cmp.Compare(a.Tick, b.Tick) })
	for _, l := range slices.Backward(sorted) { // the bucket is a stack
		w.entries.Put(late, l)
	}
	clear(sorted)
	if w.sorted = sorted[:0]; cap(sorted) > keepSorted {
		w.sorted = nil
	}
}

// keepSorted is the largest number of values that sortAside keeps room for.
const keepSorted = 1024
