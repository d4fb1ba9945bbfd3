package trace

import (
	"bytes"
	"fmt"
	"math"
)

// args are the values of an event.
type args struct {
	addr, expires, soft, now                         uint64
	timeout                                          int64
	was                                              armed
	hasAddr, hasExpires, hasSoft, hasNow, hasTimeout bool
}

// parse reads words of the form key=value, and passes over others.
func (a *args) parse(rest []byte) error {
	for len(rest) > 0 {
		var word []byte
		word, rest = token(rest)
		name, value, ok := bytes.Cut(word, []byte("="))
		if !ok {
			continue
		}
		switch string(name) {
		case "timer", "hrtimer":
			a.addr, ok = hex(value)
			a.hasAddr = true
		case "expires":
			a.expires, ok = all(digits(value))
			a.hasExpires = true
		case "softexpires":
			a.soft, ok = all(digits(value))
			a.hasSoft = true
		case "now":
			a.now, ok = all(digits(value))
			a.hasNow = true
		case "[timeout":
			a.timeout, ok = signed(bytes.TrimSuffix(value, []byte("]")))
			ok = ok && value[len(value)-1] == ']'
			a.hasTimeout = true
		case "was_armed":
			a.was, ok = armedNo, len(value) == 1 && value[0]-'0' <= 1
			if ok && value[0] == '1' {
				a.was = armedYes
			}
		}
		if !ok {
			return fmt.Errorf("%q, want a number", clip(string(word)))
		}
	}
	return nil
}

// token returns the first word of a text and what follows it.
func token(text []byte) (word, rest []byte) {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	j := i
	for j < len(text) && text[j] != ' ' {
		j++
	}
	return text[i:j], text[j:]
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

// signed reads a number that may be negative.
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
func hex(text []byte) (n uint64, ok bool) {
	text = bytes.TrimPrefix(text, []byte("0x"))
	if len(text) == 0 || len(text) > 16 {
		return 0, false
	}
	for _, c := range text {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, true
}
