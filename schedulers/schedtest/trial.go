package schedtest

import (
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/schedulers"
)

// trial is a fresh scheduler in a case. Its methods end the case when an answer is wrong. Frequent ones call Helper only
// then: it walks the stack.
type trial struct {
	TestingT
	Scheduler
	sched schedulers.Scheduler[uint64]
	outAt []time.Duration // by value: when scheduleAll's values are due
}

func begin(t TestingT, s Scheduler) *trial {
	t.Helper()
	sched, err := s.New()
	r := &trial{TestingT: t, Scheduler: s, sched: sched}
	if err != nil {
		r.fatalf("New failed: %v", err)
	}
	return r
}

func (r *trial) fresh() *trial { return begin(r.TestingT, r.Scheduler) }

// freshAt starts another trial with the clock at now.
func (r *trial) freshAt(now time.Duration) *trial {
	r.Helper()
	r = r.fresh()
	r.expectNone(now)
	return r
}

func (r *trial) fatalf(format string, args ...any) {
	r.Helper()
	r.Errorf(format, args...)
	r.FailNow()
}

// need skips the case unless ok. lacking names what the scheduler does not have.
func (r *trial) need(ok bool, lacking string) {
	r.Helper()
	if !ok {
		r.Skipf("%s %s", r.Name, lacking)
	}
}

// optional returns the scheduler as an I, or skips the case.
func optional[I any](r *trial, lacking string) I {
	r.Helper()
	i, ok := r.sched.(I)
	r.need(ok, lacking)
	return i
}

func (r *trial) resetter() schedulers.Resetter {
	return optional[schedulers.Resetter](r, "is no Resetter")
}

func (r *trial) meter() schedulers.Meter {
	return optional[schedulers.Meter](r, "is no Meter, so its work cannot be counted")
}

func (r *trial) schedule(deadline time.Duration, value uint64) schedulers.ID {
	id, err := r.sched.Schedule(deadline, value)
	if err != nil {
		r.Helper()
		r.fatalf("Schedule(%d) was refused: %v", deadline, err)
	}
	return id
}

// scheduleAll schedules value i for deadlines[i], with the clock at 0, and returns the IDs.
func (r *trial) scheduleAll(deadlines []time.Duration) []schedulers.ID {
	r.Helper()
	ids := make([]schedulers.ID, len(deadlines))
	r.outAt = r.outAt[:0]
	for i, d := range deadlines {
		ids[i] = r.schedule(d, uint64(i))
		r.outAt = append(r.outAt, r.dueAt(0, d))
	}
	return ids
}

// cancel cancels and demands the answer want.
func (r *trial) cancel(id schedulers.ID, want bool) {
	if got := r.sched.Cancel(id); got != want {
		r.Helper()
		r.fatalf("Cancel(%#x) is %v, want %v", uint64(id), got, want)
	}
}

// reset resets a pending value to a deadline that must be accepted.
func (r *trial) reset(id schedulers.ID, deadline time.Duration) {
	if ok, err := r.resetter().Reset(id, deadline); !ok || err != nil {
		r.Helper()
		r.fatalf("Reset(%#x, %d) is %v, %v for a pending value", uint64(id), deadline, ok, err)
	}
}

// expectStale demands that Cancel refuses id, and Reset too where there is one.
func (r *trial) expectStale(id schedulers.ID, deadline time.Duration) {
	r.cancel(id, false)
	if resetter, ok := r.sched.(schedulers.Resetter); ok {
		if ok, _ := resetter.Reset(id, deadline); ok {
			r.Helper()
			r.fatalf("Reset(%#x) is true for an ID that is not pending", uint64(id))
		}
	}
}

// expire moves to now and returns what came out into room.
func (r *trial) expire(now time.Duration, room int) []uint64 {
	due := make([]uint64, room)
	n := r.sched.Expire(now, due)
	if n < 0 || n > room {
		r.Helper()
		r.fatalf("Expire(%d) returned %d with room for %d", now, n, room)
	}
	return due[:n]
}

// drain takes out all that is due at now, room values at a time.
func (r *trial) drain(now time.Duration, room int) (all []uint64) {
	r.Helper()
	for {
		got := r.expire(now, room)
		all = append(all, got...)
		if len(got) < room {
			return all
		}
	}
}

