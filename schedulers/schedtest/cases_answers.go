package schedtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/internal/lists"
	"schedbench/schedulers"
)

// The model judges each answer of these cases, and Len, Next, Peek and All after each operation.

// deadlines returns ascending deadlines where placement goes wrong first, as seen from clock: those of delays, some about
// the horizon, and the last before the end of time.
func (r *trial) deadlines(clock time.Duration) []time.Duration {
	unit, most := r.unit(), r.maxDelay()
	delays := append(r.delays(), most, later(most, 1), later(most, unit), later(most, unit+1), later(most, most))
	for _, before := range []time.Duration{0, 1, unit - 1, unit, unit + 1, times(unit, 2)} {
		delays = append(delays, max(end-clock-before, 0))
	}
	slices.Sort(delays)
	return slices.Compact(lists.Each(delays, func(d time.Duration) time.Duration { return later(clock, d) }))
}

// eachDeadline calls check with the clock at the beginning, within a tick, far out and near the end. Nothing is pending.
func (r *trial) eachDeadline(check func(clock, deadline time.Duration)) {
	unit := r.unit()
	last := end - times(unit, 4)
	for _, clock := range []time.Duration{0, unit/2 + 1, times(unit, 3) - 1, 1<<40 + 7, end - times(unit, 1000), last} {
		for _, deadline := range r.deadlines(clock) {
			check(clock, deadline)
		}
	}
}

func inTime(r *trial) {
	r.eachDeadline(func(clock, deadline time.Duration) {
		due := max(r.dueAt(clock, deadline), clock)
		for _, way := range [][]time.Duration{
			{clock + (deadline-clock)/2, deadline - 1, due - 1, due},
			{due},
			{later(deadline, max(r.Tick-1, 0))},
		} {
			r := r.freshAt(clock)
			r.schedule(deadline)
			for _, now := range way {
				r.expire(now, 8)
			}
		}
	})
}

func pastDeadline(r *trial) {
	unit := r.unit()
	for _, clock := range []time.Duration{0, 1, unit - 1, unit, unit + 1, times(unit, 1000) - 1, 1<<50 + 3, end} {
		for _, next := range []time.Duration{clock, later(clock, 1), later(clock, times(unit, 100))} {
			r := r.freshAt(clock)
			for _, past := range []time.Duration{clock, clock - 1, clock - unit/2, clock - unit, clock / 2, 0, -1, longPast} {
				r.cancel(r.schedule(past))
				r.schedule(past)
			}
			r.expire(clock-1, 100)
			r.expire(next, 100)
		}
	}
}

func clockBackwards(r *trial) {
	r.schedule(0)
	r.expire(-5, 8)
	r.expire(0, 8)
	clock := times(r.unit(), 10)
	for _, room := range []int{0, 8} {
		r := r.freshAt(clock)
		for _, past := range []time.Duration{clock, clock - times(r.unit(), 2)} {
			r.schedule(past)
			for _, now := range []time.Duration{clock - 1, 0, -1, longPast} {
				r.expire(now, 8)
			}
		}
		r.expire(clock, room)
		r.expire(clock, 8)
		r.expire(clock, 8)
		ahead := clock + r.spread(4)[1]
		r.schedule(ahead)
		r.expire(r.dueAt(clock, ahead), 8)
	}
}

func order(r *trial) {
	for _, delays := range [][]time.Duration{r.spread(200), r.delays()} {
		n := len(delays)
		for _, room := range []int{1, 2, 7, n - 1, n} {
			for i, now := range []time.Duration{delays[n/2], delays[n-1], end} {
				r := r.fresh()
				r.scheduleAll(shuffled(delays))
				r.drain(now, room, time.Duration(i%2))
				r.drain(end, room, 0)
			}
		}
	}
}

// sameValue passes by the model, which knows each timer by its value.
func sameValue(r *trial) {
	const n = 3000
	deadline := r.spread(2)[0]
	for range n {
		r.unchecked(deadline, 7)
	}
	due := make([]uint64, 2*n)
	got := r.sched.Expire(r.dueAt(0, deadline), due)
	if got != n || slices.ContainsFunc(due[:n], func(v uint64) bool { return v != 7 }) {
		r.fail("%d values came out of %d that are equal, or others", got, n)
	}
}

func manyComeOut(r *trial) {
	deadlines := r.spread(r.affordable(100_000))
	r.scheduleAll(deadlines)
	last := slices.Max(deadlines)
	for i := range time.Duration(16) {
		r.drain(last/16*(i+1), 1000, 0)
	}
	r.drain(r.dueAt(0, last), 1000, 0)
}

func cancelOnce(r *trial) {
	r.eachDeadline(func(clock, deadline time.Duration) {
		r := r.freshAt(clock)
		between := clock + (deadline-clock)/2
		id, fired := r.schedule(between), r.schedule(deadline)
		for _, now := range []time.Duration{clock, r.dueAt(clock, between), r.dueAt(clock, deadline)} {
			r.cancel(id)
			r.expire(now, 8)
		}
		r.cancel(fired)
	})
}

