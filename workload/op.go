package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Kind says what an operation does.
type Kind uint8

// The operations of a program on its timers.
const (
	// Schedule makes a timer.
	Schedule Kind = iota + 1
	// Reset moves the deadline of a timer.
	Reset
	// Cancel stops a timer.
	Cancel
)

// String returns the name of a kind. Package trace has one more, which is the expiry of a timer.
func (k Kind) String() string {
	return cmp.Or(map[Kind]string{Schedule: "schedule", Reset: "reset", Cancel: "cancel", Cancel + 1: "fire"}[k], fmt.Sprintf("kind %d", uint8(k)))
}

// Op is one operation of a program on one of its timers.
type Op struct {
	// At is the instant of the operation, since the start of the stream. It never decreases within a stream.
	At time.Duration
	// Delay is the time from At to the deadline, for Schedule and Reset. It is not negative.
	Delay time.Duration
	// Timer numbers the timer. Numbers are small and can index a slice: a number is reused once its timer is
	// cancelled or its deadline has come.
	Timer uint32
	Kind  Kind
}

// Stream is a sequence of operations. It is made or read while it is used, and need not fit into memory.
type Stream interface {
	// Read stores the next operations in ops and returns how many. At the end of the stream it returns 0 and io.EOF.
	// Any other error is one of the source; the operations before it have been returned.
	Read(ops []Op) (n int, err error)
}

// ReadFull reads operations until ops is full. The error is io.EOF if the stream ended before, or the error of the stream.
// If a read returns neither operations nor an error, it is io.ErrNoProgress.
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

// Blocks reads a stream in blocks of size operations, each valid until the next. An error of the stream or of ctx comes last.
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
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Close closes a stream that is an io.Closer.
func Close(s Stream) error {
	if c, ok := s.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Source is a workload that Open opens any number of times, each time the same: a profile, or a trace of a real program.
type Source struct {
	// Name names it in tables and files.
	Name string
	// Tick is the tick of the schedulers that it is replayed with.
	Tick time.Duration
	// Horizon is at least the longest delay, if that is known beforehand.
	Horizon time.Duration
	// Steady is the instant at which the stream reaches its steady state, if that is known.
	Steady time.Duration
	// Length is the time in which timers are made; 0 is unknown.
	Length time.Duration
	// Ops and Pending are the expected numbers of operations and pending timers; 0 is unknown.
	Ops, Pending int
	// Scalable says that Open can take another scale and a longer time. A trace is not scalable.
	Scalable bool
	// Version identifies the content: two sources of one name and version have the same operations.
	Version string
	// Open returns the operations from the first on. A zero option keeps that of the source; Scale multiplies the
	// source's scale. Close closes the stream.
	Open func(Options) (Stream, error)
}

// SourceOf returns a profile as a source, with the seed, the scale and the length of the options, which it checks.
func SourceOf(p *Profile, o Options) (Source, error) {
	if _, err := p.Stream(o); err != nil {
		return Source{}, err
	}
	scale, length := cmp.Or(o.Scale, 1), cmp.Or(o.For, p.length)
	s := Source{
		Name: TidyName(p.Name), Tick: p.Tick, Horizon: p.Horizon(), Scalable: true,
		Length:  length,
		Ops:     int(p.Mix().Operations() * scale * length.Seconds()),
		Pending: int(p.Pending(length) * scale),
		Version: fmt.Sprintf("%v %016x", o, p.digest),
		Open: func(other Options) (Stream, error) {
			return p.Stream(Options{
				Seed: cmp.Or(other.Seed, o.Seed), Scale: scale * cmp.Or(other.Scale, 1), For: cmp.Or(other.For, o.For),
			})
		},
	}
	if scale != 1 {
		s.Name += "@" + strconv.FormatFloat(scale, 'g', 4, 64)
	}
	return s, nil
}

// TidyName replaces the characters of a name that the names of files or benchmarks may not have by hyphens.
func TidyName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return r
	}, name)
}
