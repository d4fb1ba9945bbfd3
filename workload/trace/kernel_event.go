package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// event makes an event of the trace of one of the kernel, and reports whether it
// is to be told.
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

// ended returns the number of a timer that is no longer pending: a new one if the
// trace does not know it, because it was armed before the recording began.
func (k *kernel) ended(timer key) uint64 {
	n, ok := k.timers[timer]
	if ok {
		delete(k.timers, timer)
	} else {
		n = k.unused()
	}
	k.free = append(k.free, n)
	return uint64(n)
}

// maxNumbers bounds the numbers that are used, and so the list of those that are
// free. It is more than can be pending.
const maxNumbers = 2 * MaxPending

// unused returns a number that was never used, as long as there is one.
func (k *kernel) unused() uint32 {
	if k.numbers == maxNumbers {
		return k.used()
	}
	k.numbers++
	return k.numbers - 1
}

// used returns a number whose timer has ended, if there is one.
func (k *kernel) used() uint32 {
	last := len(k.free) - 1
	if last < 0 {
		return k.unused()
	}
	n := k.free[last]
	k.free = k.free[:last]
	return n
}

// armed says which timer is armed, and whether it was pending.
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
		n = k.used()
	}
	k.timers[r.key] = n
	e.Timer = uint64(n)
	return nil
}

// delay works out how long ahead a timer is armed. It is false for a timer that
// has to be left out.
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

// ErrHZ means that a recording is too short to tell how many jiffies a second has.
var ErrHZ = errors.New("cannot find out how many jiffies a second has")

// noRate returns what is wrong when there are jiffies and no rate: what ended the
// lines, if that is why there are too few.
func (k *kernel) noRate(line int64) error {
	if k.err != nil && !errors.Is(k.err, io.EOF) {
		return k.err
	}
	return fmt.Errorf("%s:%d: %w: %d of them within %v fit no rate, or several; give HZ, the CONFIG_HZ of the kernel",
		k.f.name, line, ErrHZ, k.rate.passed(), k.rate.lastAt-k.rate.firstAt)
}
