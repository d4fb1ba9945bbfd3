package durable

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// What a message says of its timer stands in headers, which the engine copies when it hands a
// schedule out. The payload is the caller's.
const (
	headerID      = "Timer-Id"
	headerKind    = "Timer-Kind"
	headerAt      = "Timer-At" // nanoseconds since 1970
	headerAttempt = "Timer-Attempt"
	headerError   = "Timer-Error"

	headerSchedule = "Nats-Schedule"
	headerTarget   = "Nats-Schedule-Target"
	headerLast     = "Nats-Expected-Last-Subject-Sequence"
	headerLastOf   = "Nats-Expected-Last-Subject-Sequence-Subject"
	headerRollup   = "Nats-Rollup"
	headerTTL      = "Nats-TTL"
)

// record is a timer as it stands in a message.
type record struct {
	id      ID
	kind    string
	payload []byte
	at      time.Time
	attempt int // the next one, from 1
}

// message makes a message of r without a subject.
func (r record) message() *nats.Msg {
	return &nats.Msg{Data: r.payload, Header: nats.Header{
		headerID:      {string(r.id)},
		headerKind:    {r.kind},
		headerAt:      {strconv.FormatInt(r.at.UnixNano(), 10)},
		headerAttempt: {strconv.Itoa(r.attempt)},
	}}
}

// read is the way back.
func read(h nats.Header, payload []byte) (record, error) {
	r := record{id: ID(h.Get(headerID)), kind: h.Get(headerKind), payload: payload}
	at, err := strconv.ParseInt(h.Get(headerAt), 10, 64)
	if err == nil {
		r.at = time.Unix(0, at)
		r.attempt, err = strconv.Atoi(h.Get(headerAttempt))
	}
	if err != nil || r.id == "" {
		return r, fmt.Errorf("%w: a message that is no timer: ID %q", ErrEngine, r.id)
	}
	return r, nil
}

// state is where a timer stands, by its last message.
type state struct {
	record
	seq       uint64 // of that message; 0 if there is none
	subject   string
	scheduled bool // the engine will hand it out
}

// word is the second word of the subject.
func (s state) word() string {
	words := strings.Split(s.subject, ".")
	if len(words) != 3 {
		return ""
	}
	return words[1]
}

// slot is the number of the subject of a schedule or marker.
func (s state) slot() int {
	k, err := strconv.Atoi(strings.TrimPrefix(s.word(), heldWord))
	if err != nil {
		return 0
	}
	return k
}

func (s state) isDue() bool     { return s.word() == dueWord }
func (s state) isRunning() bool { return s.word() == runWord }

// isGone is whether nothing is left of the timer but perhaps the mark of its cancellation.
func (s state) isGone() bool { return s.seq == 0 || !s.scheduled && !s.isDue() && !s.isRunning() }