// drainSince is drain, and demands that the values are due after from.
func (r *trial) drainSince(from, now time.Duration, room int) []uint64 {
	r.Helper()
	all := r.drain(now, room)
	for _, v := range all {
		if at := r.outAt[v]; at <= from || at > now {
			r.fatalf("value %d, due at %d, came out at %d, and not at %d or before", v, at, now, from)
		}
	}
	return all
}

func (r *trial) expectNone(now time.Duration) {
	r.Helper()
	r.expect(now)
}

// expect demands that exactly the values want, in any order, are due at now.
func (r *trial) expect(now time.Duration, want ...uint64) {
	r.Helper()
	if got := r.expire(now, len(want)+8); !slices.Equal(sorted(got), sorted(want)) {
		r.fatalf("at %d values %v came out, want %v", now, got, want)
	}
}

// expectEach demands that got holds each of the values want once.
func (r *trial) expectEach(got, want []uint64) {
	r.Helper()
	got, want = sorted(got), sorted(want)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			r.fatalf("value %d came out or was listed where %d was to be the next: one is missing or there twice", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		r.fatalf("%d of %d values came out or were listed", len(got), len(want))
	}
}

func (r *trial) expectLen(want int) {
	if got := r.sched.Len(); got != want {
		r.Helper()
		r.fatalf("Len is %d, want %d", got, want)
	}
}

// expectOrdered demands that values of scheduleAll are in the order of their ticks.
func (r *trial) expectOrdered(values []uint64) {
	r.Helper()
	var reached time.Duration
	for _, v := range values {
		if at := r.outAt[v]; at < reached {
			r.fatalf("a value of the tick at %d came out after one of the tick at %d", at, reached)
		}
		reached = r.outAt[v]
	}
}

// expectWake returns Next, which must be ok, and neither before first nor after last.
func (r *trial) expectWake(first, last time.Duration) time.Duration {
	r.Helper()
	wake, ok := r.sched.Next()
	if !ok {
		r.fatalf("Next reports that nothing is pending, but Len is %d", r.sched.Len())
	}
	if wake < first || wake > last {
		r.fatalf("Next is %d, want %d to %d", wake, first, last)
	}
	return wake
}

// expectAsleep returns Next, which must be ok.
func (r *trial) expectAsleep() time.Duration { return r.expectWake(longPast, end) }

func (r *trial) expectIdle() {
	if wake, ok := r.sched.Next(); ok {
		r.Helper()
		r.fatalf("Next is %d, but nothing is pending", wake)
	}
}

func upTo(n int) []uint64 {
	values := make([]uint64, n)
	for i := range values {
		values[i] = uint64(i)
	}
	return values
}

func sorted(values []uint64) []uint64 { return slices.Sorted(slices.Values(values)) }

// shuffled returns a copy of delays in an order that is the same in every run.
func shuffled(delays []time.Duration) []time.Duration {
	delays = slices.Clone(delays)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(delays), func(i, j int) { delays[i], delays[j] = delays[j], delays[i] })
	return delays
}

// affordable returns how many of n values a case schedules. Without a Meter it is a tenth: each insertion may be a pass
// over all values.
func (r *trial) affordable(n int) int {
	if _, counts := r.sched.(schedulers.Meter); !counts {
		return n / 10
	}
	return n
}

// cheapOrder returns ascending delays in the direction that is less work for the scheduler. A sorted list then takes
// very many of them, whichever end it scans from.
func (r *trial) cheapOrder(delays []time.Duration) []time.Duration {
	descending := slices.Clone(delays)
	slices.Reverse(descending)
	if r.queueWork(descending) < r.queueWork(delays) {
		return descending
	}
	return delays
}

// queueWork returns the work counted for the first of the delays, or 0 if the scheduler is no Meter.
func (r *trial) queueWork(delays []time.Duration) uint64 {
	r = r.fresh()
	meter, ok := r.sched.(schedulers.Meter)
	if !ok {
		return 0
	}
	r.scheduleAll(delays[:min(len(delays), 300)])
	return total(meter.Work())
}

func total(w schedulers.Work) uint64 {
	return w.Visits + w.Moves + w.Levels + w.Slots + w.Cascades + w.Swept + w.Upkeep
}
