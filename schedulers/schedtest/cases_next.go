package schedtest

import (
	"errors"
	"regexp"
	"slices"
	"time"

	"schedbench/schedulers"
)

func length(r *trial) {
	const n = 100
	r.expectLen(0)
	ids := r.scheduleAll(r.spread(n))
	last := r.outAt[n-1]
	r.expectLen(n)
	for i := range 30 {
		r.cancel(ids[3*i], true)
		r.cancel(ids[3*i], false)
		r.expectLen(n - i - 1)
	}
	r.sched.Expire(last, nil)
	r.expectLen(n - 30)
	r.expire(last, 20)
	r.expectLen(n - 50)
	r.drain(end, 20)
	r.expectLen(0)
}

func nextIffPending(r *trial) {
	delay := max(r.spread(4)[2], min(r.maxDelay(), 1))
	now := time.Duration(0)
	r.expectIdle()
	for range 20 {
		first, second := r.schedule(now+delay, 1), r.schedule(now+delay, 2)
		r.expectAsleep()
		r.cancel(first, true)
		r.expectAsleep()
		r.cancel(second, true)
		r.expectIdle()
		r.schedule(now+delay, 3)
		r.schedule(now, 4)
		r.expect(now, 4)
		r.expectAsleep()
		now = r.dueAt(now, now+delay)
		r.expect(now, 3)
		r.expectIdle()
	}
	r.expectNone(end)
	r.expectIdle()
}

func nextLowerBound(r *trial) {
	r.eachDelay(func(r *trial, clock, deadline time.Duration) {
		r.cancel(r.schedule(clock+(deadline-clock)/2, 1000), true)
		due := clock
		if deadline > clock {
			due = r.dueAt(clock, deadline)
		}
		if wake := r.expectWake(longPast, due); wake > clock {
			r.expectNone(wake - 1)
		}
		// The bound may move on with the clock, but not past the value.
		r.expectWake(longPast, due)
	})
}

func nextWhenDue(r *trial) {
	delays := r.spread(40)
	r.scheduleAll(delays)
	r.expectWake(min(delays[0], 1), end)
	now := r.outAt[19]
	r.sched.Expire(now, nil)
	for r.sched.Len() > 20 {
		r.expectWake(longPast, now)
		r.expire(now, 1)
	}
	r.drain(now, 8)
	for r.sched.Len() > 0 {
		now = r.expectWake(now+1, end)
		r.drain(now, 8)
	}
	r.expectNone(r.outAt[39])
}

func nextAfterCancel(r *trial) {
	delays := r.spread(4)
	now, later := r.dueAt(0, delays[0]), r.dueAt(0, delays[3])
	r.need(now < later, "reaches only one tick ahead")
	ways := []func(r *trial, id schedulers.ID){func(r *trial, id schedulers.ID) { r.cancel(id, true) }}
	if _, ok := r.sched.(schedulers.Resetter); ok {
		ways = append(ways, func(r *trial, id schedulers.ID) { r.reset(id, delays[3]) })
	}
	for _, away := range ways {
		for n := range 4 {
			r := r.fresh()
			r.schedule(delays[3], 1)
			ids := r.scheduleAll(delays[:1])
			r.sched.Expire(now, nil)
			for i := range n {
				ids = append(ids, r.schedule(now-time.Duration(i), 2))
			}
			for _, id := range ids {
				r.expectWake(longPast, now)
				away(r, id)
			}
			r.expectWake(now+1, later)
		}
	}
}

func peek(r *trial) {
	peeker := optional[schedulers.Peeker[uint64]](r, "is no Peeker")
	r.scheduleAll(r.spread(40))
	for r.sched.Len() > 0 {
		next := r.expectAsleep()
		wake, value, ok := peeker.Peek()
		got := r.drain(next, 8)
		if ok && (wake != next || !slices.Contains(got, value)) {
			r.fatalf("Peek shows value %d at %d, but Next is %d, and Expire hands out %v then", value, wake, next, got)
		}
	}
	if _, value, ok := peeker.Peek(); ok {
		r.fatalf("Peek shows value %d, but nothing is pending", value)
	}
}

// manyWakes is how often a driver may wake up for one value: two slots per level make 63 levels.
const manyWakes = 80

