package live

import "time"

// A driver leaves a timer that is put off at its place before the deadline, and moves it when the place comes. A timer
// that is stopped leaves its place to the next one (docs/decisions/0036). So a part of what an operation costs comes a
// delay later. A slice whose timers all began at their deadlines would lack that part.

// place is where a driver has a timer, and since when: a timer that is put off moves when its place comes.
type place struct{ at, since time.Duration }

// places are those of cancelled timers, the latest last: each waits for a new timer, also after it has passed. A driver has
// not more than half as many as timers are pending, which is left out here.
type places []place

// take returns the place of a timer that is armed at an instant for a deadline, and whether it was another's.
func (l *places) take(at, deadline time.Duration) (p place, takenOver bool) {
	n := len(*l) - 1
	if n < 0 {
		return place{deadline, at}, false
	}
	p = (*l)[n]
	if *l = (*l)[:n]; at < p.at && p.at < deadline {
		return p, true
	}
	return place{deadline, at}, false
}

// settle moves a pending timer that was put off, if its place has come.
func (u *use) settle(now time.Duration) {
	if u.place.at <= now {
		u.place = place{u.deadline, u.place.at}
	}
}
