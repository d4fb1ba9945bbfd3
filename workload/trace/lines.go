package trace

import (
	"bytes"
	"errors"
	"strconv"
)

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 64 << 10

var (
	errUnended = errors.New("the last line has no end")
	errEnded   = errors.New("there are no more lines")
)

func decimal(text []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(text), 10, 64)
	return n, err == nil
}

// hex reads an address, with 0x before it or not.
func hex(text []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(bytes.TrimPrefix(text, []byte("0x"))), 16, 64)
	return n, err == nil
}

// numbers reads as many numbers as are wanted, at most three, with a space between them and nothing after them.
func numbers(text []byte, wanted int) (n [3]uint64, ok bool) {
	for i := range wanted {
		word, rest, more := bytes.Cut(text, []byte(" "))
		if n[i], ok = decimal(word); !ok || more != (i+1 < wanted) {
			return n, false
		}
		text = rest
	}
	return n, true
}

// clip returns the beginning of a text, to be shown in an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
