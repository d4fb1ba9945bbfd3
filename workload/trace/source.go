package trace

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"schedbench/workload"
)

// sourceTick is the tick for a trace, which does not say any.
const sourceTick = time.Millisecond

// SourceOf returns a trace in a file as a source of operations, up to an instant;
// 0 is all of it. If the file is none, the error wraps ErrFormat.
func SourceOf(path string, o Options, until time.Duration) (workload.Source, error) {
	digest, err := digestOf(path, o)
	if err != nil {
		return workload.Source{}, err
	}
	return workload.Source{
		Name: workload.TidyName(strings.TrimSuffix(filepath.Base(path), ".gz")), Tick: sourceTick,
		Version: fmt.Sprintf("%v %v %016x", o, until, digest),
		Open: func(asked workload.Options) (workload.Stream, error) {
			if asked.Scale != 0 && asked.Scale != 1 {
				return nil, fmt.Errorf("%s: a trace cannot be scaled by %v", path, asked.Scale)
			}
			file, err := Open(path, o)
			if err != nil {
				return nil, err
			}
			end := until
			if end == 0 || asked.For > 0 && asked.For < end {
				end = asked.For
			}
			return &fileStream{Operations: Ops(file), file: file, until: end}, nil
		},
	}, nil
}

// digestOf looks whether a file is a trace, and returns what tells its content from
// that of another.
func digestOf(path string, o Options) (digest uint64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := NewReader(file, path, o); err != nil {
		return 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, err = io.Copy(h, file)
	return h.Sum64(), err
}

// fileStream is the stream of a trace, as far as it is wanted.
type fileStream struct {
	*Operations
	file  io.Closer
	until time.Duration // 0 is all of it
}

// Read implements workload.Stream.
func (s *fileStream) Read(ops []workload.Op) (n int, err error) {
	n, err = s.Operations.Read(ops)
	for i := range ops[:n] {
		if s.until > 0 && ops[i].At >= s.until {
			if i == 0 {
				return 0, io.EOF
			}
			return i, nil
		}
	}
	return n, err
}

// Close closes the file.
func (s *fileStream) Close() error { return s.file.Close() }
