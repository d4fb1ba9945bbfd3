package schedtest

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
)

const (
	end      = time.Duration(math.MaxInt64) // the last instant there is
	longPast = -end - 1                     // the first
)

// Scheduler describes a scheduler to the suite.
type Scheduler struct {
	// Name identifies the scheduler in messages.
	Name string
	// New returns a fresh scheduler whose clock is 0. It is called many times, and its schedulers share nothing.
	New func() (schedulers.Scheduler[uint64], error)
	// Tick is the duration that deadlines are rounded up to; 0 means that the scheduler is exact.
	Tick time.Duration
	// Due is for a scheduler that rounds long delays up to more than a tick, which departs from the contract. It gets
	// the clock when the value is scheduled, and a deadline ahead of it. It returns the first instant at which Expire
	// hands out the value: a multiple of Tick, but at most the maximum duration. The suite does not check the lateness
	// that Due allows: the author states and tests it. nil means the deadline rounded up to a multiple of Tick.
	Due func(clock, deadline time.Duration) time.Duration
	// Horizon is how far ahead a deadline may lie; 0 means any distance. A deadline more than Horizon ahead of the
	// clock may be refused with ErrBeyondHorizon; one at most Horizon - Tick ahead must be taken. Between the two both
	// are right, because a wheel measures from the start of the current tick.
	Horizon time.Duration
	// Slots is the total number of slots of a wheel, over all its levels, and 0 for other schedulers. It bounds the
	// work of a long jump.
	Slots int
}

// Describe describes a scheduler by its methods Tick, Horizon and Slots, as far as it has them. The error is that of new.
func Describe(name string, new func() (schedulers.Scheduler[uint64], error)) (Scheduler, error) {
	s := Scheduler{Name: name, New: new}
	sched, err := new()
	if err != nil {
		return s, err
	}
	if r, ok := sched.(schedulers.Resolution); ok {
		s.Tick = r.Tick()
	}
	if h, ok := sched.(interface{ Horizon() time.Duration }); ok {
		s.Horizon = h.Horizon()
	}
	if n, ok := sched.(interface{ Slots() int }); ok {
		s.Slots = n.Slots()
	}
	return s, nil
}

// Wheel describes a wheel by its constructor, its tick and its slots, of which it may have more. Where the constructor
// fails, so does every case.
func Wheel[W schedulers.Scheduler[uint64]](
	make func(tick time.Duration, slots int) (W, error), tick time.Duration, slots int,
) Scheduler {
	s, _ := Describe(fmt.Sprintf("tick=%v/slots=%d", tick, slots), func() (schedulers.Scheduler[uint64], error) {
		return make(tick, slots)
	})
	s.Tick = tick
	return s
}

// unit returns the step in which the cases count time: the tick, or a millisecond without one.
func (s Scheduler) unit() time.Duration { return cmp.Or(s.Tick, time.Millisecond) }

// maxDelay returns the longest delay that the scheduler must accept.
func (s Scheduler) maxDelay() time.Duration {
	if s.Horizon > 0 {
		return max(s.Horizon-s.Tick, 0)
	}
	return end
}

// mayRefuse reports whether deadline may be refused when the clock is at clock.
func (s Scheduler) mayRefuse(clock, deadline time.Duration) bool {
	return s.Horizon > 0 && max(deadline, 0)-clock > s.maxDelay()
}

// dueAt returns the first instant at which Expire hands out a value that was scheduled for a deadline ahead of the clock.
func (s Scheduler) dueAt(clock, deadline time.Duration) time.Duration {
	if s.Due != nil && deadline > clock {
		return max(s.Due(clock, deadline), deadline)
	}
	return roundUp(max(deadline, 0), s.Tick)
}

