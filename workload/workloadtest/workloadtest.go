// Package workloadtest has the streams that tests of programs with streams need.
package workloadtest

import (
	"cmp"
	"context"
	"io"

	"schedbench/workload"
)

// Stream is a workload.Stream of operations in memory.
type Stream struct {
	// Ops are the operations that are left.
	Ops []workload.Op
	// AtOnce is how many a Read returns at the most; 0 is any number.
	AtOnce int
	// Err comes at the end, instead of io.EOF.
	Err error
	// Closed counts the calls of Close, unless it is nil.
	Closed *int
}

// Read implements workload.Stream.
func (s *Stream) Read(ops []workload.Op) (int, error) {
	if s.AtOnce > 0 {
		ops = ops[:min(len(ops), s.AtOnce)]
	}
	n := copy(ops, s.Ops)
	s.Ops = s.Ops[n:]
	if n == 0 {
		return 0, cmp.Or(s.Err, io.EOF)
	}
	return n, nil
}

// Close implements io.Closer.
func (s *Stream) Close() error {
	if s.Closed != nil {
		*s.Closed++
	}
	return nil
}

// Stalled is a stream that breaks the rules: it returns neither operations nor an error.
type Stalled struct{}

// Read implements workload.Stream.
func (Stalled) Read([]workload.Op) (int, error) { return 0, nil }

// ReadAll returns the operations of a stream up to its end, or to an error, read a few at a time.
func ReadAll(s workload.Stream) (all []workload.Op, err error) {
	for ops, err := range workload.Blocks(context.Background(), s, 7) {
		if err != nil {
			return all, err
		}
		all = append(all, ops...)
	}
	return all, nil
}
