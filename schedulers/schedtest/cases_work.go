package schedtest

import (
	"time"

	"schedbench/schedulers"
)

// workCases check what operations cost, by the counters of a Meter.
func workCases() []Case {
	return []Case{
		{"idle-jump", "With nothing pending a jump of any length costs nothing, at most the removal of " +
			"what was cancelled.", idleJump},
		{"long-jump", "A jump of any length costs at most a pass over what is pending and over the slots, " +
			"never a step per tick or rotation.", longJump},
		{"held-bound", "Cancelled entries that still take up room never outnumber the pending ones by more " +
			"than MaxHeld.", heldBound},
	}
}

// stepsPerEntry bounds the steps that a jump may count for each pending value
// and slot. It leaves room for the depth of a heap and the levels of a wheel.
const stepsPerEntry = 64

// expireWork moves to now and returns the steps that this took.
func (r *trial) expireWork(meter schedulers.Meter, now time.Duration) uint64 {
	r.Helper()
	before := meter.Work()
	r.expire(now, roomiest)
	return total(meter.Work().Sub(before))
}

func idleJump(t TestingT, s Subject) {
	for _, cancelled := range []int{0, 1, 3000} {
		r := begin(t, s)
		meter := r.meter()
		ids := r.scheduleAll(s.spread(cancelled + 1))
		for _, id := range ids {
			r.cancel(id, true)
		}
		for now := s.unit(); now < end/2; now *= 2 {
			limit := 4 * meter.Work().Held
			if steps := r.expireWork(meter, now); steps > limit {
				r.fatalf("with nothing pending, moving to %d counted %d steps, want at most %d", now, steps, limit)
			}
		}
	}
}

// longJump doubles the length of the jump, so that a scheduler that steps
// through the ticks is caught before it takes forever.
func longJump(t TestingT, s Subject) {
	for _, n := range []int{1, 100, 1000} {
		limit := uint64(stepsPerEntry * (n + s.Slots + 1))
		far := make([]time.Duration, n)
		for i := range far {
			far[i] = s.maxDelay() - min(time.Duration(i), s.maxDelay())
		}
		r := begin(t, s)
		meter := r.meter()
		r.scheduleAll(far)
		for now := s.unit(); now < end/2; now *= 2 {
			r.expectCheap(r.expireWork(meter, now), limit, n, now)
		}
		for jump := s.unit(); jump < end/2; jump *= 2 {
			r := begin(t, s)
			r.scheduleAll(shuffled(s.spread(n)))
			r.expectCheap(r.expireWork(r.meter(), jump), limit, n, jump)
		}
	}
}

// expectCheap demands that a jump to now took at most limit steps.
func (r *trial) expectCheap(steps, limit uint64, pending int, now time.Duration) {
	r.Helper()
	if steps > limit {
		r.fatalf("with %d pending and %d slots, a jump to %d counted %d steps, want at most %d",
			pending, r.subject.Slots, now, steps, limit)
	}
}

func heldBound(t TestingT, s Subject) {
	const n = 10_000
	r := begin(t, s)
	meter := r.meter()
	deadlines := cheapOrder(t, s, s.spread(n))
	ids := r.scheduleAll(deadlines)
	for stride := range 3 {
		for i := stride; i < n; i += 3 {
			r.cancel(ids[i], true)
			r.expectHeld(meter)
		}
	}
	for i := range 3 * n {
		r.cancel(r.schedule(deadlines[i%n], 1), true)
		r.expectHeld(meter)
	}
	ids = r.scheduleAll(deadlines)
	for _, d := range s.spread(20) {
		r.drain(d, 100)
		r.expectHeld(meter)
	}
	for _, id := range ids {
		r.sched.Cancel(id)
		r.expectHeld(meter)
	}
}

// expectHeld demands that the bound on cancelled entries is kept.
func (r *trial) expectHeld(meter schedulers.Meter) {
	r.Helper()
	pending, held := r.sched.Len(), meter.Work().Held
	if held > uint64(pending+schedulers.MaxHeld) {
		r.fatalf("%d cancelled entries are held with %d values pending", held, pending)
	}
}
