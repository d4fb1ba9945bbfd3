package durable

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/schedulers"
)

// The errors of this package. They come wrapped: test with errors.Is.
var (
	// ErrOption means that an option of Open or Schedule has an unusable value.
	ErrOption = errors.New("bad option for durable timers")
	// ErrClosed means that the Timers have been closed.
	ErrClosed = errors.New("durable timers are closed")
	// ErrFolder means that the folder of the embedded server cannot be used: it cannot be written,
	// or another process has it open.
	ErrFolder = errors.New("folder of durable timers cannot be used")
	// ErrEngine means that the engine did not answer, or refused. Whether a timer was kept is not
	// known then; to schedule it again under the same ID is safe while it cannot have run.
	ErrEngine = errors.New("engine of durable timers")
	// ErrNotFound means that no timer of that ID is pending or running.
	ErrNotFound = errors.New("no such durable timer")
	// ErrRunning means that the task of a timer runs, so that no other can have its ID.
	ErrRunning = errors.New("durable timer runs")
	// ErrKind means that a kind is empty, too long, or has a handler already; of a task, that its kind
	// has none.
	ErrKind = errors.New("bad kind of durable timer")
)

// Sync says when the embedded server tells the disk to write. A process that is killed loses
// nothing in either case, since the operating system has what was acknowledged; a machine that
// loses power loses what the disk had not been told to write.
type Sync struct {
	always   bool
	interval time.Duration
}

// SyncAlways has every change on disk before it is acknowledged.
func SyncAlways() Sync { return Sync{always: true} }

// SyncInterval has changes on disk after the given time at most. It is the default, with a second.
func SyncInterval(d time.Duration) Sync { return Sync{interval: d} }

// String returns the policy as it is written in tables.
func (s Sync) String() string {
	if s.always {
		return "always"
	}
	return s.interval.String()
}

// FilesKey is the key by which the embedded server encrypts its files, with AES: whoever opens Options.Dir with a server
// of their own needs it. It hides nothing, since it stands here. But files that are encrypted are of 2 MB at most,
// and that keeps cancelled timers from coming back: see docs/decisions/0029.
const FilesKey = "schedbench/durable"

// Options say where timers are kept and how they run. The zero value of each field is its default.
type Options struct {
	// Dir is the folder of the embedded server: the default way, with no port and nothing to set
	// up. It is made if it is not there. One process at a time may have it open.
	Dir string
	// URL is the address of a NATS server with JetStream, or several with commas between. Any
	// number of processes may share the timers of one Name there. It is tried with servers of version
	// 2.15; those before 2.12 have no message schedules.
	URL string
	// Conn is a connection that the program has already, in place of URL. Close leaves it open.
	Conn *nats.Conn
	// Connect are options of the connection to URL, such as credentials.
	Connect []nats.Option

	// Name keeps the timers of several programs on one server apart: it is the name of the stream
	// and the first word of its subjects. The default is "timers".
	Name string
	// Sync is when the embedded server writes to disk; one at a URL has its own policy. The default
	// is SyncInterval(time.Second).
	Sync Sync
	// Replicas is on how many servers of a cluster each timer is kept: with 3 it outlives one of
	// them, with 5 two. It is that of the process that has opened last: all should say the same. The
	// default is 1.
	Replicas int

	// Lead is how long before its instant a timer is handed to the process that will run it. It has
	// to cover the quarter of a second between the engine's looks, and what the engine takes to
	// hand out all that is due in one of them: more for bursts of many thousands. The default is a
	// second.
	Lead time.Duration
	// Near makes the scheduler that holds timers during their lead. The default is a hierarchical
	// wheel with 256 slots a level and ticks of a millisecond.
	Near func() (schedulers.Scheduler[driver.Task], error)
	// Driver are options of the driver of that scheduler, such as driver.WithWaiting. Where tasks
	// run is not one of them: that is Concurrency.
	Driver []driver.Option
	// EngineAlone leaves out the lead and the near scheduler: the engine hands a timer out once it
	// is due, and it runs when it comes. It is there to show what the two are good for.
	EngineAlone bool

	// Concurrency is how many tasks run at once in this process. The default is 64.
	Concurrency int
	// Attempts is how many failures make a task a dead letter. The default is 5.
	Attempts int
	// Backoff is how long to wait before the next attempt, after so many have failed. The default
	// is a second that doubles up to five minutes.
	Backoff func(failed int) time.Duration
	// Timeout is when the context of a task ends. A handler that does not heed it keeps its place in
	// Concurrency, and its timer is not given to others as long as this process lives. The default
	// is five minutes.
	Timeout time.Duration
	// Redelivery is after what time without a sign of life from its worker a timer that was handed
	// out is given to another. With the embedded server there are no others: what a process had that
	// is dead, the next one has at once. It is that of the process that has registered a handler last:
	// all should say the same. The default is five seconds; at least one.
	Redelivery time.Duration
	// InFlight is how many asynchronous schedules may wait for their acknowledgement. The default is
	// 4096.
	InFlight int
	// OnError is told what no caller hears of: a task that failed, and an engine that is away. It
	// may be called from several goroutines. The default writes to slog's default logger.
	OnError func(error)
}