// spread returns n ascending delays, one unit apart, or closer where the longest delay demands it.
func (s Scheduler) spread(n int) []time.Duration {
	gap := min(s.unit(), s.maxDelay()/time.Duration(n))
	delays := make([]time.Duration, n)
	for i := range delays {
		delays[i] = time.Duration(i+1) * gap
	}
	return delays
}

// delays returns ascending delays where placement goes wrong first: zero, one tick, and powers of two of a tick, each
// with its neighbours one nanosecond and one tick away.
func (s Scheduler) delays() []time.Duration {
	delays := []time.Duration{0, 1}
	last := delays[1]
	unit, most := s.unit(), s.maxDelay()
	for at := unit; at <= min(most, end/4); at *= 2 {
		for _, d := range []time.Duration{at - unit - 1, at - unit, at - 1, at, at + 1, at + unit} {
			if d > last && d <= most {
				delays = append(delays, d)
				last = d
			}
		}
	}
	return delays
}

// delay turns two bytes into a delay, which may be negative. shape chooses the kind and the scale, fine the neighbourhood;
// zeros are the simplest.
func (s Scheduler) delay(clock time.Duration, shape, fine byte) time.Duration {
	unit, scale := s.unit(), uint(shape&31)
	switch shape >> 5 {
	case 0: // a few ticks
		return time.Duration(scale)*unit + step(fine)
	case 1: // within a tick
		return unit/256*time.Duration(fine) + time.Duration(scale)
	case 2: // a power of two of ticks
		return later(times(unit, 1<<scale), nudge(unit, fine))
	case 3: // the higher ones
		return later(times(unit, 1<<(scale+31)), nudge(unit, fine))
	case 4: // a power of two of nanoseconds
		return time.Duration(1)<<(2*scale) + step(fine)
	case 5: // anything between
		return times(unit, (int64(fine)+1)<<scale)
	case 6: // the past
		if scale == 31 {
			return longPast
		}
		return -(time.Duration(1) << (2 * scale)) - time.Duration(fine)
	default: // the end of time
		return max(end-clock-time.Duration(fine)*unit/8, 0)
	}
}

// aligned is the bit of fine that makes a delay count from a tick, not from the clock.
const aligned = 64

// instant turns two bytes into an instant as seen from clock. It may be negative.
func (s Scheduler) instant(clock time.Duration, shape, fine byte) time.Duration {
	from := clock
	if fine&aligned != 0 {
		tick := s.unit()
		if shape>>5 == 2 {
			// A multiple of this power of two is where a level begins.
			tick = times(tick, 1<<(shape&31))
		}
		from = clock.Truncate(tick)
	}
	return later(from, s.delay(clock, shape, fine))
}

// deadline returns an instant. Where there is a horizon, it mostly folds it to lie within that or a little beyond.
func (s Scheduler) deadline(clock time.Duration, shape, fine byte) time.Duration {
	at := s.instant(clock, shape, fine)
	if most := s.Horizon + s.Tick; s.Horizon > 0 && fine%16 != 15 && at > later(clock, most) {
		return clock + (at-clock)%(most+1)
	}
	return at
}

// roundUp returns the first multiple of tick at or after d, or the end of time. A tick of 0 leaves d as it is.
func roundUp(d, tick time.Duration) time.Duration {
	if down := d.Truncate(tick); down < d {
		return later(down, tick)
	}
	return d
}

// later returns t + d for a t that is not negative, or the end of time.
func later(t, d time.Duration) time.Duration { return t + min(d, end-t) }

// step returns 0, 1 or -1 nanosecond.
func step(fine byte) time.Duration { return [...]time.Duration{0, 1, -1}[fine%3] }

// nudge returns up to one tick and up to one nanosecond, either way.
func nudge(unit time.Duration, fine byte) time.Duration { return step(fine) + unit*step(fine/3) }

// times returns unit * n for positive factors, or the end of time.
func times(unit time.Duration, n int64) time.Duration {
	if int64(unit) > int64(end)/n {
		return end
	}
	return unit * time.Duration(n)
}
