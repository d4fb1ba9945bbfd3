package schedtest

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Check is a property for rapid: the scheduler gives the answers of the model
// under any sequence of operations. Call it through rapid.Check:
//
//	rapid.Check(t, func(t *rapid.T) { schedtest.Check(t, subject) })
//
// All that must hold between operations is checked after each, and a failing
// sequence is shrunk to a short one.
func Check(t *rapid.T, s Subject) {
	c, err := newCheckedRun(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	verdict := func(t *rapid.T, err error) {
		if err != nil {
			t.Fatalf("clock %d: %v: %v", c.model.clock, c.doing, err)
		}
	}
	actions := map[string]func(*rapid.T){"": func(t *rapid.T) { verdict(t, c.invariants()) }}
	for name, draw := range draws {
		actions[name] = func(t *rapid.T) { verdict(t, c.do(draw(drawing{t, c}))) }
	}
	t.Repeat(actions)
	if err := c.finish(); err != nil {
		t.Fatalf("at the end of time: %v: %v", c.doing, err)
	}
}

// draws draw operations from rapid. Expire moves on by a moderate step, so that
// time lasts, and ExpireAny also back and to the end of time.
var draws = map[string]func(d drawing) operation{
	"Schedule":     func(d drawing) operation { return operation{kind: opSchedule, at: d.deadline()} },
	"ScheduleMany": func(d drawing) operation { return operation{kind: opSchedule, at: d.deadline(), times: d.count()} },
	"Cancel":       func(d drawing) operation { return operation{kind: opCancel, pick: d.pick()} },
	"CancelOdd":    func(d drawing) operation { return operation{kind: opCancelOdd, pick: d.pick()} },
	"Reset":        func(d drawing) operation { return operation{kind: opReset, pick: d.pick(), at: d.deadline()} },
	"Expire":       func(d drawing) operation { return operation{kind: opExpire, at: d.step(), room: d.room()} },
	"ExpireAny":    func(d drawing) operation { return operation{kind: opExpireAny, at: d.deadline(), room: d.room()} },
}

// drawing is where arguments are drawn from.
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

// Fuzz is the body of a native fuzz target: the input is read as a sequence of
// operations, and the scheduler's answers are compared with the model's.
//
//	func FuzzWheel(f *testing.F) { schedtest.Fuzz(f, subject) }
//
// Inputs are long, so -fuzzminimizetime=1x keeps the fuzzer from spending its
// time on making each interesting one a little shorter.
func Fuzz(f *testing.F, s Subject) {
	for _, input := range seeds() {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if err := play(s, input); err != nil {
			t.Fatal(err)
		}
	})
}

// seeds returns inputs that take the main paths: ticks, bursts, cancels and
// reuse, far deadlines, small buffers, the past, and the end of time.
func seeds() [][]byte {
	const schedule, cancel, cancelOdd, reset = byte(opSchedule), byte(opCancel), byte(opCancelOdd), byte(opReset)
	const expire, expireAny, next = byte(opExpire), byte(opExpireAny), byte(opNext)
	const many = 31 * byte(opKinds) // repeats an operation 32 times
	far, back, last := byte(2<<5|20), byte(6<<5|4), byte(7<<5)
	return [][]byte{
		{},
		{schedule, 1, 0, expire, 1, 2, 0, expire, 1, 0, 0},
		{many + schedule, 3, 0, expire, 3, 0, 1, cancel, 7, expire, 0, 0, 2, expire, 0, 0, 0},
		{schedule, 9, 0, cancel, 0, schedule, 9, 1, cancelOdd, 5, 0, expire, 31, 0, 0},
		{schedule, far, 0, reset, 0, 2, 0, schedule, far, 2, expire, 2, 0, 0, expire, far, 0, 0},
		{expire, 8, 1, 0, schedule, back, 0, expireAny, back, 0, 0, next, expire, 0, 0, 0},
		{schedule, last, 0, schedule, last, 9, expireAny, last, 4, 0, expireAny, last, 0, 0},
		{many + schedule, far + 1, 1, many + cancel, 3, many + schedule, 2<<5 | 6, 3, expire, 2<<5 | 7, 0, 0},
	}
}

// longest is how many operations of an input are played. More would cost time
// that is better spent on other inputs.
const longest = 300

// play performs an input and checks all that must hold between operations after
// each of them.
func play(s Subject, input fuzzInput) error {
	c, err := newCheckedRun(s)
	if err != nil {
		return err
	}
	for n := 0; n < longest && len(input) > 0; n++ {
		err := c.do(input.operation(c))
		if err == nil {
			err = c.invariants()
		}
		if err != nil {
			return fmt.Errorf("%s: clock %d: %v: %w", s.Name, c.model.clock, c.doing, err)
		}
	}
	return c.finish()
}

// fuzzInput is what is left of the input of the fuzz target. The first byte of an
// operation is its kind + opKinds*n, and performs it n+1 times; its arguments follow.
type fuzzInput []byte

// take removes and returns the first byte, or 0 at the end.
func (r *fuzzInput) take() byte {
	if len(*r) == 0 {
		return 0
	}
	b := (*r)[0]
	*r = (*r)[1:]
	return b
}

// operation takes the next operation.
func (r *fuzzInput) operation(c *checkedRun) operation {
	code := opKind(r.take())
	o := operation{kind: code % opKinds, times: int(code/opKinds) + 1}
	switch o.kind {
	case opCancel, opReset:
		o.pick = uint64(r.take())
	case opCancelOdd:
		o.pick = uint64(r.take())<<8 | uint64(r.take())
	}
	switch o.kind {
	case opSchedule, opReset, opExpire, opExpireAny:
		shape, fine := r.take(), r.take()
		o.at = c.deadline(c.model.clock, shape, fine)
	}
	if o.kind == opExpire || o.kind == opExpireAny {
		o.room = rooms[int(r.take())%len(rooms)]
	}
	return o
}

// What follows compares with the model, which knows all rules at once.

func modelAgrees(r *trial) {
	for seed, ops := range []int{50, 500, 5000, 20_000, 60_000} {
		for i := range uint64(4) {
			if err := Compare(r.Subject, uint64(seed)<<8+i, ops); err != nil {
				r.fatalf("%v", err)
			}
		}
	}
}

func fuzzSeeds(r *trial) {
	for i, input := range seeds() {
		if err := play(r.Subject, input); err != nil {
			r.Errorf("seed %d: %v", i, err)
		}
	}
}
