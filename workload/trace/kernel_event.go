package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// event makes an event of the trace of one of the kernel, and reports whether the trace has it.
func (k *kernel) event(r *raw, e *Event) (bool, error) {
	if !k.begun {
		k.begun, k.zero = true, r.at
	}
	*e = Event{At: r.at - k.zero}
	if r.what != start {
		e.Kind = Cancel
		if r.what == expire {
			e.Kind = Fire
		}
		e.Timer = k.ended(r.key)
		return true, nil
	}
	ok, err := k.delay(r, e)
	if !ok || err != nil {
		return false, err
	}
	return true, k.armed(r, e)
}

// ended returns the number of a timer that is no longer pending: a new one if it was armed before the recording began.
func (k *kernel) ended(timer key) uint64 {
	n, ok := k.timers[timer]
	if !ok {
		n = k.unused()
	}
	delete(k.timers, timer)
	k.numbers.free = append(k.numbers.free, n)
	return uint64(n)
}

// maxNumbers bounds the numbers that are used, and so the list of those that are free. It is more than can be pending.
const maxNumbers = 2 * MaxPending

// unused returns a number that was never used, as long as there is one.
func (k *kernel) unused() uint32 {
	if k.numbers.used == maxNumbers {
		return k.numbers.reuse()
	}
	return k.numbers.fresh()
}

func (k *kernel) armed(r *raw, e *Event) error {
	n, pending := k.timers[r.key]
	e.Kind = Schedule
	if r.was == armedYes {
		e.Kind = Reset
	}
	switch {
	case pending && r.was != armedYes:
		k.f.counts.Unended++
	case pending:
	case len(k.timers) >= MaxPending:
		return fmt.Errorf("%s:%d: %w", k.f.name, r.line, errPending)
	case e.Kind == Reset: // armed before the recording began
		n = k.unused()
	default:
		n = k.numbers.reuse()
	}
	k.timers[r.key] = n
	e.Timer = uint64(n)
	return nil
}

// delay works out how long ahead a timer is armed. It is false for a timer that has to be left out.
func (k *kernel) delay(r *raw, e *Event) (bool, error) {
	d, clamped := time.Duration(r.expires), false
	if r.high {
		var ok bool
		if d, ok = k.stamps.ahead(r.at, d); !ok {
			k.f.counts.OtherClock++
			return false, nil
		}
	} else if r.expires >= 0 {
		if !k.rate.settle() {
			return false, k.noRate(r.line)
		}
		d, clamped = k.rate.delay(r.expires)
	}
	if d < 0 {
		k.f.counts.Overdue++
		d = 0
	}
	if most := math.MaxInt64 - e.At; clamped || d > most {
		k.f.counts.Clamped++
		d = most
	}
	e.Delay = d
	return true, nil
}

// ErrHZ means that a recording is too short to show how many jiffies a second has.
var ErrHZ = errors.New("cannot find out how many jiffies a second has")

// noRate returns what is wrong when there are jiffies and no rate: what ended the lines, or that they are too few.
func (k *kernel) noRate(line int64) error {
	if k.err != nil && !errors.Is(k.err, io.EOF) {
		return k.err
	}
	return fmt.Errorf("%s:%d: %w: %d of them within %v fit no rate, or several; give HZ, the CONFIG_HZ of the kernel",
		k.f.name, line, ErrHZ, k.rate.passed(), k.rate.lastAt-k.rate.firstAt)
}

// pairs finds out what a cancel event stands for, which the kernel also emits when a timer is re-armed or expires:
//
//	start after cancel   the next event of that CPU: a reset, unless the start says that the timer was not armed
//	expire after cancel  the next event of that timer, on that CPU, within holdFor: an expiry
//	anything else        a cancellation
//
// Events are held back behind a cancel event that is not settled.
type pairs struct {
	queue  []slot
	base   int         // how many slots there were before queue[0]
	open   map[key]int // the cancel events not settled, by timer, as numbers of slots
	latest [maxCPU]int // the number of the slot of a CPU's latest event, counted from 1
}

type slot struct {
	raw
	open bool // a cancel event that may be something else
	void bool // a cancel event that was something else
}

const (
	holdFor  = 10 * time.Millisecond // from a cancel event to its expiry: an interrupt may come between
	holdMost = 1 << 16
)

func (p *pairs) push(r raw) {
	for len(p.queue) > 0 && p.queue[0].open && (r.at-p.queue[0].at > holdFor || len(p.queue) >= holdMost) {
		p.settle(p.queue[0].key)
	}
	s := slot{raw: r, open: r.what == cancel}
	if i, ok := p.open[r.key]; ok {
		before := &p.queue[i-p.base]
		switch {
		case r.what == expire && r.cpu == before.cpu:
			before.void = true
		case r.what == start && r.was == armedUnsaid && p.latest[r.cpu]-1 == i:
			before.void, s.was = true, armedYes
		}
		p.settle(r.key)
	}
	n := p.base + len(p.queue)
	p.queue = append(p.queue, s)
	if s.open {
		p.open[s.key] = n
	}
	p.latest[s.cpu] = n + 1
}

// settle ends the search for what a timer's cancel event stands for.
func (p *pairs) settle(k key) {
	p.queue[p.open[k]-p.base].open = false
	delete(p.open, k)
}

// pop returns the next event, unless it has to wait for one to come.
func (p *pairs) pop() (r raw, ok bool) {
	for len(p.queue) > 0 && !p.queue[0].open {
		s := p.queue[0]
		p.queue = p.queue[1:]
		p.base++
		if !s.void {
			return s.raw, true
		}
	}
	return raw{}, false
}
