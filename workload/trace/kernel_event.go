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
	*e = Event{At: r.at - k.zero}
	switch r.what {
	case start:
		ok, err := k.delay(r, e)
		if ok {
			k.armed(r, e)
		}
		return ok, err
	case cancel:
		e.Kind = Cancel
	case expire:
		e.Kind = Fire
	default:
		return false, nil
	}
	e.Timer = k.ended(r.key)
	return true, nil
}

// ended returns the number of a timer that is no longer pending: a new one if it was armed before the recording began.
func (k *kernel) ended(timer key) uint64 {
	n, ok := k.timers[timer]
	if !ok {
		n = k.numbers.fresh()
	}
	delete(k.timers, timer)
	k.numbers.free = append(k.numbers.free, n)
	return uint64(n)
}

func (k *kernel) armed(r *raw, e *Event) {
	n, pending := k.timers[r.key]
	e.Kind = Schedule
	if r.was == armedYes {
		e.Kind = Reset
	}
	switch {
	case pending && e.Kind == Schedule:
		k.f.counts.Unended++
	case pending:
	case e.Kind == Reset: // armed before the recording began
		n = k.numbers.fresh()
	default:
		n = k.numbers.reuse()
	}
	k.timers[r.key] = n
	e.Timer = uint64(n)
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
		if k.rate.hz == 0 {
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
	if !errors.Is(k.err, io.EOF) {
		return k.err
	}
	return fmt.Errorf("%s:%d: %w: %d of them within %v fit no rate, or several; give HZ, the CONFIG_HZ of the kernel",
		k.f.name, line, ErrHZ, k.rate.passed, k.rate.within)
}
