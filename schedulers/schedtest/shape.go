package schedtest

import "time"

// delay turns two bytes into a delay. All drivers of the model draw their times
// here, so that each comes to the same awkward places: shape chooses the kind
// and the scale, fine the neighbourhood, and zeros are the simplest. A delay
// may be negative.
func (s Subject) delay(clock time.Duration, shape, fine byte) time.Duration {
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
	case 6: // the past; the furthest is further than there is
		if scale == 31 {
			return -end - 1
		}
		return -(time.Duration(1) << (2 * scale)) - time.Duration(fine)
	default: // the end of time
		return max(end-clock-time.Duration(fine)*unit/8, 0)
	}
}

// aligned is the bit of fine that makes a delay count from a tick, instead of
// from wherever the clock stands.
const aligned = 64

// instant turns two bytes into an instant as seen from clock. It may be
// negative.
func (s Subject) instant(clock time.Duration, shape, fine byte) time.Duration {
	from := clock
	if fine&aligned != 0 {
		tick := s.unit()
		if shape>>5 == 2 {
			// A multiple of this power of two is where a level begins.
			tick = times(tick, 1<<(shape&31))
		}
		from = roundDown(clock, tick)
	}
	return later(from, s.delay(clock, shape, fine))
}

// deadline is an instant that, where there is a horizon, is mostly folded to
// lie within it or a little beyond.
func (s Subject) deadline(clock time.Duration, shape, fine byte) time.Duration {
	at := s.instant(clock, shape, fine)
	if most := s.Horizon + s.Tick; s.Horizon > 0 && fine%16 != 15 && at > later(clock, most) {
		return clock + (at-clock)%(most+1)
	}
	return at
}

// step returns 0, 1 or -1 nanosecond.
func step(fine byte) time.Duration {
	return [...]time.Duration{0, 1, -1}[fine%3]
}

// nudge returns up to one tick and up to one nanosecond, either way.
func nudge(unit time.Duration, fine byte) time.Duration {
	return step(fine) + unit*step(fine/3)
}

// times returns unit * n for positive factors, or the end of time where the
// product is beyond it.
func times(unit time.Duration, n int64) time.Duration {
	if int64(unit) > int64(end)/n {
		return end
	}
	return unit * time.Duration(n)
}
