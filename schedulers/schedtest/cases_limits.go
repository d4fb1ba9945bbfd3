package schedtest

import (
	"errors"
	"regexp"
	"time"

	"schedbench/schedulers"
)

// limitCases check the ends of the ranges.
func limitCases() []Case {
	return []Case{
		{"maximum-duration", "Deadlines and clocks up to the maximum duration work; when now is the maximum, " +
			"everything is due.", maximumDuration},
		{"end-of-time", "With the clock at the maximum duration values can still be scheduled, cancelled " +
			"and handed out.", endOfTime},
		{"horizon", "Within the horizon every deadline is accepted. Beyond it, Schedule accepts and keeps its " +
			"promise, or refuses with ErrBeyondHorizon and the figures, and keeps nothing.", horizon},
		{"horizon-moves", "The horizon is measured from the clock and moves with it.", horizonMoves},
	}
}

func maximumDuration(t TestingT, s Subject) {
	unit := s.unit()
	offsets := []time.Duration{0, 1, unit - 1, unit, unit + 1, 2 * unit}
	for _, distance := range []time.Duration{end, 1000 * unit, 4 * unit} {
		clock := end - distance
		for _, offset := range offsets {
			deadline := end - offset
			if s.mayRefuse(clock, deadline) {
				continue
			}
			r := beginAt(t, s, clock)
			r.schedule(deadline, 1)
			r.expectNone(deadline - 1)
			if wake, due := r.asleep(), s.dueAt(clock, deadline); wake > due {
				r.fatalf("Next is %d, but a value is due at %d", wake, due)
			}
			r.expect(s.dueAt(clock, deadline), 1)
			r.expectIdle()
		}
	}
}

func endOfTime(t TestingT, s Subject) {
	r := beginAt(t, s, end)
	r.expectIdle()
	for _, deadline := range []time.Duration{end, end - 1, end - s.unit(), 0, -1} {
		id := r.schedule(deadline, 1)
		if wake := r.asleep(); wake > end {
			r.fatalf("Next is %d, beyond the end of time", wake)
		}
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

// figure matches a number in a message.
var figure = regexp.MustCompile(`[0-9]+`)

func horizon(t TestingT, s Subject) {
	if s.Horizon == 0 {
		t.Skipf("%s has no horizon", s.Name)
	}
	for _, clock := range []time.Duration{0, s.unit()/2 + 1, 1<<40 + 7} {
		r := beginAt(t, s, clock)
		r.schedule(clock+s.maxDelay(), 0)
		pending := 1
		for _, d := range []time.Duration{s.Horizon + 1, s.Horizon + s.Tick, 2*s.Horizon + 2*s.Tick, 1 << 60, end - clock} {
			if d <= s.maxDelay() {
				continue
			}
			id, err := r.sched.Schedule(clock+d, uint64(pending))
			if err == nil {
				pending++
			} else {
				expectRefusal(r, err)
				r.cancel(id, false)
			}
			r.expectLen(pending)
		}
		expectEach(r, r.drain(end, 8), pending)
	}
}

// expectRefusal demands that err is a proper refusal of a deadline.
func expectRefusal(r *trial, err error) {
	r.Helper()
	if !errors.Is(err, schedulers.ErrBeyondHorizon) {
		r.fatalf("the refusal %q does not wrap ErrBeyondHorizon", err)
	}
	if n := len(figure.FindAllString(err.Error(), -1)); n < 2 {
		r.fatalf("the refusal %q does not give the deadline and the limit", err)
	}
}

func horizonMoves(t TestingT, s Subject) {
	if s.Horizon == 0 {
		t.Skipf("%s has no horizon", s.Name)
	}
	const n = 100
	r := begin(t, s)
	due := make([]time.Duration, 0, n)
	clock, step := time.Duration(0), s.maxDelay()/3+s.unit()/7+1
	for i := range uint64(n) {
		if clock > end-s.maxDelay()-step {
			break // a horizon so long that the end of time comes first
		}
		due = append(due, s.dueAt(clock, clock+s.maxDelay()))
		r.schedule(clock+s.maxDelay(), i)
		clock += step
		for _, v := range r.drain(clock, 3) {
			if at := due[v]; at > clock || at <= clock-step {
				r.fatalf("value due at %d came out at %d, in steps of %d", at, clock, step)
			}
		}
	}
	if len(due) > 0 {
		r.drain(due[len(due)-1], 3)
	}
	r.expectLen(0)
}
