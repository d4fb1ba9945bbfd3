package trace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
)

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 64 << 10

var (
	errTooLong = errors.New("line too long")
	errUnended = errors.New("the last line has no end")
	errEnded   = errors.New("there are no more lines")
)

// lines reads lines of bounded length.
type lines struct {
	r *bufio.Reader // of MaxLine
	// n counts the lines read.
	n int64
	// within is set while in a line that was too long.
	within bool
}

// next returns the next line without its end; it is valid until the next call. For a line that is too long it returns
// errTooLong and goes on after it, which takes no memory, and for a last line without an end errUnended beside it.
func (l *lines) next() ([]byte, error) {
	for l.within {
		_, err := l.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		l.within = err != nil
	}
	line, err := l.r.ReadSlice('\n')
	switch {
	case err == nil:
		l.n++
		return bytes.TrimSuffix(line[:len(line)-1], carriageReturn), nil
	case errors.Is(err, bufio.ErrBufferFull):
		l.n++
		l.within = true
		return nil, errTooLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		l.n++
		return bytes.TrimSuffix(line, carriageReturn), errUnended
	}
	return nil, err
}

// carriageReturn is at the end of the lines of a file from elsewhere.
var carriageReturn = []byte("\r")

func token(text []byte) (word, rest []byte) {
	word, rest, _ = bytes.Cut(bytes.TrimLeft(text, " "), []byte(" "))
	return word, rest
}

// digits reads the number that a text begins with.
func digits(text []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		d := uint64(text[i] - '0')
		if n > (math.MaxUint64-d)/10 {
			return 0, text, false
		}
		n = n*10 + d
	}
	return n, text[i:], i > 0
}

// all returns a number if there is nothing after it.
func all(n uint64, rest []byte, ok bool) (uint64, bool) { return n, ok && len(rest) == 0 }

func signed(text []byte) (int64, bool) {
	text, negative := bytes.CutPrefix(text, []byte("-"))
	n, ok := all(digits(text))
	if !ok || n > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

// hex reads an address, with 0x before it or not.
func hex(text []byte) (uint64, bool) {
	text = bytes.TrimPrefix(text, []byte("0x"))
	n, err := strconv.ParseUint(string(text), 16, 64)
	return n, err == nil && len(text) <= 16
}

// number reads a number and the space after it, and returns what follows. It is
// false if there is no number, or one that does not fit.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	n, rest, ok = digits(b)
	if len(rest) == 0 {
		return n, nil, ok
	}
	return n, rest[1:], ok && rest[0] == ' ' && len(rest) > 1
}

// clip returns the beginning of a text, to be shown in an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
