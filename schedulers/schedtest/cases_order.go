package schedtest

import (
	"math/rand/v2"
	"slices"
	"time"

	"schedbench/schedulers"
)

// orderCases check in which order values come out and how a due buffer limits
// them.
func orderCases() []Case {
	return []Case{
		{"order", "Values come out in the order of their ticks, however far the clock has jumped.", order},
		{"same-deadline", "All values of one deadline come out, also values that are equal.", sameDeadline},
		{"small-buffer", "Expire fills a buffer that is too small with the first values; the rest come out " +
			"in the next calls with the same or a later now, each once.", smallBuffer},
		{"no-buffer", "Expire with a buffer of length 0 moves the clock, returns 0 and loses nothing.", noBuffer},
		{"many-values", "A hundred thousand values come out, each once, in order.", manyComeOut},
	}
}

// shuffled returns a copy of delays in an order that is the same in every run.
func shuffled(delays []time.Duration) []time.Duration {
	delays = slices.Clone(delays)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(delays), func(i, j int) { delays[i], delays[j] = delays[j], delays[i] })
	return delays
}

func order(t TestingT, s Subject) {
	last := s.delays()[len(s.delays())-1]
	for _, delays := range [][]time.Duration{s.spread(500), s.delays()} {
		for _, now := range []time.Duration{delays[len(delays)/2], last, end} {
			r := begin(t, s)
			deadlines := shuffled(delays)
			r.scheduleAll(deadlines)
			r.expectOrdered(r.expire(now, len(deadlines)), deadlines)
			r.expectOrdered(r.expire(end, len(deadlines)), deadlines)
			r.expectLen(0)
		}
	}
}

func sameDeadline(t TestingT, s Subject) {
	const n = 3000
	deadline := s.spread(2)[0]
	r := begin(t, s)
	for range n {
		r.schedule(deadline, 7)
	}
	r.expectLen(n)
	got := r.drain(s.dueAt(0, deadline), 100)
	if len(got) != n {
		t.Errorf("%d of %d equal values came out", len(got), n)
	}
	if i := slices.IndexFunc(got, func(v uint64) bool { return v != 7 }); i >= 0 {
		t.Errorf("value %d came out and was never scheduled", got[i])
	}
}

func smallBuffer(t TestingT, s Subject) {
	const n = 200
	delays := s.spread(n)
	for _, room := range []int{1, 2, 7, n - 1, n} {
		// The clock stands still in one run, and creeps on in the other.
		for _, creep := range []time.Duration{0, 1} {
			r := begin(t, s)
			deadlines := shuffled(delays)
			r.scheduleAll(deadlines)
			var out []uint64
			now := s.dueAt(0, delays[n-1])
			for len(out) < n {
				got := r.expire(now, room)
				if want := min(room, n-len(out)); len(got) != want {
					r.fatalf("%d values came out into room for %d while %d are due", len(got), room, n-len(out))
				}
				out = append(out, got...)
				r.expectLen(n - len(out))
				now += creep
			}
			r.expectOrdered(out, deadlines)
			expectEach(r, out, n)
			r.expectNone(end)
		}
	}
}

// expectEach demands that values holds each of 0 to n-1 once.
func expectEach(r *trial, values []uint64, n int) {
	r.Helper()
	values = slices.Clone(values)
	slices.Sort(values)
	for i, v := range values {
		if v != uint64(i) {
			r.fatalf("value %d is missing or value %d came out twice", i, v)
		}
	}
	if len(values) != n {
		r.fatalf("%d of %d values came out", len(values), n)
	}
}

func noBuffer(t TestingT, s Subject) {
	delays := s.spread(10)
	r := begin(t, s)
	r.scheduleAll(delays)
	now := s.dueAt(0, delays[9])
	for range 3 {
		if n := r.sched.Expire(now, nil); n != 0 {
			r.fatalf("Expire returned %d without a buffer", n)
		}
		r.expectLen(10)
	}
	// The clock has moved, so this one is in the past.
	r.schedule(now-1, 10)
	if wake, ok := r.sched.Next(); !ok || wake > now {
		t.Errorf("Next is %d, %v with values due at %d", wake, ok, now)
	}
	expectEach(r, r.drain(now, 3), 11)
}

func manyComeOut(t TestingT, s Subject) {
	const n = 100_000
	r := begin(t, s)
	deadlines := cheapOrder(t, s, s.spread(n))
	r.scheduleAll(deadlines)
	r.expectLen(n)
	last := s.dueAt(0, slices.Max(deadlines))
	var out []uint64
	for i := range time.Duration(16) {
		out = append(out, r.drain(last/16*(i+1), 1000)...)
	}
	out = append(out, r.drain(last, 1000)...)
	r.expectOrdered(out, deadlines)
	expectEach(r, out, n)
}

// cheapOrder returns ascending delays in the direction in which the subject
// takes them with less work, so that a sorted list, whichever end it scans
// from, can take very many of them.
func cheapOrder(t TestingT, s Subject, delays []time.Duration) []time.Duration {
	descending := slices.Clone(delays)
	slices.Reverse(descending)
	if queueWork(t, s, descending) < queueWork(t, s, delays) {
		return descending
	}
	return delays
}

// queueWork returns the work counted for the first of the delays, or 0 if the
// subject does not count.
func queueWork(t TestingT, s Subject, delays []time.Duration) uint64 {
	r := begin(t, s)
	meter, ok := r.sched.(schedulers.Meter)
	if !ok {
		return 0
	}
	r.scheduleAll(delays[:min(len(delays), 300)])
	return total(meter.Work())
}
