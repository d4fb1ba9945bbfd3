package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"schedbench/internal/words"
)

// kernel reads the timer events of the Linux kernel. It holds all of a recording, some 80 bytes an event: only the whole shows
// how many jiffies a second has, and which clock stamped the events.
//
//	lines ──▶ inOrder: by time ──▶ pair: what a cancel event stands for ──▶ event: numbers, delays
type kernel struct {
	f      *File
	hz     int   // as given, or 0
	all    []raw // those that have not been returned
	rate   jiffies
	stamps stamps

	zero    time.Duration  // time stamp of the first event
	timers  map[key]uint32 // numbers of pending timers
	numbers numbering

	inBuffer uint64 // how many events there are by the head of the text
	found    uint64 // how many there were
	err      error  // that ended the lines
}

// window is how far events may be out of order in time.
const window = 10 * time.Millisecond

func (k *kernel) notes() []string { return words.Said(k.rate.String(), k.stamps.String()) }

// next stores the next event, if it is one of the trace.
func (k *kernel) next(e *Event) (bool, error) {
	if k.err == nil {
		k.load()
	}
	if len(k.all) == 0 {
		return false, k.err
	}
	r := &k.all[0]
	k.all = k.all[1:]
	k.stamps.note(r)
	return k.event(r, e)
}

// load reads all lines up to an error.
func (k *kernel) load() {
	for k.err == nil {
		k.err = k.read()
	}
	k.err = cmp.Or(k.inOrder(), k.err)
	pair(k.all)
	k.rate = rateOf(k.all, k.hz)
	k.stamps.begin(k.all)
	if len(k.all) > 0 {
		k.zero = k.all[0].at
	}
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
	k.take(r)
	return nil
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

func (k *kernel) take(r raw) {
	switch r.what {
	case noEvent:
	case lost:
		k.f.counts.Lost += min(r.n, math.MaxUint64-k.f.counts.Lost)
	case ignored:
		k.found++
		k.f.counts.Ignored++
	default:
		k.found++
		k.all = append(k.all, r)
	}
}

// inOrder puts the events in order of time. An event is damaged if it is far behind the latest, or far ahead of the latest
// and of the next.
func (k *kernel) inOrder() (err error) {
	kept, newest := k.all[:0], time.Duration(0)
	for i, r := range k.all {
		switch {
		case r.at > newest+window && i+1 < len(k.all) && k.all[i+1].at < r.at-window:
			err = k.f.faultAt(r.line, OutOfOrder, "%v comes before %v, want them in order within %v", r.at, k.all[i+1].at, window)
		case r.at < newest-window:
			err = k.f.faultAt(r.line, OutOfOrder, "%v comes after %v, want them in order within %v", r.at, newest, window)
		default:
			kept, newest = append(kept, r), max(newest, r.at)
		}
		if err != nil {
			break
		}
	}
	k.all = kept
	slices.SortStableFunc(kept, func(a, b raw) int { return cmp.Compare(a.at, b.at) })
	return err
}

// holdFor is the longest time from a cancel event to its expiry: an interrupt may come between.
const holdFor = 10 * time.Millisecond

// pair finds out what a cancel event stands for, which the kernel also emits when a timer is re-armed or expires:
//
//	start after cancel   the next event of that CPU: a reset, unless the start says that the timer was not armed
//	expire after cancel  the next event of that timer, on that CPU, within holdFor: an expiry
//	anything else        a cancellation
func pair(all []raw) {
	latest := map[int32]*raw{} // by CPU
	cancels := map[key]*raw{}  // those that may be something else
	for i := range all {
		r := &all[i]
		if before := cancels[r.key]; before != nil && r.at-before.at <= holdFor {
			switch {
			case r.what == expire && r.cpu == before.cpu:
				before.what = ignored
			case r.what == start && r.was == armedUnsaid && latest[r.cpu] == before:
				before.what, r.was = ignored, armedYes
			}
		}
		delete(cancels, r.key)
		if r.what == cancel {
			cancels[r.key] = r
		}
		latest[r.cpu] = r
	}
}
