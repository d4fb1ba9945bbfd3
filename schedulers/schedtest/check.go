package schedtest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Check is a property for rapid: under any sequence of operations the model accepts the scheduler's answers. Call it
// through rapid.Check:
//
//	rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, mine) })
//
// It checks the invariants after each operation. A wrong answer is a panic, and rapid shrinks the sequence to a short one.
func Check(t *rapid.T, s Scheduler) {
	r := begin(s, (*trial).invariants)
	pick := func(t *rapid.T) uint64 { return rapid.Uint64().Draw(t, "pick") }
	room := func(t *rapid.T) int { return rapid.SampledFrom(rooms[:]).Draw(t, "room") }
	deadline := func(t *rapid.T) time.Duration {
		return r.deadline(r.model.clock, rapid.Byte().Draw(t, "shape"), rapid.Byte().Draw(t, "fine"))
	}
	step := func(t *rapid.T) time.Duration { // a moderate one
		return r.instant(r.model.clock, rapid.ByteRange(0, 2<<5+16).Draw(t, "shape"), rapid.Byte().Draw(t, "fine"))
	}
	t.Repeat(map[string]func(*rapid.T){
		"Schedule": func(t *rapid.T) { r.schedule(deadline(t)) },
		"ScheduleMany": func(t *rapid.T) {
			r.scheduleAll(slices.Repeat([]time.Duration{deadline(t)}, rapid.IntRange(2, 40).Draw(t, "count")))
		},
		"Cancel":    func(t *rapid.T) { r.cancel(r.live(pick(t))) },
		"CancelOdd": func(t *rapid.T) { r.cancel(r.odd(pick(t))) },
		"Reset":     func(t *rapid.T) { r.reset(r.live(pick(t)), deadline(t)) },
		"Expire":    func(t *rapid.T) { r.expire(max(step(t), r.model.clock), room(t)) },
		"ExpireAny": func(t *rapid.T) { r.expire(deadline(t), room(t)) }, // also back, and to the end of time
	})
	r.finish()
}

// Fuzz is the body of a native fuzz target: Check, with operations drawn from the input.
//
//	func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, mine) }
//
// Inputs are long. With -fuzzminimizetime=1x the fuzzer does not spend its time on shortening them.
func Fuzz(f *testing.F, s Scheduler) {
	rng := rand.NewChaCha8([32]byte{})
	for range 4 {
		input := make([]byte, 1<<13) // as long as some hundred operations need
		rng.Read(input)
		f.Add(input)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { Check(t, s) }))
}
