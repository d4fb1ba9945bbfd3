package schedtest

import (
	"time"

	"schedbench/schedulers"
)

// optionalCases check the interfaces that a scheduler may have beyond Scheduler.
func optionalCases() []Case {
	return []Case{
		{"reset", "Reset moves a pending value to another deadline, earlier or later, under the same ID.", reset},
		{"reset-waiting", "Reset takes back a value that is due but was not handed out yet.", resetWaiting},
		{"reset-refused", "Reset reports false for an ID that is not pending; where the deadline is refused " +
			"it reports true and the value stays at its old deadline.", resetRefused},
		{"all", "All yields every pending value with its ID, each once, and can be left early.", all},
		{"holds", "Holds is true exactly while Cancel would be, and changes nothing: false for what was " +
			"cancelled or handed out, for stale and foreign IDs, true for what is due and waits.", holds},
		{"resolution", "Tick returns the tick duration that deadlines are rounded to.", resolution},
	}
}

// resetter returns the scheduler as a Resetter, or skips the case.
func (r *trial) resetter() schedulers.Resetter {
	r.Helper()
	re, ok := r.sched.(schedulers.Resetter)
	if !ok {
		r.Skipf("%s is no Resetter", r.subject.Name)
	}
	return re
}

// reset resets a pending value to a deadline that must be accepted.
func (r *trial) reset(id schedulers.ID, deadline time.Duration) {
	r.Helper()
	if ok, err := r.resetter().Reset(id, deadline); !ok || err != nil {
		r.fatalf("Reset(%#x, %d) is %v, %v for a pending value", uint64(id), deadline, ok, err)
	}
}

func reset(t TestingT, s Subject) {
	delays := s.delays()
	for i, from := range delays {
		for _, to := range []time.Duration{from, delays[len(delays)-1-i], delays[i/2], -1} {
			r := begin(t, s)
			r.schedule(from, 1)
			id := r.schedule(from, 2)
			r.reset(id, to)
			r.expectLen(2)
			due := max(s.dueAt(0, to), 0)
			if due <= s.dueAt(0, from) {
				expectAmong(r, r.expire(due, 8), 2)
			} else {
				r.expect(s.dueAt(0, from), 1)
				r.expectNone(due - 1)
				r.expect(due, 2)
			}
			r.cancel(id, false)
		}
	}
}

// expectAmong demands that want is one of values.
func expectAmong(r *trial, values []uint64, want uint64) {
	r.Helper()
	for _, v := range values {
		if v == want {
			return
		}
	}
	r.fatalf("values %v came out, and not value %d", values, want)
}

func resetWaiting(t TestingT, s Subject) {
	r := begin(t, s)
	r.resetter()
	delay := s.spread(4)[0]
	if delay == 0 {
		t.Skipf("%s reaches no deadline ahead of the clock", s.Name)
	}
	first, second := r.schedule(delay, 1), r.schedule(delay, 2)
	now := s.dueAt(0, delay)
	r.sched.Expire(now, nil)
	r.reset(first, now+delay)
	r.expect(now, 2)
	r.cancel(second, false)
	if ok, _ := r.resetter().Reset(second, now+delay); ok {
		t.Errorf("Reset is true for a value that has come out")
	}
	r.expectNone(now)
	r.expect(s.dueAt(now, now+delay), 1)
}

func resetRefused(t TestingT, s Subject) {
	r := begin(t, s)
	re := r.resetter()
	for _, id := range garbage(nil) {
		expectNoReset(r, id, 0)
		expectNoReset(r, id, end)
	}
	gone := r.schedule(0, 1)
	r.cancel(gone, true)
	expectNoReset(r, gone, 0)
	r.expectNone(0)

	delay := s.spread(4)[2]
	id := r.schedule(delay, 2)
	due, rescheduled := s.dueAt(0, delay), s.dueAt(0, end)
	ok, err := re.Reset(id, end)
	switch {
	case !ok:
		r.fatalf("Reset to the maximum duration is false for a pending value")
	case err == nil:
		due = rescheduled
	case s.Horizon == 0:
		r.fatalf("Reset to the maximum duration was refused: %v", err)
	default:
		expectRefusal(r, err)
	}
	r.expectLen(1)
	if due > 0 {
		r.expectNone(due - 1)
	}
	r.expect(due, 2)
	expectNoReset(r, id, due)
}