func nextSuffices(r *trial) {
	delays := r.delays()
	if r.Rotation > 0 {
		// A value is passed once per rotation, so it must not be too far.
		for len(delays) > 1 && delays[len(delays)-1]/r.Rotation > 1000 {
			delays = delays[:len(delays)-1]
		}
	}
	wakes := 0
	for _, d := range delays {
		wakes += manyWakes
		if r.Rotation > 0 {
			wakes += int(d / r.Rotation)
		}
	}
	r.scheduleAll(shuffled(delays))
	var out []uint64
	for n := 0; r.sched.Len() > 0; n++ {
		now := max(r.expectAsleep(), 0)
		if n == wakes {
			r.fatalf("after %d wake-ups %d of %d values are still pending, Next is %d",
				n, r.sched.Len(), len(delays), now)
		}
		out = append(out, r.drainSince(now-1, now, 5)...)
	}
	r.expectIdle()
	r.expectEach(out, upTo(len(delays)))
}

func maximumDuration(r *trial) {
	unit := r.unit()
	offsets := []time.Duration{0, 1, unit - 1, unit, unit + 1, 2 * unit}
	for _, distance := range []time.Duration{end, 1000 * unit, 4 * unit} {
		clock := end - distance
		for _, offset := range offsets {
			deadline := end - offset
			if r.mayRefuse(clock, deadline) {
				continue
			}
			r := r.freshAt(clock)
			r.schedule(deadline, 1)
			r.expectNone(deadline - 1)
			due := r.dueAt(clock, deadline)
			r.expectWake(longPast, due)
			r.expect(due, 1)
			r.expectIdle()
		}
	}
}

func endOfTime(r *trial) {
	r = r.freshAt(end)
	r.expectIdle()
	for _, deadline := range []time.Duration{end, end - 1, end - r.unit(), 0, -1} {
		id := r.schedule(deadline, 1)
		r.expectAsleep()
		r.expectNone(end - 1)
		r.cancel(id, true)
		r.cancel(id, false)
		r.expectNone(end)
		id = r.schedule(deadline, 2)
		r.expect(end, 2)
		r.cancel(id, false)
		r.expectIdle()
	}
}

func horizon(r *trial) {
	r.need(r.Horizon > 0, "has no horizon")
	for _, clock := range []time.Duration{0, r.unit()/2 + 1, 1<<40 + 7} {
		r := r.freshAt(clock)
		r.schedule(clock+r.maxDelay(), 0)
		pending := 1
		for _, d := range []time.Duration{r.Horizon + 1, r.Horizon + r.Tick, 2*r.Horizon + 2*r.Tick, 1 << 60, end - clock} {
			if d <= r.maxDelay() {
				continue
			}
			id, err := r.sched.Schedule(clock+d, uint64(pending))
			if err == nil {
				pending++
			} else {
				r.expectRefusal(err)
				r.cancel(id, false)
			}
			r.expectLen(pending)
		}
		r.expectEach(r.drain(end, 8), upTo(pending))
	}
}

var figure = regexp.MustCompile(`[0-9]+`)

func (r *trial) expectRefusal(err error) {
	r.Helper()
	if !errors.Is(err, schedulers.ErrBeyondHorizon) {
		r.fatalf("the refusal %q does not wrap ErrBeyondHorizon", err)
	}
	if n := len(figure.FindAllString(err.Error(), -1)); n < 2 {
		r.fatalf("the refusal %q does not give the deadline and the limit", err)
	}
}

func horizonMoves(r *trial) {
	r.need(r.Horizon > 0, "has no horizon")
	clock, step := time.Duration(0), r.maxDelay()/3+r.unit()/7+1
	for i := range uint64(100) {
		if clock > end-r.maxDelay()-step {
			break // a horizon so long that the end of time comes first
		}
		r.outAt = append(r.outAt, r.dueAt(clock, clock+r.maxDelay()))
		r.schedule(clock+r.maxDelay(), i)
		r.drainSince(clock, clock+step, 3)
		clock += step
	}
	if n := len(r.outAt); n > 0 {
		r.drain(r.outAt[n-1], 3)
	}
	r.expectLen(0)
}
