package schedtest

import (
	"math"
	"time"

	"schedbench/schedulers"
)

// cancelCases check Cancel and the IDs it is given.
func cancelCases() []Case {
	return []Case{
		{"cancel-once", "Cancel is true exactly once for a pending value, which then never comes out.", cancelOnce},
		{"cancel-spares-others", "Cancelling some values leaves all others to come out in time.", cancelSpares},
		{"cancel-fired", "Cancel is false for a value that has been handed out.", cancelFired},
		{"cancel-waiting", "A value that is due but did not fit in the buffer can still be cancelled, " +
			"and then never comes out.", cancelWaiting},
		{"stale-ids", "An ID is never valid again after its value fired or was cancelled, " +
			"even when its cell holds another value.", staleIDs},
		{"foreign-ids", "Zero, garbage and the IDs of another scheduler are refused and do no harm.", foreignIDs},
		{"unique-ids", "No ID is zero and none is given out twice.", uniqueIDs},
		{"independent", "Schedulers share nothing.", independent},
	}
}

func cancelOnce(t TestingT, s Subject) {
	for i, delay := range s.delays() {
		r := begin(t, s)
		id := r.schedule(delay, uint64(i))
		r.cancel(id, true)
		r.expectLen(0)
		r.cancel(id, false)
		r.expectLen(0)
		r.expectNone(s.dueAt(0, delay))
		r.cancel(id, false)
		r.expectNone(end)
	}
}

func cancelSpares(t TestingT, s Subject) {
	const n = 400
	delays := s.spread(n)
	for _, keep := range []int{2, 3, 10, n} {
		r := begin(t, s)
		deadlines := shuffled(delays)
		ids := r.scheduleAll(deadlines)
		kept := map[uint64]bool{}
		for i, id := range ids {
			if i%keep == 0 {
				kept[uint64(i)] = true
				continue
			}
			r.cancel(id, true)
		}
		r.expectLen(len(kept))
		for _, now := range delays {
			for _, v := range r.drain(now, 3) {
				at := s.dueAt(0, deadlines[v])
				if !kept[v] || at > now || at <= now-2*s.unit() {
					r.fatalf("value %d of deadline %d came out at %d", v, deadlines[v], now)
				}
				delete(kept, v)
			}
		}
		for _, v := range r.drain(s.dueAt(0, delays[n-1]), 3) {
			delete(kept, v)
		}
		if len(kept) > 0 {
			t.Errorf("%d values that nobody cancelled did not come out", len(kept))
		}
	}
}

func cancelFired(t TestingT, s Subject) {
	r := begin(t, s)
	delays := s.spread(20)
	ids := r.scheduleAll(delays)
	now := s.dueAt(0, delays[19])
	r.drain(now, 6)
	for _, id := range ids {
		r.cancel(id, false)
	}
	r.expectLen(0)
	r.expectNone(now)
}

func cancelWaiting(t TestingT, s Subject) {
	const n = 40
	for _, delays := range [][]time.Duration{s.spread(n), make([]time.Duration, n)} {
		r := begin(t, s)
		ids := r.scheduleAll(delays)
		now := s.dueAt(0, delays[n-1])
		out := map[uint64]bool{}
		for _, v := range r.expire(now, 10) {
			out[v] = true
		}
		cancelled := map[uint64]bool{}
		for i, id := range ids {
			v := uint64(i)
			if i%2 == 0 {
				r.cancel(id, !out[v])
				cancelled[v] = !out[v]
			}
		}
		for _, v := range r.drain(now, 3) {
			if cancelled[v] || out[v] {
				r.fatalf("value %d came out after it was cancelled or had come out", v)
			}
			out[v] = true
		}
		for i := range uint64(n) {
			if out[i] == cancelled[i] {
				r.fatalf("value %d: came out %v, was cancelled %v", i, out[i], cancelled[i])
			}
		}
		r.expectLen(0)
	}
}

func staleIDs(t TestingT, s Subject) {
	const rounds = 50
	r := begin(t, s)
	delay := s.spread(4)[2]
	var stale []schedulers.ID
	now := time.Duration(0)
	for i := range uint64(rounds) {
		id := r.schedule(now+delay, i)
		for _, old := range stale {
			r.cancel(old, false)
			expectNoReset(r, old, now)
		}
		r.expectLen(1)
		if i%2 == 0 {
			r.cancel(id, true)
		} else {
			now = s.dueAt(now, now+delay)
			r.expect(now, i)
		}
		stale = append(stale, id)
	}
}

// expectNoReset demands that a Resetter refuses id.
func expectNoReset(r *trial, id schedulers.ID, deadline time.Duration) {
	r.Helper()
	resetter, ok := r.sched.(schedulers.Resetter)
	if !ok {
		return
	}
	if ok, _ := resetter.Reset(id, deadline); ok {
		r.fatalf("Reset(%#x) is true for an ID that is not pending", uint64(id))
	}
}

// garbage returns IDs that belong to nobody, made from the IDs of others.
func garbage(ids []schedulers.ID) []schedulers.ID {
	out := []schedulers.ID{0, 1, 2, math.MaxUint32, 1 << 32, 1<<32 - 1, 1 << 63, math.MaxUint64}
	for _, id := range ids {
		cell, gen := id.Cell(), id.Generation()
		out = append(out, schedulers.MakeID(cell, gen+1), schedulers.MakeID(cell, gen-1), schedulers.MakeID(cell, 0),
			schedulers.MakeID(cell+1000, gen), schedulers.MakeID(math.MaxUint32-cell, gen), ^id)
	}
	return out
}

func foreignIDs(t TestingT, s Subject) {
	r := begin(t, s)
	for _, id := range garbage(nil) {
		r.cancel(id, false)
		expectNoReset(r, id, 0)
	}
	delays := s.spread(5)
	ids := r.scheduleAll(delays)
	own := map[schedulers.ID]bool{}
	for _, id := range ids {
		own[id] = true
	}
	other := begin(t, s)
	strangers := other.scheduleAll(append(s.spread(100), 0))
	for _, id := range append(garbage(ids), strangers...) {
		if !own[id] {
			r.cancel(id, false)
			expectNoReset(r, id, 0)
		}
	}
	r.expectLen(5)
	expectEach(r, r.drain(s.dueAt(0, delays[4]), 2), 5)
}

func uniqueIDs(t TestingT, s Subject) {
	r := begin(t, s)
	delay := s.spread(4)[2]
	seen := map[schedulers.ID]bool{0: true}
	now := time.Duration(0)
	for i := range uint64(5000) {
		id := r.schedule(now+delay, i)
		if seen[id] {
			r.fatalf("Schedule returned ID %#x, which is zero or was given out before", uint64(id))
		}
		seen[id] = true
		switch i % 7 {
		case 1, 2, 3:
			r.cancel(id, true)
		case 6:
			now = s.dueAt(now, now+delay)
			r.drain(now, 8)
		}
	}
}

func independent(t TestingT, s Subject) {
	a, b := begin(t, s), begin(t, s)
	delay := s.spread(4)[2]
	id := a.schedule(delay, 1)
	b.expectLen(0)
	b.cancel(id, false)
	b.expectNone(end)
	a.expectLen(1)
	a.expect(s.dueAt(0, delay), 1)
}
