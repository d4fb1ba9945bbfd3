package schedtest

import (
	"time"

	"schedbench/schedulers"
)

// nextCases check Next and Len, which a driver goes by.
func nextCases() []Case {
	return []Case{
		{"len", "Len counts what is scheduled and neither cancelled nor handed out.", length},
		{"next-iff-pending", "Next reports ok exactly when something is pending.", nextIffPending},
		{"next-lower-bound", "Before the instant that Next returns, Expire yields nothing.", nextLowerBound},
		{"next-when-due", "Next returns an instant at or before the clock exactly when something is due already.", nextWhenDue},
		{"next-after-cancel", "Once all that was due is cancelled or reset, Next is ahead of the clock again.", nextAfterCancel},
		{"next-suffices", "A driver that only ever sleeps until Next hands out every value in time, " +
			"and wakes up a bounded number of times for each.", nextSuffices},
	}
}

// asleep returns Next, which must be ok.
func (r *trial) asleep() time.Duration {
	r.Helper()
	wake, ok := r.sched.Next()
	if !ok {
		r.fatalf("Next reports that nothing is pending, but Len is %d", r.sched.Len())
	}
	return wake
}

// expectIdle demands that Next finds nothing pending.
func (r *trial) expectIdle() {
	r.Helper()
	if wake, ok := r.sched.Next(); ok {
		r.fatalf("Next is %d, but nothing is pending", wake)
	}
}

func length(t TestingT, s Subject) {
	const n = 100
	delays := s.spread(n)
	r := begin(t, s)
	r.expectLen(0)
	ids := r.scheduleAll(delays)
	r.expectLen(n)
	for i := range 30 {
		r.cancel(ids[3*i], true)
		r.cancel(ids[3*i], false)
		r.expectLen(n - i - 1)
	}
	r.sched.Expire(s.dueAt(0, delays[n-1]), nil)
	r.expectLen(n - 30)
	r.expire(s.dueAt(0, delays[n-1]), 20)
	r.expectLen(n - 50)
	r.drain(end, 20)
	r.expectLen(0)
}

func nextIffPending(t TestingT, s Subject) {
	r := begin(t, s)
	delay := max(s.spread(4)[2], min(s.maxDelay(), 1))
	now := time.Duration(0)
	r.expectIdle()
	for range uint64(20) {
		first, second := r.schedule(now+delay, 1), r.schedule(now+delay, 2)
		r.asleep()
		r.cancel(first, true)
		r.asleep()
		r.cancel(second, true)
		r.expectIdle()
		r.schedule(now+delay, 3)
		r.schedule(now, 4)
		r.expect(now, 4)
		r.asleep()
		now = s.dueAt(now, now+delay)
		r.expect(now, 3)
		r.expectIdle()
	}
	r.expectNone(end)
	r.expectIdle()
}

func nextLowerBound(t TestingT, s Subject) {
	for _, origin := range origins(s) {
		for i, delay := range s.delays() {
			r := beginAt(t, s, origin)
			r.schedule(origin+delay, uint64(i))
			other := r.schedule(origin+delay/2, 1000)
			due := s.dueAt(origin, origin+delay)
			if delay == 0 {
				due = origin
			}
			r.cancel(other, true)
			wake := r.asleep()
			if wake > due {
				r.fatalf("with the clock at %d Next is %d, but a value is due at %d", origin, wake, due)
			}
			if wake-1 >= origin {
				r.expectNone(wake - 1)
			}
			// The bound may move on with the clock, but not past the value.
			if moved := r.asleep(); moved > due {
				r.fatalf("with the clock at %d Next is %d, but a value is due at %d", wake-1, moved, due)
			}
		}
	}
}

func nextWhenDue(t TestingT, s Subject) {
	delays := s.spread(40)
	r := begin(t, s)
	r.scheduleAll(delays)
	if wake := r.asleep(); delays[0] > 0 && wake <= 0 {
		t.Errorf("Next is %d at clock 0, but nothing is due before %d", wake, delays[0])
	}
	now := s.dueAt(0, delays[19])
	r.sched.Expire(now, nil)
	for r.sched.Len() > 20 {
		if wake := r.asleep(); wake > now {
			r.fatalf("Next is %d, after the clock at %d, but values are due", wake, now)
		}
		r.expire(now, 1)
	}
	r.drain(now, 8)
	for r.sched.Len() > 0 {
		wake := r.asleep()
		if wake <= now {
			r.fatalf("Next is %d, not after the clock at %d, but nothing is due", wake, now)
		}
		now = wake
		r.drain(now, 8)
	}
	r.expectNone(s.dueAt(0, delays[39]))
}

func nextAfterCancel(t TestingT, s Subject) {
	delays := s.spread(4)
	if s.dueAt(0, delays[0]) == s.dueAt(0, delays[3]) {
		t.Skipf("%s reaches only one tick ahead", s.Name)
	}
	ways := []func(r *trial, id schedulers.ID){func(r *trial, id schedulers.ID) { r.cancel(id, true) }}
	if _, ok := begin(t, s).sched.(schedulers.Resetter); ok {
		ways = append(ways, func(r *trial, id schedulers.ID) { r.reset(id, delays[3]) })
	}
	now := s.dueAt(0, delays[0])
	for _, away := range ways {
		for n := range 4 {
			r := begin(t, s)
			r.schedule(delays[3], 1)
			ids := r.scheduleAll(delays[:1])
			r.sched.Expire(now, nil)
			for i := range n {
				ids = append(ids, r.schedule(now-time.Duration(i), 2))
			}
			for _, id := range ids {
				if wake := r.asleep(); wake > now {
					r.fatalf("Next is %d, after the clock at %d, but values are due", wake, now)
				}
				away(r, id)
			}
			if wake, due := r.asleep(), s.dueAt(0, delays[3]); wake <= now || wake > due {
				r.fatalf("Next is %d with the clock at %d; the next value is due at %d", wake, now, due)
			}
		}
	}
}

// manyWakes is how often a driver may wake up for one value because of the
// structure alone: two slots per level make 63 levels.
const manyWakes = 80

func nextSuffices(t TestingT, s Subject) {
	delays := s.delays()
	if s.Rotation > 0 {
		// A value is passed once per rotation, so it must not be too far.
		for len(delays) > 1 && delays[len(delays)-1]/s.Rotation > 1000 {
			delays = delays[:len(delays)-1]
		}
	}
	wakes := 0
	for _, d := range delays {
		wakes += manyWakes
		if s.Rotation > 0 {
			wakes += int(d / s.Rotation)
		}
	}
	r := begin(t, s)
	deadlines := shuffled(delays)
	r.scheduleAll(deadlines)
	var out []uint64
	for n := 0; r.sched.Len() > 0; n++ {
		if n == wakes {
			r.fatalf("after %d wake-ups %d of %d values are still pending, Next is %d",
				n, r.sched.Len(), len(delays), r.asleep())
		}
		now := r.asleep()
		got := r.drain(now, 5)
		for _, v := range got {
			if at := s.dueAt(0, deadlines[v]); at != max(now, 0) {
				r.fatalf("value due at %d came out at the wake-up for %d", at, now)
			}
		}
		out = append(out, got...)
	}
	r.expectIdle()
	expectEach(r, out, len(delays))
}
