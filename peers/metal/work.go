package main

import (
	"fmt"
	"strconv"
	"time"
)

const tick = time.Millisecond

const horizon = uint64(time.Hour / tick) // the longest delay, in ticks: single wheels need as many slots

// The operations.
const (
	opPair   = "pair"    // cancels a random one of the pending, and schedules another
	opReset  = "reset"   // moves a random one of the pending
	opLater  = "later"   // moves a random one of the pending behind all others
	opRunOut = "run-out" // takes out what is due within a minute, tick by tick
)

var operations = []string{opPair, opReset, opLater, opRunOut}

// exercise is what a process does, in C or in Go: the same to the last timer.
type exercise struct {
	op      string
	pending int
	count   int // of operations of a lap, or of run-outs
	laps    int
	seed    uint64
}

// newExercise returns one of some ten milliseconds a lap in C: long enough for a clock of microseconds.
func newExercise(op string, pending int, quick bool, seed uint64) exercise {
	x := exercise{op, pending, max(2_500_000/(1+pending/100_000), 300_000), 5, seed}
	if op == opRunOut {
		const together = 400_000 // timers of run-outs of one lap, unless there are so few that most ticks are idle
		x.count = min(max(together/pending, 1), 40)
		if pending > together {
			x.laps = 3
		}
	}
	if quick {
		x.laps, x.count = 1, max(x.count/40, 1)
	}
	return x
}

func (x exercise) args() []string {
	return []string{x.op, strconv.Itoa(x.pending), strconv.Itoa(x.count), strconv.Itoa(x.laps), strconv.FormatUint(x.seed, 10)}
}

// String names the exercise.
func (x exercise) String() string { return fmt.Sprintf("%s with %d pending", x.op, x.pending) }

// draw is one of the pending, and the delay of its successor. It is small, to leave the cache to what is measured.
type draw struct {
	pick  uint32
	ticks uint32 // a second to an hour
}

const (
	second = uint64(time.Second / tick)
	minute = 60 * second
)

func drawAll(n int, seed uint64) []draw {
	const many = 1 << 20
	all := make([]draw, many)
	r := randomBits(seed)
	for i := range all {
		bits := r.next()
		all[i] = draw{uint32(below(uint64(n), bits>>32)), uint32(second + below(horizon-second, bits))}
	}
	return all
}

// randomBits is SplitMix64 (G. Steele, D. Lea and C. Flood, Fast Splittable Pseudorandom Number Generators, 2014).
type randomBits uint64

func (r *randomBits) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below maps 32 random bits to a number less than n, which is less than 2^32.
func below(n, bits uint64) uint64 { return (bits & (1<<32 - 1)) * n >> 32 }
