package schedtest

import (
	"slices"
	"time"

	"schedbench/schedulers"
)

// trial is a fresh scheduler under a case, with calls that end the case when
// the answer is wrong.
type trial struct {
	TestingT
	subject Subject
	sched   schedulers.Scheduler[uint64]
}

// begin starts a trial.
func begin(t TestingT, s Subject) *trial {
	t.Helper()
	sched, err := s.New()
	r := &trial{TestingT: t, subject: s, sched: sched}
	if err != nil {
		r.fatalf("New failed: %v", err)
	}
	return r
}

// beginAt starts a trial with the clock at now.
func beginAt(t TestingT, s Subject, now time.Duration) *trial {
	t.Helper()
	r := begin(t, s)
	r.expectNone(now)
	return r
}

// fatalf ends the case as failed.
func (r *trial) fatalf(format string, args ...any) {
	r.Helper()
	r.Errorf(format, args...)
	r.FailNow()
}

// schedule schedules a value that must be accepted.
func (r *trial) schedule(deadline time.Duration, value uint64) schedulers.ID {
	r.Helper()
	id, err := r.sched.Schedule(deadline, value)
	if err != nil {
		r.fatalf("Schedule(%d) was refused: %v", deadline, err)
	}
	return id
}

// scheduleAll schedules value i for deadlines[i] and returns the IDs.
func (r *trial) scheduleAll(deadlines []time.Duration) []schedulers.ID {
	r.Helper()
	ids := make([]schedulers.ID, len(deadlines))
	for i, d := range deadlines {
		ids[i] = r.schedule(d, uint64(i))
	}
	return ids
}

// cancel cancels and demands the answer want.
func (r *trial) cancel(id schedulers.ID, want bool) {
	r.Helper()
	if got := r.sched.Cancel(id); got != want {
		r.fatalf("Cancel(%#x) is %v, want %v", uint64(id), got, want)
	}
}

// expire moves to now and returns what came out into room.
func (r *trial) expire(now time.Duration, room int) []uint64 {
	r.Helper()
	due := make([]uint64, room)
	n := r.sched.Expire(now, due)
	if n < 0 || n > room {
		r.fatalf("Expire(%d) returned %d with room for %d", now, n, room)
	}
	return due[:n]
}

// expectNone demands that nothing is due at now.
func (r *trial) expectNone(now time.Duration) {
	r.Helper()
	if got := r.expire(now, 8); len(got) > 0 {
		r.fatalf("at %d values %v came out, want none", now, got)
	}
}

// expect demands that exactly the values want, in any order, are due at now.
func (r *trial) expect(now time.Duration, want ...uint64) {
	r.Helper()
	got := r.expire(now, len(want)+8)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.fatalf("at %d values %v came out, want %v", now, got, want)
	}
}

// drain takes out all that is due at now, room values at a time.
func (r *trial) drain(now time.Duration, room int) []uint64 {
	r.Helper()
	var all []uint64
	for {
		got := r.expire(now, room)
		all = append(all, got...)
		if len(got) < room {
			return all
		}
	}
}

// expectLen demands that want values are pending.
func (r *trial) expectLen(want int) {
	r.Helper()
	if got := r.sched.Len(); got != want {
		r.fatalf("Len is %d, want %d", got, want)
	}
}

// expectOrdered demands that values, which index deadlines and were scheduled
// with the clock at 0, are in the order of their ticks.
func (r *trial) expectOrdered(values []uint64, deadlines []time.Duration) {
	r.Helper()
	var reached time.Duration
	for _, v := range values {
		at := r.subject.dueAt(0, deadlines[v])
		if at < reached {
			r.fatalf("a value of the tick at %d came out after one of the tick at %d", at, reached)
		}
		reached = at
	}
}

// meter returns the scheduler's counters, or skips the case.
func (r *trial) meter() schedulers.Meter {
	r.Helper()
	m, ok := r.sched.(schedulers.Meter)
	if !ok {
		r.Skipf("%s is no Meter, so its work cannot be counted", r.subject.Name)
	}
	return m
}

// total adds up the steps counted in w.
func total(w schedulers.Work) uint64 {
	return w.Visits + w.Moves + w.Levels + w.Slots + w.Cascades + w.Swept
}
