package live

import "time"

// A driver leaves a timer that is put off at its place before the deadline, and moves it when the place comes. A timer
// that is stopped leaves its place to the next one (docs/decisions/0036). So a part of what an operation costs comes a
// delay later. A slice whose timers all began at their deadlines would lack that part.

// places are those that cancelled timers have left, the latest last.
type places []time.Duration

// leave leaves a place for a later timer.
func (l *places) leave(place time.Duration) { *l = append(*l, place) }

// take returns the place of a timer that is armed at an instant for a deadline.
func (l *places) take(at, deadline time.Duration) time.Duration {
	for n := len(*l); n > 0; n-- {
		place := (*l)[n-1]
		*l = (*l)[:n-1]
		if place > at { // else the driver has removed it
			return min(place, deadline)
		}
	}
	return deadline
}

// placeAt returns the place that a timer has at an instant, before its deadline.
func (u *use) placeAt(now time.Duration) time.Duration {
	if u.place <= now {
		return u.deadline
	}
	return u.place
}
