package replay

import "fmt"

// Answer is the answer of a scheduler to a stream up to some operation. Two answers to the same operations
// are equal if the same timers came out in the same ticks, and the same cancellations and resets were
// granted. Other answers are equal with a probability of about one in 2⁶⁴.
type Answer struct {
	// Hash covers the fired timers, each with its tick, and the granted operations.
	Hash uint64
	// Fired counts the timers that came out.
	Fired uint64
	// Granted counts the cancellations and resets that found their timer pending, and Refused those that did not.
	Granted, Refused uint64
	// Pending is how many timers are left.
	Pending int
}

// String returns the answer in short.
func (a Answer) String() string {
	return fmt.Sprintf("%d fired, %d granted, %d refused, %d pending, hash %016x",
		a.Fired, a.Granted, a.Refused, a.Pending, a.Hash)
}

// Mark is a point of a stream at which answers can be compared: after a multiple of MarkEvery operations.
type Mark struct {
	Ops uint64
	Answer
}

type tally struct {
	ops    uint64 // that have been done
	answer Answer // but for the tick that is open
	// open is the last tick in which something fired, and sum the sum of its mixed values. The hash lacks both until a
	// later tick.
	open int64
	sum  uint64
}

// Ops returns how many operations have been done.
func (t *tally) Ops() uint64 { return t.ops }

// Answer returns the answer to the operations so far.
func (t *tally) Answer() Answer {
	a := t.answer
	a.Hash += mixTick(t.open, t.sum)
	return a
}

// fire adds n values that fired in a tick. Their mixed values add up to sum.
func (t *tally) fire(tick int64, sum uint64, n int) {
	if tick != t.open {
		t.answer.Hash += mixTick(t.open, t.sum)
		t.open, t.sum = tick, 0
	}
	t.sum += sum
	t.answer.Fired += uint64(n)
}

// reply adds whether the present operation was granted.
func (t *tally) reply(granted bool) {
	if !granted {
		t.answer.Refused++
		return
	}
	t.answer.Granted++
	t.answer.Hash += mix(^t.ops) // inverted, to keep out of the ticks' way
}

// mix is the finalizer of MurmurHash3 by Austin Appleby, a bijection. Sums of it do not cancel out by accident.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// mixTick returns what a tick adds to the hash, given the sum of its mixed values: nothing if nothing came out.
func mixTick(tick int64, sum uint64) uint64 {
	if sum == 0 {
		return 0
	}
	return mix(sum ^ mix(uint64(tick)+1))
}

// valueOf returns the value that stands for a timer: its number, and how often that was used before.
func valueOf(timer, generation uint32) uint64 { return uint64(generation)<<32 | uint64(timer) }