func all(t TestingT, s Subject) {
	r := begin(t, s)
	ranger, ok := r.sched.(schedulers.Ranger[uint64])
	if !ok {
		t.Skipf("%s is no Ranger", s.Name)
	}
	const n = 300
	delays := s.spread(n)
	pending := map[schedulers.ID]uint64{}
	for i, id := range r.scheduleAll(delays) {
		pending[id] = uint64(i)
	}
	expectAll(r, ranger, pending)
	for id, v := range pending {
		if v%3 == 0 {
			r.cancel(id, true)
			delete(pending, id)
		}
	}
	expectAll(r, ranger, pending)
	out := map[uint64]bool{}
	for _, v := range r.expire(s.dueAt(0, delays[n/2]), n/4) {
		out[v] = true
	}
	for id, v := range pending {
		if out[v] {
			delete(pending, id)
		}
	}
	expectAll(r, ranger, pending)
	for range ranger.All() {
		break
	}
	r.drain(end, n)
	expectAll(r, ranger, nil)
}

func holds(t TestingT, s Subject) {
	r := begin(t, s)
	h, ok := r.sched.(schedulers.Holder)
	if !ok {
		t.Skipf("%s is no Holder", s.Name)
	}
	expect := func(id schedulers.ID, want bool, what string) {
		r.Helper()
		if got := h.Holds(id); got != want {
			r.fatalf("Holds(%#x) is %v for %s, want %v", uint64(id), got, what, want)
		}
	}
	expect(0, false, "the zero ID")
	expect(schedulers.MakeID(0, 1), false, "an ID of an empty scheduler")
	delay := s.delays()[0]
	gone := r.schedule(delay, 1)
	expect(gone, true, "what is pending")
	r.cancel(gone, true)
	expect(gone, false, "what was cancelled")
	first, second := r.schedule(delay, 2), r.schedule(delay, 3)
	expect(first, true, "one of two that are pending")
	expect(second, true, "one of two that are pending")
	expect(gone, false, "a stale ID whose cell may be in use again")
	for _, foreign := range []schedulers.ID{0, second ^ 1<<40, second ^ 1<<20, ^schedulers.ID(0)} {
		expect(foreign, false, "a foreign ID")
	}
	out := r.expire(s.dueAt(0, delay), 1)
	if len(out) != 1 {
		r.fatalf("%d values came out, want 1", len(out))
	}
	expect(first, out[0] != 2, "one of two that are due, when one of them was handed out")
	expect(second, out[0] != 3, "one of two that are due, when one of them was handed out")
	r.expectLen(1)
	r.drain(end, 8)
	expect(first, false, "what was handed out")
	expect(second, false, "what was handed out")
}

// expectAll demands that All yields exactly pending.
func expectAll(r *trial, ranger schedulers.Ranger[uint64], pending map[schedulers.ID]uint64) {
	r.Helper()
	seen := map[schedulers.ID]bool{}
	for id, value := range ranger.All() {
		want, ok := pending[id]
		if !ok || want != value || seen[id] {
			r.fatalf("All yields value %d with ID %#x, which is not pending or was yielded before", value, uint64(id))
		}
		seen[id] = true
	}
	if len(seen) != len(pending) {
		r.fatalf("All yields %d of %d pending values", len(seen), len(pending))
	}
}

func resolution(t TestingT, s Subject) {
	r := begin(t, s)
	if res, ok := r.sched.(schedulers.Resolution); ok {
		if got := res.Tick(); got != s.Tick {
			t.Errorf("Tick is %v, but the subject says %v", got, s.Tick)
		}
		return
	}
	t.Skipf("%s does not report a tick", s.Name)
}
