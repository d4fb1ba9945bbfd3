package schedtest

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Check is a property for rapid: under any sequence of operations the model accepts the scheduler's answers. Call it
// through rapid.Check:
//
//	rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, mine) })
//
// It checks the invariants after each operation. rapid shrinks a failing sequence to a short one.
func Check(t *rapid.T, s Scheduler) {
	c, err := newCheckedRun(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	verdict := func(t *rapid.T, err error) {
		if err != nil {
			t.Fatalf("clock %d: %v: %v", c.model.clock, c.doing(), err)
		}
	}
	actions := map[string]func(*rapid.T){"": func(t *rapid.T) { verdict(t, c.invariants()) }}
	for name, do := range operations {
		actions[name] = func(t *rapid.T) { verdict(t, do(drawing{t, c})) }
	}
	t.Repeat(actions)
	if err := c.finish(); err != nil {
		t.Fatalf("at the end of time: %v: %v", c.doing(), err)
	}
}

// operations are what rapid picks from. Expire moves the clock on by a moderate step. ExpireAny also moves it back, and
// to the end of time.
var operations = map[string]func(d drawing) error{
	"Schedule":     func(d drawing) error { return d.c.schedule(d.deadline()) },
	"ScheduleMany": func(d drawing) error { return d.c.scheduleMany(d.deadline(), d.count()) },
	"Cancel":       func(d drawing) error { return d.c.cancel(d.c.live(d.pick())) },
	"CancelOdd":    func(d drawing) error { return d.c.cancel(d.c.odd(d.pick())) },
	"Reset":        func(d drawing) error { return d.c.reset(d.c.live(d.pick()), d.deadline()) },
	"Expire":       func(d drawing) error { return d.c.expire(max(d.step(), d.c.model.clock), d.room()) },
	"ExpireAny":    func(d drawing) error { return d.c.expire(d.deadline(), d.room()) },
}

// drawing draws the arguments of an operation.
type drawing struct {
	t *rapid.T
	c *checkedRun
}

func (d drawing) pick() uint64 { return rapid.Uint64().Draw(d.t, "pick") }
func (d drawing) count() int   { return rapid.IntRange(2, 40).Draw(d.t, "count") }
func (d drawing) room() int    { return rapid.SampledFrom(rooms[:]).Draw(d.t, "room") }
func (d drawing) fine() byte   { return rapid.Byte().Draw(d.t, "fine") }

func (d drawing) deadline() time.Duration {
	return d.c.deadline(d.c.model.clock, rapid.Byte().Draw(d.t, "shape"), d.fine())
}

func (d drawing) step() time.Duration {
	return d.c.instant(d.c.model.clock, rapid.ByteRange(0, 2<<5+16).Draw(d.t, "shape"), d.fine())
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

func modelAgrees(r *trial) {
	for seed, ops := range []int{50, 500, 5000, 20_000, 60_000} {
		for i := range uint64(4) {
			if err := Compare(r.Scheduler, uint64(seed)<<8+i, ops); err != nil {
				r.fail("%v", err)
			}
		}
	}
}
