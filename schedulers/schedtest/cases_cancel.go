package schedtest

import (
	"math"
	"slices"
	"time"

	"schedbench/schedulers"
)

func cancelOnce(r *trial) {
	for i, delay := range r.delays() {
		r := r.fresh()
		id := r.schedule(delay, uint64(i))
		for _, want := range []bool{true, false} {
			r.cancel(id, want)
			r.expectLen(0)
		}
		r.expectNone(r.dueAt(0, delay))
		r.cancel(id, false)
		r.expectNone(end)
	}
}

func cancelSpares(r *trial) {
	const n = 400
	delays := r.spread(n)
	for _, keep := range []uint64{2, 3, 10, n} {
		r := r.fresh()
		ids := r.scheduleAll(shuffled(delays))
		kept := slices.DeleteFunc(upTo(n), func(v uint64) bool { return v%keep != 0 })
		for v, id := range ids {
			if uint64(v)%keep != 0 {
				r.cancel(id, true)
			}
		}
		r.expectLen(len(kept))
		var out []uint64
		for _, now := range delays {
			out = append(out, r.drainSince(now-2*r.unit(), now, 3)...)
		}
		out = append(out, r.drain(slices.Max(r.outAt), 3)...)
		r.expectEach(out, kept)
	}
}

func cancelFired(r *trial) {
	ids := r.scheduleAll(r.spread(20))
	now := r.outAt[19]
	r.drain(now, 6)
	for _, id := range ids {
		r.cancel(id, false)
	}
	r.expectLen(0)
	r.expectNone(now)
}

func cancelWaiting(r *trial) {
	const n = 40
	for _, delays := range [][]time.Duration{r.spread(n), make([]time.Duration, n)} {
		r := r.fresh()
		ids := r.scheduleAll(delays)
		now := r.outAt[n-1]
		gone := r.expire(now, 10)
		for i := 0; i < n; i += 2 {
			v := uint64(i)
			waits := !slices.Contains(gone, v)
			r.cancel(ids[v], waits)
			if waits {
				gone = append(gone, v)
			}
		}
		r.expectEach(append(gone, r.drain(now, 3)...), upTo(n))
		r.expectLen(0)
	}
}

func staleIDs(r *trial) {
	delay := r.spread(4)[2]
	var stale []schedulers.ID
	now := time.Duration(0)
	for i := range uint64(50) {
		id := r.schedule(now+delay, i)
		for _, old := range stale {
			r.expectStale(old, now)
		}
		r.expectLen(1)
		if i%2 == 0 {
			r.cancel(id, true)
		} else {
			now = r.dueAt(now, now+delay)
			r.expect(now, i)
		}
		stale = append(stale, id)
	}
}

// garbage returns IDs that no value has, some of them made from valid IDs.
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
	for _, id := range garbage(nil) {
		r.expectStale(id, 0)
	}
	own := r.scheduleAll(r.spread(5))
	strangers := r.fresh().scheduleAll(append(r.spread(100), 0))
	for _, id := range append(garbage(own), strangers...) {
		if !slices.Contains(own, id) {
			r.expectStale(id, 0)
		}
	}
	r.expectLen(5)
	r.expectEach(r.drain(r.outAt[4], 2), upTo(5))
}

func uniqueIDs(r *trial) {
	delay := r.spread(4)[2]
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
			now = r.dueAt(now, now+delay)
			r.drain(now, 8)
		}
	}
}

func independent(r *trial) {
	other := r.fresh()
	delay := r.spread(4)[2]
	id := r.schedule(delay, 1)
	other.expectLen(0)
	other.cancel(id, false)
	other.expectNone(end)
	r.expectLen(1)
	r.expect(r.dueAt(0, delay), 1)
}

func reset(r *trial) {
	delays := r.delays()
	for i, from := range delays {
		for _, to := range []time.Duration{from, delays[len(delays)-1-i], delays[i/2], -1} {
			r := r.fresh()
			r.schedule(from, 1)
			id := r.schedule(from, 2)
			r.reset(id, to)
			r.expectLen(2)
			due := max(r.dueAt(0, to), 0)
			if due > r.dueAt(0, from) {
				r.expect(r.dueAt(0, from), 1)
				r.expectNone(due - 1)
				r.expect(due, 2)
			} else if got := r.expire(due, 8); !slices.Contains(got, 2) {
				r.fatalf("values %v came out, and not value 2", got)
			}
			r.cancel(id, false)
		}
	}
}

func resetWaiting(r *trial) {
	r.resetter()
	delay := r.spread(4)[0]
	r.need(delay > 0, "reaches no deadline ahead of the clock")
	first, second := r.schedule(delay, 1), r.schedule(delay, 2)
	now := r.dueAt(0, delay)
	r.sched.Expire(now, nil)
	r.reset(first, now+delay)
	r.expect(now, 2)
	r.expectStale(second, now+delay)
	r.expectNone(now)
	r.expect(r.dueAt(now, now+delay), 1)
}

func resetRefused(r *trial) {
	re := r.resetter()
	for _, id := range garbage(nil) {
		r.expectStale(id, 0)
		r.expectStale(id, end)
	}
	gone := r.schedule(0, 1)
	r.cancel(gone, true)
	r.expectStale(gone, 0)
	r.expectNone(0)

	delay := r.spread(4)[2]
	id := r.schedule(delay, 2)
	due := r.dueAt(0, delay)
	ok, err := re.Reset(id, end)
	switch {
	case !ok:
		r.fatalf("Reset to the maximum duration is false for a pending value")
	case err == nil:
		due = r.dueAt(0, end)
	case r.Horizon == 0:
		r.fatalf("Reset to the maximum duration was refused: %v", err)
	default:
		r.expectRefusal(err)
	}
	r.expectLen(1)
	if due > 0 {
		r.expectNone(due - 1)
	}
	r.expect(due, 2)
	r.expectStale(id, due)
}

func all(r *trial) {
	ranger := optional[schedulers.Ranger[uint64]](r, "is no Ranger")
	const n = 300
	ids := r.scheduleAll(r.spread(n))
	pending := upTo(n)
	expect := func() {
		r.Helper()
		var listed []uint64
		for id, v := range ranger.All() {
			if v >= n || ids[v] != id {
				r.fatalf("All yields value %d with ID %#x, which is not its own", v, uint64(id))
			}
			listed = append(listed, v)
		}
		r.expectEach(listed, pending)
	}
	expect()
	for i := 0; i < n; i += 3 {
		r.cancel(ids[i], true)
	}
	pending = slices.DeleteFunc(pending, func(v uint64) bool { return v%3 == 0 })
	expect()
	out := r.expire(r.outAt[n/2], n/4)
	pending = slices.DeleteFunc(pending, func(v uint64) bool { return slices.Contains(out, v) })
	expect()
	for range ranger.All() {
		break
	}
	r.drain(end, n)
	pending = nil
	expect()
}

func resolution(r *trial) {
	if got := optional[schedulers.Resolution](r, "does not report a tick").Tick(); got != r.Tick {
		r.Errorf("Tick is %v, but the description says %v", got, r.Tick)
	}
}
