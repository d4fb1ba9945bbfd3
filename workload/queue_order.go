package workload

import (
	"cmp"
	"math/bits"
	"slices"
)

// sorter sorts the events of a bucket.
type sorter struct {
	counts [1025]uint32
	other  []event
	moves  int // of events by insertion, in all
}

// maxBin is how many events in one bin are still sorted by insertion.
const maxBin = 24

// sort returns the events in order. It distributes them over bins of equal
// width, about one event to a bin, and then inserts each where it belongs, which
// is near by unless times are crowded. It may return another slice, and keeps
// the one passed in.
func (s *sorter) sort(events []event, start int64, shift uint) []event {
	if len(events) <= 12 {
		s.moves += insertionSort(events)
		return events
	}
	digits := min(uint(bits.Len(uint(len(events)))), 10, shift)
	down := shift - digits
	counts := s.counts[:1<<digits+1]
	clear(counts)
	for i := range events {
		counts[(events[i].at-start)>>down+1]++
	}
	crowded := slices.Max(counts) > maxBin
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	out := slices.Grow(s.other[:0], len(events))[:len(events)]
	for i := range events {
		bin := &counts[(events[i].at-start)>>down]
		out[*bin] = events[i]
		*bin++
	}
	s.other = events
	if crowded && down > 0 {
		slices.SortFunc(out, compareEvents)
	} else {
		s.moves += insertionSort(out)
	}
	return out
}

func compareEvents(a, b event) int { return cmp.Compare(a.at, b.at) }

// insertionSort sorts in place: O(n) if nothing is far from where it belongs. It
// returns how often an event was moved out of the way.
func insertionSort(events []event) (moves int) {
	for i := 1; i < len(events); i++ {
		e := events[i]
		k := i
		for ; k > 0 && events[k-1].at > e.at; k-- {
			events[k] = events[k-1]
		}
		moves += i - k
		events[k] = e
	}
	return moves
}

// eventHeap is a 4-ary min-heap of events.
type eventHeap []event

func (h *eventHeap) push(e event) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 4
		if s[up].at <= e.at {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = e
}

func (h *eventHeap) pop() event {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		child := 4*i + 1
		if child >= len(s) {
			break
		}
		least := child
		for k := child + 1; k < min(child+4, len(s)); k++ {
			if s[k].at < s[least].at {
				least = k
			}
		}
		if s[least].at >= last.at {
			break
		}
		s[i] = s[least]
		i = least
	}
	if len(s) > 0 {
		s[i] = last
	}
	return top
}
