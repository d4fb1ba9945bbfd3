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
	d := drawing{t, begin(s, (*trial).invariants)}
	actions := map[string]func(*rapid.T){}
	for name, do := range operations {
		actions[name] = func(t *rapid.T) { do(drawing{t, d.trial}) }
	}
	t.Repeat(actions)
	d.finish()
}

// operations are what rapid picks from. Expire moves the clock on by a moderate step. ExpireAny also moves it back, and
// to the end of time.
var operations = map[string]func(d drawing){
	"Schedule":     func(d drawing) { d.schedule(d.drawDeadline()) },
	"ScheduleMany": func(d drawing) { d.scheduleAll(slices.Repeat([]time.Duration{d.drawDeadline()}, d.count())) },
	"Cancel":       func(d drawing) { d.cancel(d.live(d.pick())) },
	"CancelOdd":    func(d drawing) { d.cancel(d.odd(d.pick())) },
	"Reset":        func(d drawing) { d.reset(d.live(d.pick()), d.drawDeadline()) },
	"Expire":       func(d drawing) { d.expire(max(d.step(), d.model.clock), d.room()) },
	"ExpireAny":    func(d drawing) { d.expire(d.drawDeadline(), d.room()) },
}

// drawing draws the arguments of an operation.
type drawing struct {
	t *rapid.T
	*trial
}

func (d drawing) pick() uint64 { return rapid.Uint64().Draw(d.t, "pick") }
func (d drawing) count() int   { return rapid.IntRange(2, 40).Draw(d.t, "count") }
func (d drawing) room() int    { return rapid.SampledFrom(rooms[:]).Draw(d.t, "room") }
func (d drawing) fine() byte   { return rapid.Byte().Draw(d.t, "fine") }

func (d drawing) drawDeadline() time.Duration {
	return d.deadline(d.model.clock, rapid.Byte().Draw(d.t, "shape"), d.fine())
}

func (d drawing) step() time.Duration {
	return d.instant(d.model.clock, rapid.ByteRange(0, 2<<5+16).Draw(d.t, "shape"), d.fine())
}

// Fuzz is the body of a native fuzz target: Check, with operations drawn from the input.
//
//	func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, mine) }
//
// Inputs are long. With -fuzzminimizetime=1x the fuzzer does not spend its time on shortening them.
func Fuzz(f *testing.F, s Scheduler) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 { // as long as some hundred operations need
		input := make([]byte, 1<<13)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { Check(t, s) }))
}
