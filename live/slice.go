package live

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"schedbench/workload"
)

const (
	// batch is the time between batches of operations, and lead how far ahead of its time one is handed over at most.
	batch = time.Millisecond
	lead  = batch + 500*time.Microsecond

	// MostRate is the largest number of operations a second that are handed over. MostPending is the largest number
	// of timers that are armed before the clock starts.
	MostRate    = 200_000
	MostPending = 200_000
	// mostOps is the most operations of a slice.
	mostOps = 5_000_000
)

// ErrTooFast means that a workload has too many operations or timers for the real clock, and cannot be scaled down.
var ErrTooFast = errors.New("too fast for the real clock")

// Scale returns by how much a workload has to be scaled down to be played, from its
// operations a second and how many timers are pending: 1 if it need not be.
func Scale(rate, pending float64) float64 {
	return min(1, MostRate/max(rate, 1), MostPending/max(pending, 1))
}

// Slice is a planned piece of a workload. Times count from its beginning. Its timers are numbered from 0: first those
// that are pending at the beginning, then those that are made. Every arming but a reset is a timer of its own.
type Slice struct {
	// Length is for how long it is played. The player does not wait for timers that are due later.
	Length time.Duration
	// Pending are the deadlines of the timers that are armed before the clock starts. Where a timer was put off, its
	// place is the earlier deadline at which a driver still has it; elsewhere Places equals Pending. Without Places no
	// timer was put off.
	Pending, Places []time.Duration
	// Ops are in the order of At.
	Ops []Op
	// Timers is how many there are.
	Timers int
	// Punctual hands each operation over by itself, as near to its instant as the player comes, not in a batch ahead.
	Punctual bool

	takenOver []bool // which Places came from stopped timers: only a driver reuses them
}

// Op is a planned operation.
type Op struct {
	// At is when the operation is handed over: somewhat before the program would do it, unless the slice is Punctual.
	// Deadline is the deadline that it sets.
	At, Deadline time.Duration
	Timer        int32
	Kind         workload.Kind
}

// handOver returns when an operation is handed over that the program does at an instant.
func handOver(at time.Duration) time.Duration { return max(at-lead+batch-1, 0) / batch * batch }

// Pending returns timers that are all armed before the clock starts, and played until the last is due.
func Pending(deadlines []time.Duration) *Slice {
	s := &Slice{Pending: deadlines, Timers: len(deadlines)}
	for _, d := range deadlines {
		s.Length = max(s.Length, d)
	}
	return s
}

// Arrivals returns timers that arrive at increasing times, each with a deadline, and are played until the last is due.
func Arrivals(at, deadlines []time.Duration) *Slice {
	s := &Slice{Timers: len(at), Ops: make([]Op, len(at))}
	for i := range at {
		s.Ops[i] = Op{At: handOver(at[i]), Deadline: deadlines[i], Timer: int32(i), Kind: workload.Schedule}
		s.Length = max(s.Length, deadlines[i])
	}
	return s
}

// PunctualArrivals is Arrivals for a Punctual slice: a timer that is due before a driver's worker would wake arrives
// while it sleeps. That takes a processor: see Clock.SpinUntil.
func PunctualArrivals(at, deadlines []time.Duration) *Slice {
	s := Arrivals(at, deadlines)
	s.Punctual = true
	for i := range at {
		s.Ops[i].At = at[i]
	}
	return s
}

// Rate returns the operations a second while the clock runs.
func (s *Slice) Rate() float64 { return float64(len(s.Ops)) / s.Length.Seconds() }

// longest returns the longest delay of an arming, if arming the pending begins so long before the clock starts.
func (s *Slice) longest(before time.Duration) (d time.Duration) {
	for _, p := range s.Pending {
		d = max(d, sum(p, before))
	}
	for i := range s.Ops {
		d = max(d, s.Ops[i].Deadline-s.Ops[i].At)
	}
	return d
}

// byDeadline returns the numbers of some timers in the order of their deadlines.
func byDeadline(deadlines []time.Duration) []int32 {
	order := inOrder(len(deadlines))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(deadlines[a], deadlines[b]) })
	return order
}

func inOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// never is a deadline that does not come.
const never = time.Duration(math.MaxInt64)

func sum(a, b time.Duration) time.Duration { return a + min(b, never-a) }
