package durable

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// What a message says of its timer stands in its subject and in one header, which the engine copies
// when it hands a schedule out: the instant that was planned, that of this attempt, its number, and
// the kind. The payload is the caller's.
const (
	headerTimer    = "Timer"
	headerDelivery = "Timer-Delivery" // of a claim: how often the engine had handed it out
	headerError    = "Timer-Error"    // of a dead letter

	headerSchedule       = "Nats-Schedule"
	headerTarget         = "Nats-Schedule-Target"
	headerNext           = "Nats-Schedule-Next" // purge: remove the schedule on the subject of headerScheduler
	headerScheduler      = "Nats-Scheduler"
	headerLast           = "Nats-Expected-Last-Subject-Sequence"
	headerLastOf         = "Nats-Expected-Last-Subject-Sequence-Subject"
	headerScheduleRollup = "Nats-Schedule-Rollup"
	headerRollup         = "Nats-Rollup"
	headerTTL            = "Nats-TTL"
	headerPending        = "Nats-Num-Pending" // what an answer leaves out
)

// record is a timer as it stands in a message.
type record struct {
	id      ID
	change  int // counts what Reset, and a further attempt, have made of the timer
	kind    string
	payload []byte
	at      time.Time // as planned
	due     time.Time // of this attempt
	attempt int       // from 1
}

// message makes a message of r without a subject.
func (r record) message() *nats.Msg {
	text := strconv.FormatInt(r.at.UnixNano(), 36) + " " + strconv.FormatInt(r.due.UnixNano(), 36) + " " +
		strconv.Itoa(r.attempt) + " " + escape(r.kind)
	return &nats.Msg{Data: r.payload, Header: nats.Header{headerTimer: {text}}}
}

var errNoTimer = errors.New("message is not that of a timer")

// read is the way back.
func (r *record) read(h nats.Header, payload []byte) error {
	words := strings.Split(h.Get(headerTimer), " ")
	if len(words) != 4 {
		return errNoTimer
	}
	at, err1 := strconv.ParseInt(words[0], 36, 64)
	due, err2 := strconv.ParseInt(words[1], 36, 64)
	attempt, err3 := strconv.Atoi(words[2])
	kind, ok := unescape(words[3])
	if !ok || errors.Join(err1, err2, err3) != nil {
		return errNoTimer
	}
	r.at, r.due, r.attempt, r.kind, r.payload = time.Unix(0, at), time.Unix(0, due), attempt, kind, payload
	return nil
}

// placed makes the message that puts r into the engine: a schedule, or what is handed out at once if
// it is due within the lead.
func (e *engine) placed(r record, now time.Time) *nats.Msg {
	m := r.message()
	out := r.due.Add(-e.opts.Lead)
	if !out.After(now) {
		m.Subject = e.due(r.id, r.change)
		return m
	}
	m.Subject = e.at(r.id, r.change)
	m.Header[headerSchedule] = []string{"@at " + out.UTC().Format(time.RFC3339Nano)}
	m.Header[headerTarget] = []string{e.due(r.id, r.change)}
	return m
}

// marking makes the message which says that a timer is cancelled, up to a change: see
// docs/decisions/0029.
func (e *engine) marking(id ID, change int) *nats.Msg {
	return &nats.Msg{Subject: e.mark(id, change), Header: nats.Header{
		headerTTL: {markLife.String()}, headerRollup: {"sub"},
	}}
}

const markLife = 2 * time.Minute // of a mark: much longer than a message can be under way in the engine

// replacing has the engine remove the schedule of s when it takes m; also one that it has handed out
// already, since a server that is killed may have handed out what it still has.
func (e *engine) replacing(m *nats.Msg, s state) {
	m.Header[headerNext] = []string{"purge"}
	m.Header[headerScheduler] = []string{e.at(s.id, s.change)}
}

// expecting has the engine refuse m unless the last message of the timer is the given one.
func (e *engine) expecting(m *nats.Msg, id ID, last uint64) {
	m.Header[headerLastOf] = []string{e.any(id)}
	m.Header[headerLast] = []string{strconv.FormatUint(last, 10)}
}