const (
	defaultName        = "timers"
	defaultLead        = time.Second
	defaultConcurrency = 64
	defaultAttempts    = 5
	defaultTimeout     = 5 * time.Minute
	defaultRedelivery  = 5 * time.Second
	defaultInFlight    = 4096
	longestBackoff     = 5 * time.Minute
)

// complete fills in the defaults, and refuses what cannot be.
func (o Options) complete() (Options, error) {
	o.Name = orDefault(o.Name, defaultName)
	o.Lead = orDefault(o.Lead, defaultLead)
	o.Replicas = orDefault(o.Replicas, 1)
	o.Concurrency = orDefault(o.Concurrency, defaultConcurrency)
	o.Attempts = orDefault(o.Attempts, defaultAttempts)
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.Redelivery = orDefault(o.Redelivery, defaultRedelivery)
	o.InFlight = orDefault(o.InFlight, defaultInFlight)
	if o.Sync == (Sync{}) {
		o.Sync = SyncInterval(time.Second)
	}
	if o.EngineAlone {
		o.Lead = 0
	}
	if o.Near == nil {
		o.Near = func() (schedulers.Scheduler[driver.Task], error) {
			return hierwheel.New[driver.Task](time.Millisecond, 256)
		}
	}
	if o.Backoff == nil {
		o.Backoff = doubling
	}
	if o.OnError == nil {
		o.OnError = logged
	}
	return o, o.check()
}

func (o Options) check() error {
	places := 0
	for _, given := range []bool{o.Dir != "", o.URL != "", o.Conn != nil} {
		if given {
			places++
		}
	}
	switch {
	case places != 1:
		return fmt.Errorf("%w: want one of Dir, URL and Conn, got %d of them", ErrOption, places)
	case strings.ContainsAny(o.Name, " .*>/\\\t\r\n"):
		return fmt.Errorf("%w: name %q, want a word without dots, stars, slashes, > and spaces", ErrOption, o.Name)
	case !o.Sync.always && o.Sync.interval <= 0:
		return fmt.Errorf("%w: sync every %v, want more than 0", ErrOption, o.Sync.interval)
	case o.Replicas < 1 || o.Replicas > 5:
		return fmt.Errorf("%w: %d replicas, want 1 to 5", ErrOption, o.Replicas)
	case o.Dir != "" && o.Replicas != 1:
		return fmt.Errorf("%w: %d replicas with the embedded server, want 1", ErrOption, o.Replicas)
	case o.Lead < 0 || o.Lead > time.Hour:
		return fmt.Errorf("%w: lead of %v, want up to an hour", ErrOption, o.Lead)
	case o.Concurrency < 1 || o.Attempts < 1 || o.InFlight < 1:
		return fmt.Errorf("%w: concurrency %d, attempts %d, in flight %d, want at least 1 of each", ErrOption, o.Concurrency, o.Attempts, o.InFlight)
	case o.Timeout < 0:
		return fmt.Errorf("%w: timeout of %v, want more than 0", ErrOption, o.Timeout)
	case o.Redelivery < time.Second:
		return fmt.Errorf("%w: redelivery after %v, want at least a second", ErrOption, o.Redelivery)
	}
	return nil
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// doubling is the default backoff.
func doubling(failed int) time.Duration {
	if failed > 9 {
		return longestBackoff
	}
	return min(time.Second<<max(failed-1, 0), longestBackoff)
}
