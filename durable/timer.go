package durable

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"schedbench/internal/check"
)

// The errors of this package. They come wrapped, with figures: test with errors.Is. Each call with a context may return ErrStore,
// ErrClosed, and the error of the context. Its comment names the others.
var (
	ErrOption   = errors.New("bad option for durable timers")          // an option has an unusable value
	ErrClosed   = errors.New("durable timers are closed")              // by Close
	ErrStarted  = errors.New("durable timers are started")             // by Start
	ErrInUse    = errors.New("file of durable timers is in use")       // by another process, or other Timers
	ErrDamaged  = errors.New("file of durable timers is damaged")      // it has lost what it once had, or cannot be read
	ErrLayout   = errors.New("durable timers of another version")      // its tables are those of an older or newer version of this package
	ErrRights   = errors.New("no rights for durable timers")           // the database refuses what durable timers need
	ErrID       = errors.New("bad ID of a durable timer")              // empty, longer than MaxID, or not printable
	ErrKind     = errors.New("bad kind of durable timers")             // as a bad ID, or it has a handler already
	ErrPayload  = errors.New("payload of a durable timer is too long") // longer than MaxPayload
	ErrNotFound = errors.New("no such durable timer")                  // no timer has the ID, or no dead one the token
	// ErrStore means that the database did not answer, or refused. After a refusal nothing is kept; without an answer it is not
	// known. To schedule again under the same ID is safe.
	ErrStore = errors.New("database of durable timers")
)

// Limits of what a timer may have, in bytes.
const MaxID, MaxKind, MaxPayload = 512, 200, 1 << 20

// New is a timer to be scheduled.
type New struct {
	Kind    string // names the handler
	Payload []byte // is what the handler gets
	// At is the instant before which the task does not begin. One in the past is due at once. Those before 1970 are stored as 1970,
	// those after 2260 as the end of 2260.
	At time.Time
	// ID names the timer; an empty one is made up. While a timer of this ID is kept, no other is made: see Scheduled.Existed.
	ID string
	// Replace puts this timer in the place of one with the same ID. If that one runs it runs to its end, and this one is not held up:
	// a handler may schedule its own ID again.
	Replace bool
}

// Scheduled is what became of a New. If a timer of this ID Existed, that stays as it was, and Token is 0.
type Scheduled struct {
	ID      string
	Token   int64
	Existed bool
}

// Task is a timer whose instant has come.
type Task struct {
	ID, Kind string
	Payload  []byte    // belongs to the handler
	At       time.Time // the instant that was planned, also when the task is tried again later
	Token    int64     // one for each Schedule and Reset: a key for idempotency
	Began    time.Time // when this process asked the database to begin this attempt
	// Attempt is 1 at first. A greater one says that the task has begun before: Failed attempts have failed, others asked for RetryIn, or
	// their process or lease ended.
	Attempt, Failed int
}

// State is where a timer is.
type State int64

const (
	Waiting State = iota // in the database
	Near                 // leased by a worker; never in a file
	Running              // begun
	Dead                 // failed as often as its Policy allows
)

// Timer is one that is kept, or dead: see Get, List and Dead.
type Timer struct {
	Task
	State  State
	Died   time.Time // if it is dead
	Reason string    // of the last failure of a dead one
}

// Handler runs the tasks of a kind. With an error, or a panic, the task is tried again: see Policy, NoRetry and RetryIn. The context
// ends after Policy.Timeout, and when the context of Close ends.
type Handler func(ctx context.Context, task Task) error

// Policy says how the tasks of a kind run. The zero value of a field is its default.
type Policy struct {
	Attempts    int                            // how often a task may fail until it is dead: 5 by default
	Backoff     func(failed int) time.Duration // how long to wait after so many failures: 1 s, doubled up to 5 min, by default
	Timeout     time.Duration                  // ends the context of a task: 5 min by default
	Concurrency int                            // how many tasks of the kind run at once in this process: Options.Concurrency by default
}

func (p Policy) complete(o Options) (Policy, error) {
	p.Attempts, p.Timeout, p.Concurrency = cmp.Or(p.Attempts, 5), cmp.Or(p.Timeout, 5*time.Minute), cmp.Or(p.Concurrency, o.Concurrency)
	if p.Backoff == nil {
		p.Backoff = func(failed int) time.Duration { return min(time.Second<<min(max(failed-1, 0), 9), 5*time.Minute) }
	}
	return p, check.That(p.Attempts >= 1 && p.Timeout >= 0 && p.Concurrency >= 1,
		"%w: %d attempts, timeout %v, concurrency %d, want none below 1", ErrOption, p.Attempts, p.Timeout, p.Concurrency)
}

// refusal is an error of a handler that says when to try again: never if in is negative.
type refusal struct {
	error
	in time.Duration
}

func (r refusal) Unwrap() error { return r.error }

// NoRetry is an error after which a task is not tried again: it is dead.
func NoRetry(err error) error { return refusal{err, -1} }

// RetryIn is an error after which a task is tried again in d, whatever its Policy says. It counts as no failure.
func RetryIn(d time.Duration, err error) error { return refusal{err, max(d, 0)} }

func checkID(id string) error     { return checkName(ErrID, id, MaxID) }
func checkKind(kind string) error { return checkName(ErrKind, kind, MaxKind) }

func checkName(wrong error, name string, most int) error {
	return check.That(name != "" && len(name) <= most && utf8.ValidString(name) && !strings.Contains(name, "\x00"),
		"%w: %.40q of %d bytes, want 1 to %d of UTF-8 without zeros", wrong, name, len(name), most)
}

func checkLayout(found int) error {
	return check.That(found == layout, "%w: found version %d of the tables, want %d; durable/README.md, \"Version of the tables\", says how to upgrade", ErrLayout, found, layout)
}
