package workload

import "time"

// Kind says what an operation does.
type Kind uint8

// The operations of a program on its timers.
const (
	// Schedule makes a timer.
	Schedule Kind = iota + 1
	// Reset moves the deadline of a timer.
	Reset
	// Cancel takes a timer back.
	Cancel
)

// String returns the name of a kind, as it stands in traces.
func (k Kind) String() string {
	switch k {
	case Schedule:
		return "schedule"
	case Reset:
		return "reset"
	case Cancel:
		return "cancel"
	}
	return "unknown"
}

// Op is one operation of a program on one of its timers.
type Op struct {
	// At is when the program does it, since the start of the stream. It never
	// decreases from one operation of a stream to the next.
	At time.Duration
	// Delay is the time from At to the deadline, for Schedule and Reset. It is
	// not negative.
	Delay time.Duration
	// Timer numbers the timer. Numbers are small, so that they can index a slice:
	// one is used again once its timer was cancelled or its deadline has come.
	Timer uint32
	// Kind is what is done.
	Kind Kind
}

// Stream is a sequence of operations, made or read while it is used, so that it
// need not fit into memory.
type Stream interface {
	// Read stores the next operations in ops and returns how many. At the end of
	// the stream it returns 0 and io.EOF. Any other error says what is wrong with
	// the source; the operations before it have been returned.
	Read(ops []Op) (n int, err error)
}
