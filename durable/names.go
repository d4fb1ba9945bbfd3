package durable

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Subjects have four words: the name of the timers, what the message is, the ID, and the number of
// its change, from 0. So all that there is of a timer is one wildcard, name.*.id.*, and to find it
// costs no more than the few words there are in the second place.
const (
	atWord   = "at"   // a schedule of the engine; or, with an x before the number, the mark of a cancellation
	dueWord  = "due"  // handed out by the engine, or due so soon that it need not wait there
	runWord  = "run"  // claimed by a worker, where there may be several
	deadWord = "dead" // a dead letter: of three words, since it is no timer any more
	beatWord = "beat" // of three words: see beat
	markSign = "x"
	workers  = "workers" // the consumer that all workers share
)

// names makes the subjects of the timers of one name.
type names struct{ prefix string }

func (n names) all() string     { return n.prefix + ".>" }
func (n names) timers() string  { return n.prefix + ".*.*.*" }
func (n names) dueAll() string  { return n.prefix + "." + dueWord + ".*.*" }
func (n names) deadAll() string { return n.prefix + "." + deadWord + ".*" }

func (n names) any(id ID) string  { return n.prefix + ".*." + escape(string(id)) + ".*" }
func (n names) ats(id ID) string  { return n.prefix + "." + atWord + "." + escape(string(id)) + ".*" }
func (n names) dead(id ID) string { return n.prefix + "." + deadWord + "." + escape(string(id)) }

func (n names) at(id ID, change int) string      { return n.of(atWord, id, "", change) }
func (n names) due(id ID, change int) string     { return n.of(dueWord, id, "", change) }
func (n names) claimed(id ID, change int) string { return n.of(runWord, id, "", change) }
func (n names) mark(id ID, change int) string {
	return n.of(atWord, id, markSign, change)
}

func (n names) of(word string, id ID, sign string, change int) string {
	return n.prefix + "." + word + "." + escape(string(id)) + "." + sign + strconv.Itoa(change)
}

// place is what a subject says.
type place struct {
	word   string
	id     ID
	change int
	marked bool
}

func placeOf(subject string) (p place, ok bool) {
	words := strings.Split(subject, ".")
	if len(words) != 4 {
		return p, false
	}
	number, marked := strings.CutPrefix(words[3], markSign)
	id, ok := unescape(words[2])
	change, err := strconv.Atoi(number)
	return place{words[1], ID(id), change, marked}, ok && err == nil
}

const longestID = 200

// An ID that Schedule makes begins with a sign that no other ID may begin with, and says in whole
// milliseconds when the engine is to hand the timer out, so that Cancel knows without a look.
const (
	madeSign    = "~"
	madeMillis  = 9 // digits of base 36
	madeLetters = 16
)

func newID(out time.Time) ID {
	millis := strconv.FormatInt(max(out.UnixMilli(), 0), 36)
	return ID(madeSign + strings.Repeat("0", madeMillis-len(millis)) + millis + rand.Text()[:madeLetters])
}

// out returns when the engine was to hand out a timer with an ID that Schedule made, at the latest
// a millisecond before it was.
func (id ID) out() (time.Time, bool) {
	if len(id) != len(madeSign)+madeMillis+madeLetters || !strings.HasPrefix(string(id), madeSign) {
		return time.Time{}, false
	}
	millis, err := strconv.ParseInt(string(id[len(madeSign):][:madeMillis]), 36, 64)
	return time.UnixMilli(millis), err == nil
}

func checkID(id ID) error {
	if id == "" || len(id) > longestID {
		return fmt.Errorf("%w: ID of %d bytes, want 1 to %d", ErrOption, len(id), longestID)
	}
	if strings.HasPrefix(string(id), madeSign) {
		return fmt.Errorf("%w: ID %q begins with %s, as only IDs made by Schedule do", ErrOption, id, madeSign)
	}
	return nil
}

// escape makes one word of a subject of any text.
func escape(text string) string {
	plain := true
	for i := range len(text) {
		plain = plain && isPlain(text[i])
	}
	if plain {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if isPlain(text[i]) {
			b.WriteByte(text[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", text[i])
		}
	}
	return b.String()
}

// unescape is the way back.
func unescape(word string) (string, bool) {
	if !strings.Contains(word, "%") {
		return word, true
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] != '%' {
			b.WriteByte(word[i])
			continue
		}
		if i+2 >= len(word) {
			return "", false
		}
		c, err := strconv.ParseUint(word[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}

func isPlain(c byte) bool { return c > ' ' && c < 0x7f && c != '.' && c != '*' && c != '>' && c != '%' }
