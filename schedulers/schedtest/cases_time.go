package schedtest

import (
	"time"
)

// timeCases check at which instant a value comes out.
func timeCases() []Case {
	return []Case{
		{"never-early", "A value never comes out before its deadline, not by a nanosecond.", neverEarly},
		{"late-by-less-than-a-tick", "A value comes out at the first Expire that is a tick less a nanosecond " +
			"after its deadline, or at the deadline itself where there is no tick; where Subject.Due tells " +
			"the instant, then.", notLate},
		{"tick-rounding", "A deadline is rounded up to a multiple of the tick, or to the instant that Subject.Due " +
			"tells, so a value that is due at such an instant comes out exactly then.", tickRounding},
		{"past-deadline", "A deadline at or before the clock, also a negative one, is due at the next Expire, " +
			"even at an unchanged now.", pastDeadline},
		{"clock-backwards", "A now before the clock changes nothing and returns 0.", clockBackwards},
		{"clock-repeated", "Expire with the same now again returns only what has not come out, " +
			"and a negative now counts as zero.", clockRepeated},
		{"steps", "Values come out at the right instants when time moves in many small steps.", smallSteps},
	}
}

// origins are the instants at which the time cases start their clocks: the
// beginning, within a tick, and far out.
func origins(s Subject) []time.Duration {
	unit := s.unit()
	return []time.Duration{0, unit/2 + 1, 3*unit - 1, 1<<40 + 7}
}

// eachDelay checks a value of its own for each delay from each origin. The trial
// has nothing else pending, and its clock stands at the origin.
func eachDelay(t TestingT, s Subject, check func(r *trial, value uint64, origin, deadline time.Duration)) {
	for _, origin := range origins(s) {
		for i, delay := range s.delays() {
			r := beginAt(t, s, origin)
			r.schedule(origin+delay, uint64(i))
			check(r, uint64(i), origin, origin+delay)
		}
	}
}

func neverEarly(t TestingT, s Subject) {
	eachDelay(t, s, func(r *trial, _ uint64, origin, deadline time.Duration) {
		if deadline == origin {
			return
		}
		r.expectNone(origin)
		r.expectNone(origin + (deadline-origin)/2)
		r.expectNone(deadline - 1)
		r.expectLen(1)
	})
}

func notLate(t TestingT, s Subject) {
	eachDelay(t, s, func(r *trial, value uint64, origin, deadline time.Duration) {
		latest := deadline + max(s.Tick-1, 0)
		if s.Due != nil {
			latest = s.dueAt(origin, deadline)
		}
		r.expect(latest, value)
		r.expectLen(0)
	})
}

func tickRounding(t TestingT, s Subject) {
	eachDelay(t, s, func(r *trial, value uint64, origin, deadline time.Duration) {
		due := max(s.dueAt(origin, deadline), origin)
		if due > deadline && deadline > origin {
			r.expectNone(due - 1)
		}
		r.expect(due, value)
	})
}

func pastDeadline(t TestingT, s Subject) {
	unit := s.unit()
	for _, clock := range []time.Duration{0, 1, unit - 1, unit, unit + 1, 1000*unit - 1, 1<<50 + 3} {
		pasts := []time.Duration{clock, clock - 1, clock - unit/2, clock - unit, clock / 2, 0, -1, -end - 1}
		for _, next := range []time.Duration{clock, clock + 1, clock + 100*unit} {
			r := beginAt(t, s, clock)
			want := make([]uint64, len(pasts))
			for i, d := range pasts {
				r.schedule(d, uint64(i))
				want[i] = uint64(i)
			}
			r.expect(next, want...)
		}
	}
}

func clockBackwards(t TestingT, s Subject) {
	delay := s.spread(4)[1]
	clock := 10 * s.unit()
	r := beginAt(t, s, clock)
	r.schedule(clock, 1)
	for _, now := range []time.Duration{clock - 1, 0, -1, -end - 1} {
		r.expectNone(now)
		r.expectLen(1)
	}
	if wake, ok := r.sched.Next(); !ok || wake > clock {
		t.Errorf("after a now before the clock Next is %d, %v; want the clock, %d, or less", wake, ok, clock)
	}
	// The clock must not have moved, so that these are still in the past and
	// ahead of it.
	r.schedule(clock-2*s.unit(), 2)
	r.expectNone(clock - 1)
	r.expect(clock, 1, 2)
	r.schedule(clock+delay, 2)
	r.expect(s.dueAt(clock, clock+delay), 2)
}

func clockRepeated(t TestingT, s Subject) {
	r := begin(t, s)
	r.schedule(0, 1)
	r.expect(-5, 1)
	r.expectNone(0)
	now := s.unit()
	r.expectNone(now)
	for i := range uint64(3) {
		r.schedule(now, i)
		r.expect(now, i)
		r.expectNone(now)
	}
}

func smallSteps(t TestingT, s Subject) {
	const n = 300
	r := begin(t, s)
	deadlines := s.spread(n)
	r.scheduleAll(deadlines)
	next, last := 0, s.dueAt(0, deadlines[n-1])
	step := max(last/(3*n)+1, 1)
	for now := time.Duration(0); now < last+step; now += step {
		for _, v := range r.expire(now, n) {
			if at := s.dueAt(0, deadlines[v]); at > now || at <= now-step {
				r.fatalf("value due at %d came out at %d, in steps of %d", at, now, step)
			}
			next++
		}
	}
	if next != n {
		t.Errorf("%d of %d values came out", next, n)
	}
}
