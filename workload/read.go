package workload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

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
