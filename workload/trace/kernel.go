package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"schedbench/internal/minheap"
	"schedbench/internal/words"
)

// kernel reads the timer events of the Linux kernel. Lines go through stages that hold a bounded number of them:
//
//	lines ──▶ order: by time, within a window ──▶ pairs: what a cancel
//	          event stands for ──▶ numbers, delays ──▶ events
//
// The first stage holds the beginning back until it shows how many jiffies a second has, and which clock stamped them.
type kernel struct {
	f *File

	order minheap.Heap[raw]
	// newest is the latest time of an event that is held or was handed on, and passed the time of the last one handed
	// on.
	newest, passed time.Duration
	ahead          *raw // far ahead of all others: the next event shows whether time went on or this one is damaged
	known          bool // rate and clock are known, as far as can be
	rate           jiffies
	stamps         stamps

	pairs pairs

	zero    time.Duration // time stamp of the first event
	begun   bool
	timers  map[key]uint32 // numbers of pending timers
	numbers numbering

	inBuffer uint64 // how many events there are by the head of the text
	found    uint64 // how many there were
	err      error  // that ended the lines
}

const (
	window     = 10 * time.Millisecond // how far events may be out of order in time
	windowMost = 1 << 16               // how many events are held to put them in order, and how far the reader looks ahead
)

func newKernel(f *File, hz int) *kernel {
	k := &kernel{f: f, timers: map[key]uint32{}, pairs: pairs{open: map[key]int{}}}
	k.rate.hz, k.rate.given = hz, hz > 0
	k.order.Less = func(a, b *raw) bool { return a.at < b.at || a.at == b.at && a.line < b.line }
	return k
}

func (k *kernel) notes() []string { return words.Said(k.rate.String(), k.stamps.String()) }

// next goes on by a step, and stores an event if that brings one.
func (k *kernel) next(e *Event) (bool, error) {
	if r, ok := k.pairs.pop(); ok {
		return k.event(&r, e)
	}
	switch {
	case k.order.Len() > 0 || k.err == nil:
		k.advance()
	case len(k.pairs.open) > 0: // nothing more is to come
		for timer := range k.pairs.open {
			k.pairs.settle(timer)
		}
	default:
		return false, k.err
	}
	return false, nil
}

// advance hands an event on to be paired, reading lines until one is in its place.
func (k *kernel) advance() {
	for k.err == nil && !k.ready() {
		if k.err = k.read(); k.err != nil {
			k.err = cmp.Or(k.settle(nil), k.err)
		}
	}
	if !k.known { // nothing more is to be waited for
		k.rate.settle()
		k.stamps.begin(k.order.Items)
		k.known = true
	}
	if k.order.Len() == 0 {
		return
	}
	r := k.order.Pop()
	k.passed = r.at
	k.stamps.note(&r)
	k.pairs.push(r)
}

// ready reports whether the first event held can be handed on: no later line comes before it in time.
func (k *kernel) ready() bool {
	switch {
	case k.order.Len() == 0:
		return false
	case k.order.Len() >= windowMost:
		return true
	case !k.known && !(k.rate.sure() && k.stamps.seen >= sureStamps):
		return false
	}
	return k.newest-k.order.First().at > window
}

func (k *kernel) read() error {
	line, err := k.f.line()
	if errors.Is(err, errUnended) {
		err = cmp.Or(k.f.fault(Truncated, "the line has no end"), errEnded)
	}
	if errors.Is(err, errEnded) {
		k.f.counts.Missing = max(k.inBuffer, k.found) - k.found
		return io.EOF
	}
	if err != nil {
		return err
	}
	k.head(line)
	r, err := parseLine(line)
	var bad *SyntaxError
	if errors.As(err, &bad) {
		return k.f.fault(bad.Reason, "%s", bad.Detail)
	}
	r.line = k.f.counts.Lines
	return k.take(r)
}

// head takes note of how many events the text says it holds.
func (k *kernel) head(line []byte) {
	if k.found > 0 || !bytes.HasPrefix(line, []byte("# entries")) {
		return
	}
	var held, written uint64
	n, _ := fmt.Sscanf(string(line), "# entries-in-buffer/entries-written: %d/%d", &held, &written)
	if n == 2 && written >= held {
		k.inBuffer = held
		k.f.counts.Lost += min(written-held, math.MaxUint64-k.f.counts.Lost)
	}
}

// take puts an event where it belongs in time.
func (k *kernel) take(r raw) error {
	switch r.what {
	case noEvent:
		return nil
	case lost:
		k.f.counts.Lost += min(r.n, math.MaxUint64-k.f.counts.Lost)
		return nil
	}
	k.found++
	if r.what == ignored {
		k.f.counts.Ignored++
		return nil
	}
	if err := k.settle(&r); err != nil {
		return err
	}
	if r.at > k.newest+window {
		k.ahead = &r
		return nil
	}
	return k.place(r)
}

// settle puts the event that was far ahead in its place, or reports that it is damaged. next is the event after it, nil
// at the end.
func (k *kernel) settle(next *raw) error {
	r := k.ahead
	if k.ahead = nil; r == nil {
		return nil
	}
	if next != nil && next.at < r.at-window {
		return k.f.faultAt(r.line, OutOfOrder, "%v comes before %v, want them in order within %v", r.at, next.at, window)
	}
	return k.place(*r)
}

func (k *kernel) place(r raw) error {
	if latest := max(k.passed, k.newest-window); r.at < latest {
		return k.f.faultAt(r.line, OutOfOrder, "%v comes after %v, want them in order within %v", r.at, k.newest, window)
	}
	k.newest = max(k.newest, r.at)
	if r.knows {
		k.rate.note(r.at, r.jiffies)
	}
	if !k.known && r.timed() {
		k.stamps.seen++
	}
	k.order.Push(r)
	return nil
}
