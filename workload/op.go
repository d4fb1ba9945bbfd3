package workload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

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
	if k < Schedule || k > Cancel {
		return "unknown"
	}
	return [...]string{Schedule: "schedule", Reset: "reset", Cancel: "cancel"}[k]
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

// ReadFull reads operations until ops is full or the stream has ended, as
// io.ReadFull does with bytes. The error is io.EOF if the stream ended before, or
// what is wrong with the stream; one that returns neither operations nor an error
// is io.ErrNoProgress.
func ReadFull(s Stream, ops []Op) (n int, err error) {
	for n < len(ops) {
		got, err := s.Read(ops[n:])
		n += got
		switch {
		case err != nil:
			return n, err
		case got == 0:
			return n, fmt.Errorf("the stream returned nothing and no error: %w", io.ErrNoProgress)
		}
	}
	return n, nil
}

// Blocks reads a stream to its end, in blocks of so many operations, of which each
// is valid until the next. An error, that of the stream or of ctx, comes last and
// alone.
func Blocks(ctx context.Context, s Stream, size int) iter.Seq2[[]Op, error] {
	return func(yield func([]Op, error) bool) {
		ops := make([]Op, size)
		for {
			n, err := ReadFull(s, ops)
			if n > 0 && !yield(ops[:n], nil) {
				return
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Close closes a stream that can be closed, one that is an io.Closer.
func Close(s Stream) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