func cancelSpares(r *trial) {
	const n = 400
	delays := r.spread(n)
	step := max(delays[n-1]/(3*n), 1)
	for _, keep := range []int{1, 2, 3, 10, n} {
		r := r.fresh()
		for i, id := range r.scheduleAll(shuffled(delays)) {
			if i%keep != 0 {
				r.cancel(id)
			}
		}
		for now := step; now < delays[n-1]; now += step {
			r.drain(now, 3, 0)
		}
		r.drain(r.dueAt(0, delays[n-1]), 3, 0)
	}
}

// waiting takes away what is due and had no room, by Cancel and by Reset, all of it or every other value.
func waiting(r *trial) {
	far := r.spread(40)[39]
	for _, delays := range [][]time.Duration{r.spread(20), make([]time.Duration, 20)} {
		now := r.dueAt(0, delays[19])
		for i, away := range []func(r *trial, id schedulers.ID){
			(*trial).cancel,
			func(r *trial, id schedulers.ID) { r.reset(id, later(now, far)) },
			(*trial).cancel,
			func(r *trial, id schedulers.ID) { r.reset(id, now) },
		} {
			for _, room := range []int{0, 1, 10} {
				r := r.fresh()
				r.schedule(far)
				ids := r.scheduleAll(delays)
				r.expire(now, room)
				for before := range time.Duration(3) {
					ids = append(ids, r.schedule(now-before))
				}
				for at := 0; at < len(ids); at += 1 + i/2 {
					away(r, ids[at])
				}
				r.drain(now, 3, 0)
				r.drain(end, 3, 0)
			}
		}
	}
}

func reset(r *trial) {
	_, ok := r.sched.(schedulers.Resetter)
	r.need(ok, "is no Resetter")
	delays := r.delays()
	for i, from := range delays {
		for _, to := range []time.Duration{from, delays[len(delays)-1-i], delays[i/2], -1, end} {
			r := r.fresh()
			r.schedule(from)
			id := r.schedule(from)
			r.reset(id, to)
			before, after := r.dueAt(0, from), r.dueAt(0, to)
			for _, now := range slices.Sorted(slices.Values([]time.Duration{before, after - 1, after})) {
				r.expire(now, 8)
			}
			r.reset(id, end)
		}
	}
}

// oldIDs uses a cell again and again.
func oldIDs(r *trial) {
	delay := r.spread(4)[2]
	for i := range 5000 {
		id := r.schedule(later(r.model.clock, delay))
		old := r.stale[i%len(r.stale)]
		r.cancel(old)
		r.reset(old, r.model.clock)
		switch i % 7 {
		case 1, 2, 3:
			r.cancel(id)
		case 6:
			r.expire(r.dueAt(r.model.clock, later(r.model.clock, delay)), 8)
		}
	}
}

// garbage returns IDs that no value has, most of them made from valid IDs.
func garbage(ids []schedulers.ID) []schedulers.ID {
	out := []schedulers.ID{0, 1, 2, math.MaxUint32, 1 << 32, 1<<32 - 1, 1 << 63, math.MaxUint64}
	for _, id := range ids {
		cell, gen := id.Cell(), id.Generation()
		out = append(out, schedulers.MakeID(cell, gen+1), schedulers.MakeID(cell, gen-1), schedulers.MakeID(cell, 0),
			schedulers.MakeID(cell+1000, gen), schedulers.MakeID(math.MaxUint32-cell, gen), ^id)
	}
	return out
}

func foreignIDs(r *trial) {
	other := r.fresh()
	strangers := append(garbage(nil), other.scheduleAll(append(r.spread(100), 0))...)
	var own []schedulers.ID
	for range 2 {
		for _, id := range append(garbage(own), strangers...) {
			if !slices.Contains(own, id) {
				r.cancel(id)
				r.reset(id, 0)
				r.reset(id, end)
			}
		}
		own = r.scheduleAll(r.spread(5))
	}
	r.drain(end, 2, 0)
	other.drain(end, 8, 0)
}

func nextSuffices(r *trial) {
	delays := r.delays()
	wakes := 80 * len(delays) // of a wheel with 63 levels, which two slots per level make
	r.scheduleAll(shuffled(delays))
	for n := 0; r.sched.Len() > 0; n++ {
		wake, _ := r.sched.Next()
		if n == wakes {
			r.fail("after %d wake-ups %d of %d values are still pending, Next is %d", n, r.sched.Len(), len(delays), wake)
		}
		r.drain(max(wake, 0), 5, 0)
	}
}

func resolution(r *trial) {
	reports, ok := r.sched.(schedulers.Resolution)
	r.need(ok, "does not report a tick")
	if got := reports.Tick(); got != r.Tick {
		r.fail("Tick is %v, but the description says %v", got, r.Tick)
	}
}

func modelAgrees(r *trial) {
	for seed, ops := range []int{50, 500, 5000, 20_000, 60_000} {
		for i := range uint64(4) {
			if err := Compare(r.Scheduler, uint64(seed)<<8+i, ops); err != nil {
				r.fail("%w", err)
			}
		}
	}
}

// shuffled returns a copy of delays in an order that is the same in every run.
func shuffled(delays []time.Duration) []time.Duration {
	delays = slices.Clone(delays)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(delays), func(i, j int) { delays[i], delays[j] = delays[j], delays[i] })
	return delays
}
