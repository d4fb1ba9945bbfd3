package live

import "time"

// A driver leaves a timer that is put off at its place before the deadline, and moves it when the place comes. A timer
// that is stopped leaves its place to the next one (docs/decisions/0036). So a part of what an operation costs comes a
// delay later. A slice whose timers all began at their deadlines would lack that part.

// places are those of cancelled timers, the latest last: each waits for a new timer, also after it has passed. A driver has
// not more than half as many as timers are pending, which is left out here.
type places []time.Duration

// leave leaves a place for a later timer.
func (l *places) leave(place time.Duration) { *l = append(*l, place) }

// take returns the place of a timer that is armed at an instant for a deadline, and whether it was another's.
func (l *places) take(at, deadline time.Duration) (place time.Duration, takenOver bool) {
	n := len(*l) - 1
	if n < 0 {
		return deadline, false
	}
	place = (*l)[n]
	if *l = (*l)[:n]; at < place && place < deadline {
		return place, true
	}
	return deadline, false
}

// placeAt returns the place that a timer has at an instant, before its deadline.
func (u *use) placeAt(now time.Duration) time.Duration {
	if u.place <= now {
		return u.deadline
	}
	return u.place
}
