package trace

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 64 << 10

var (
	errTooLong = errors.New("line too long")
	errUnended = errors.New("the last line has no end")
)

// lines reads lines of bounded length.
type lines struct {
	r *bufio.Reader
	// n counts the lines read.
	n int64
	// within is set while in a line that was too long.
	within bool
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, MaxLine)} }

// next returns the next line without its end; it is valid until the next call.
// For a line that is too long it returns errTooLong and goes on after it, and for
// a last line without an end errUnended beside it.
func (l *lines) next() ([]byte, error) {
	if l.within {
		if err := l.leave(); err != nil {
			return nil, err
		}
	}
	line, err := l.r.ReadSlice('\n')
	switch {
	case err == nil:
		l.n++
		return trimEnd(line[:len(line)-1]), nil
	case errors.Is(err, bufio.ErrBufferFull):
		l.n++
		l.within = true
		return nil, errTooLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		l.n++
		return trimEnd(line), errUnended
	}
	return nil, err
}

// leave reads up to the end of a line that was too long, which takes no memory.
func (l *lines) leave() error {
	for {
		_, err := l.r.ReadSlice('\n')
		if err == nil {
			l.within = false
			return nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// trimEnd takes the carriage return off a line of a file from elsewhere.
func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
