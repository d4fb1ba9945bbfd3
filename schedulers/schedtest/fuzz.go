package schedtest

import (
	"fmt"
	"testing"
	"time"
)

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

// The operations of an input, each with its arguments. The first byte of one is
// code + opCodes*n, and performs it n+1 times.
const (
	opSchedule  byte = iota // shape, fine
	opCancel                // pick
	opCancelOdd             // pick, pick
	opReset                 // pick, shape, fine
	opExpire                // shape, fine, room
	opExpireAny             // shape, fine, room
	opAsk
	opCodes
)

// seeds returns inputs that take the main paths: ticks, bursts, cancels and
// reuse, far deadlines, small buffers, the past, and the end of time.
func seeds() [][]byte {
	many := 31 * opCodes // repeats an operation 32 times
	far, back, last := byte(2<<5|20), byte(6<<5|4), byte(7<<5)
	return [][]byte{
		{},
		{opSchedule, 1, 0, opExpire, 1, 2, 0, opExpire, 1, 0, 0},
		{many + opSchedule, 3, 0, opExpire, 3, 0, 1, opCancel, 7, opExpire, 0, 0, 2, opExpire, 0, 0, 0},
		{opSchedule, 9, 0, opCancel, 0, opSchedule, 9, 1, opCancelOdd, 5, 0, opExpire, 31, 0, 0},
		{opSchedule, far, 0, opReset, 0, 2, 0, opSchedule, far, 2, opExpire, 2, 0, 0, opExpire, far, 0, 0},
		{opExpire, 8, 1, 0, opSchedule, back, 0, opExpireAny, back, 0, 0, opAsk, opExpire, 0, 0, 0},
		{opSchedule, last, 0, opSchedule, last, 9, opExpireAny, last, 4, 0, opExpireAny, last, 0, 0},
		{many + opSchedule, far + 1, 1, many + opCancel, 3, many + opSchedule, 2<<5 | 6, 3, opExpire, 2<<5 | 7, 0, 0},
	}
}

// longest is how many operations of an input are played. More would cost time
// that is better spent on other inputs.
const longest = 300

// fuzzInput is what is left of the input of the fuzz target.
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

// play performs an input and checks all that must hold between operations after
// each of them.
func play(s Subject, r fuzzInput) error {
	c, err := newCheckedRun(s)
	if err != nil {
		return err
	}
	for n := 0; n < longest && len(r) > 0; n++ {
		if err := r.play(s, c); err != nil {
			return fmt.Errorf("%s: clock %d: %v: %w", s.Name, c.model.Clock(), c.doing, err)
		}
		if err := c.invariants(); err != nil {
			return fmt.Errorf("%s: clock %d: %v: %w", s.Name, c.model.Clock(), c.doing, err)
		}
	}
	return c.finish()
}

// play performs the first operation of the input.
func (r *fuzzInput) play(s Subject, c *checkedRun) error {
	code := r.take()
	do := r.decode(s, c, code%opCodes)
	for range int(code/opCodes) + 1 {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// decode reads the arguments of an operation and returns it ready to perform.
func (r *fuzzInput) decode(s Subject, c *checkedRun, op byte) func() error {
	deadline := func() time.Duration {
		shape, fine := r.take(), r.take()
		return s.deadline(c.model.Clock(), shape, fine)
	}
	switch op {
	case opSchedule:
		at := deadline()
		return func() error { return c.schedule(at) }
	case opCancel:
		n := uint64(r.take())
		return func() error { return c.cancel(c.live(n)) }
	case opCancelOdd:
		n := uint64(r.take())<<8 | uint64(r.take())
		return func() error { return c.cancel(c.odd(n)) }
	case opReset:
		n, at := uint64(r.take()), deadline()
		return func() error { return c.reset(c.live(n), at) }
	case opExpire:
		at := max(deadline(), c.model.Clock())
		room := rooms[int(r.take())%len(rooms)]
		return func() error { return c.expire(at, room) }
	case opExpireAny:
		at := deadline()
		room := rooms[int(r.take())%len(rooms)]
		return func() error { return c.expire(at, room) }
	}
	return c.next
}
