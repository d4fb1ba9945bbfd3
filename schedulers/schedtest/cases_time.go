package schedtest

import (
	"slices"
	"time"
)

// eachDelay checks value 1 for each delay with the clock at the beginning, within a tick, and far out. Nothing else is
// pending in the trial.
func (r *trial) eachDelay(check func(r *trial, clock, deadline time.Duration)) {
	unit := r.unit()
	for _, clock := range []time.Duration{0, unit/2 + 1, 3*unit - 1, 1<<40 + 7} {
		for _, delay := range r.delays() {
			r := r.freshAt(clock)
			r.schedule(clock+delay, 1)
			check(r, clock, clock+delay)
		}
	}
}

func neverEarly(r *trial) {
	r.eachDelay(func(r *trial, clock, deadline time.Duration) {
		if deadline == clock {
			return
		}
		r.expectNone(clock)
		r.expectNone(clock + (deadline-clock)/2)
		r.expectNone(deadline - 1)
		r.expectLen(1)
	})
}

func notLate(r *trial) {
	r.eachDelay(func(r *trial, clock, deadline time.Duration) {
		latest := deadline + max(r.Tick-1, 0)
		if r.Due != nil {
			latest = r.dueAt(clock, deadline)
		}
		r.expect(latest, 1)
		r.expectLen(0)
	})
}

func tickRounding(r *trial) {
	r.eachDelay(func(r *trial, clock, deadline time.Duration) {
		due := max(r.dueAt(clock, deadline), clock)
		if due > deadline && deadline > clock {
			r.expectNone(due - 1)
		}
		r.expect(due, 1)
	})
}

func pastDeadline(r *trial) {
	unit := r.unit()
	for _, clock := range []time.Duration{0, 1, unit - 1, unit, unit + 1, 1000*unit - 1, 1<<50 + 3} {
		pasts := []time.Duration{clock, clock - 1, clock - unit/2, clock - unit, clock / 2, 0, -1, longPast}
		for _, next := range []time.Duration{clock, clock + 1, clock + 100*unit} {
			r := r.freshAt(clock)
			r.scheduleAll(pasts)
			r.expect(next, upTo(len(pasts))...)
		}
	}
}

func clockBackwards(r *trial) {
	clock := 10 * r.unit()
	r = r.freshAt(clock)
	r.schedule(clock, 1)
	for _, now := range []time.Duration{clock - 1, 0, -1, longPast} {
		r.expectNone(now)
		r.expectLen(1)
	}
	r.expectWake(longPast, clock)
	// The clock must not have moved: these are still in the past and ahead of it.
	r.schedule(clock-2*r.unit(), 2)
	r.expectNone(clock - 1)
	r.expect(clock, 1, 2)
	ahead := clock + r.spread(4)[1]
	r.schedule(ahead, 2)
	r.expect(r.dueAt(clock, ahead), 2)
}

func clockRepeated(r *trial) {
	r.schedule(0, 1)
	r.expect(-5, 1)
	r.expectNone(0)
	now := r.unit()
	r.expectNone(now)
	for i := range uint64(3) {
		r.schedule(now, i)
		r.expect(now, i)
		r.expectNone(now)
	}
}

func smallSteps(r *trial) {
	const n = 300
	r.scheduleAll(r.spread(n))
	last := r.outAt[n-1]
	step := max(last/(3*n)+1, 1)
	var out []uint64
	for now := time.Duration(0); now < last+step; now += step {
		out = append(out, r.drainSince(now-step, now, n)...)
	}
	r.expectEach(out, upTo(n))
}

func order(r *trial) {
	last := r.delays()[len(r.delays())-1]
	for _, delays := range [][]time.Duration{r.spread(500), r.delays()} {
		for _, now := range []time.Duration{delays[len(delays)/2], last, end} {
			r := r.fresh()
			r.scheduleAll(shuffled(delays))
			r.expectOrdered(r.expire(now, len(delays)))
			r.expectOrdered(r.expire(end, len(delays)))
			r.expectLen(0)
		}
	}
}

func sameDeadline(r *trial) {
	const n = 3000
	deadline := r.spread(2)[0]
	for range n {
		r.schedule(deadline, 7)
	}
	r.expectLen(n)
	r.expectEach(r.drain(r.dueAt(0, deadline), 100), slices.Repeat([]uint64{7}, n))
}

func smallBuffer(r *trial) {
	const n = 200
	for _, room := range []int{1, 2, 7, n - 1, n} {
		for _, creep := range []time.Duration{0, 1} {
			r := r.fresh()
			r.scheduleAll(shuffled(r.spread(n)))
			var out []uint64
			for now := slices.Max(r.outAt); len(out) < n; now += creep {
				got := r.expire(now, room)
				if want := min(room, n-len(out)); len(got) != want {
					r.fatalf("%d values came out into room for %d while %d are due", len(got), room, n-len(out))
				}
				out = append(out, got...)
				r.expectLen(n - len(out))
			}
			r.expectOrdered(out)
			r.expectEach(out, upTo(n))
			r.expectNone(end)
		}
	}
}

func noBuffer(r *trial) {
	r.scheduleAll(r.spread(10))
	now := r.outAt[9]
	for range 3 {
		r.expire(now, 0)
		r.expectLen(10)
	}
	// The clock has moved, so this one is in the past.
	r.schedule(now-1, 10)
	r.expectWake(longPast, now)
	r.expectEach(r.drain(now, 3), upTo(11))
}

func manyComeOut(r *trial) {
	n := r.affordable(100_000)
	r.scheduleAll(r.cheapOrder(r.spread(n)))
	r.expectLen(n)
	last := slices.Max(r.outAt)
	var out []uint64
	for i := range time.Duration(16) {
		out = append(out, r.drain(last/16*(i+1), 1000)...)
	}
	out = append(out, r.drain(last, 1000)...)
	r.expectOrdered(out)
	r.expectEach(out, upTo(n))
}
