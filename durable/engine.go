package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// engine is the server, or the way to it, and the stream in which the timers are.
type engine struct {
	names
	opts    Options
	lock    *flock.Flock   // of the folder
	server  *server.Server // nil if it is elsewhere
	started time.Time      // before the server was
	conn    *nats.Conn
	inboxes *inboxes
	js      jetstream.JetStream
	stream  jetstream.Stream
	log     serverLog
}

const startTimeout = 10 * time.Minute // a server reads all that it holds when it starts

func openEngine(ctx context.Context, o Options) (*engine, error) {
	e := &engine{names: names{o.Name}, opts: o, log: serverLog{tell: o.OnError}}
	if err := e.connect(ctx); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func (e *engine) connect(ctx context.Context) (err error) {
	switch {
	case e.opts.Conn != nil:
		e.conn = e.opts.Conn
	case e.opts.URL != "":
		opts := append([]nats.Option{nats.Name("schedbench/durable"), nats.MaxReconnects(-1)}, e.opts.Connect...)
		e.conn, err = nats.Connect(e.opts.URL, opts...)
	default:
		if err = e.startServer(ctx); err != nil {
			return err
		}
		e.conn, err = nats.Connect("", nats.InProcessServer(e.server))
	}
	if err == nil {
		e.inboxes = newInboxes(e.conn)
		e.js, err = jetstream.New(e.conn, jetstream.WithPublishAsyncMaxPending(e.opts.InFlight))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEngine, err)
	}
	return nil
}

// startServer starts the embedded server, once no other process has the folder.
func (e *engine) startServer(ctx context.Context) error {
	dir := e.opts.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	e.lock = flock.New(filepath.Join(dir, "lock"))
	locked, err := e.lock.TryLock()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrFolder, err)
	case !locked:
		return fmt.Errorf("%w: %s is open in another process, or twice in this one", ErrFolder, dir)
	}
	if err := e.mendSum(); err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	e.started = time.Now()
	e.server, err = server.NewServer(&server.Options{
		ServerName: "durable", DontListen: true, NoSigs: true,
		JetStream: true, StoreDir: dir, DisableJetStreamBanner: true,
		SyncAlways: e.opts.Sync.always, SyncInterval: e.opts.Sync.interval,
		JetStreamKey: FilesKey, JetStreamCipher: server.AES,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	e.server.SetLoggerV2(&e.log, false, false, false)
	go e.server.Start()
	for deadline := time.Now().Add(startTimeout); !e.server.ReadyForConnections(100 * time.Millisecond); {
		if ctx.Err() != nil {
			return fmt.Errorf("%w: the embedded server had not started in %s: %w", ErrFolder, dir, context.Cause(ctx))
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: the embedded server has not started in %s within %v%s", ErrFolder, dir, startTimeout, e.log.latest())
		}
	}
	if !e.server.JetStreamEnabled() {
		return fmt.Errorf("%w: the embedded server cannot keep anything in %s%s", ErrFolder, dir, e.log.latest())
	}
	return nil
}

// serverLog takes what the embedded server would write to its log. Errors are told, and the last one
// explains why a request has no answer.
type serverLog struct {
	tell   func(error)
	last   atomic.Pointer[serverError]
	warned atomic.Pointer[string]
}

type serverError struct {
	text string
	when time.Time
}

func (l *serverLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.last.Store(&serverError{text, time.Now()})
	l.tell(fmt.Errorf("%w: %s", ErrEngine, text))
}
func (l *serverLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }
func (l *serverLog) Warnf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.warned.Store(&text)
	if strings.Contains(text, "isabling JetStream") {
		l.Errorf("%s", text)
	}
}
func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

// latest is the last error, if it can have to do with what has just failed.
func (l *serverLog) latest() string {
	if e := l.last.Load(); e != nil && time.Since(e.when) < 2*answerTimeout {
		return ": " + e.text
	}
	return ""
}

// warning is the last warning.
func (l *serverLog) warning() string {
	if text := l.warned.Load(); text != nil {
		return ": " + strings.TrimSpace(*text)
	}
	return ""
}

// openTimeout is how long Open waits for a cluster if its context does not say: an election takes up to 9 s, and
// a stream that is new has one of its own.
const openTimeout = 30 * time.Second

// prepare makes the stream, or finds it there.
func (e *engine) prepare(ctx context.Context) error {
	err := untilAnswered(ctx, openTimeout, func(ctx context.Context) (err error) {
		if e.stream, err = e.findOrMake(ctx); err != nil {
			return err
		}
		if !e.stream.CachedInfo().Config.AllowMsgSchedules { // an older server passes over what it does not know
			return fmt.Errorf("server %s keeps no schedules, want NATS 2.12 or later", e.conn.ConnectedServerVersion())
		}
		return e.beat(ctx)
	})
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w%s", ErrEngine, e.prefix, err, e.log.latest())
	}
	return nil
}

// findOrMake returns the stream. What is as it should be is not written again: see mendSum for a server that is
// killed as it writes.
func (e *engine) findOrMake(ctx context.Context) (jetstream.Stream, error) {
	s, err := e.js.Stream(ctx, e.prefix)
	switch {
	case errors.Is(err, nats.ErrNoResponders): // where nobody leads, servers say so
		return nil, jetstream.ErrJetStreamNotEnabled
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return e.js.CreateOrUpdateStream(ctx, e.configured(jetstream.StreamConfig{}))
	case err != nil:
		return nil, err
	}
	is := s.CachedInfo().Config
	if want := e.configured(is); !reflect.DeepEqual(is, want) {
		return e.js.UpdateStream(ctx, want)
	}
	return s, nil
}

// configured is a configuration with all that package durable needs.
func (e *engine) configured(c jetstream.StreamConfig) jetstream.StreamConfig {
	c.Name, c.Subjects = e.prefix, []string{e.all()}
	c.Storage, c.Replicas, c.Retention = jetstream.FileStorage, e.opts.Replicas, jetstream.WorkQueuePolicy
	c.AllowRollup, c.AllowMsgTTL, c.AllowMsgSchedules, c.AllowDirect = true, true, true, true
	return c
}

// beat has the engine hand out a message of its own now and then. It sleeps until the next instant that
// it knows of, by a clock that stands still with the machine and is not set: with the beat it does not
// oversleep for longer, if the clock that timers go by jumps ahead.
func (e *engine) beat(ctx context.Context) error {
	// Not to be read first: of a stream that is new, not every server of a cluster can be asked yet.
	_, err := e.publish(ctx, &nats.Msg{Subject: e.prefix + "." + beatWord + ".every", Header: nats.Header{
		headerSchedule: {"@every " + beatEvery.String()}, headerTarget: {e.prefix + "." + beatWord + ".out"}, headerScheduleRollup: {"sub"},
		headerLast: {"0"},
	}})
	if isConflict(err) { // it is there
		return nil
	}
	return err
}

const beatEvery = 30 * time.Second

// consumer makes what hands timers out to workers, or finds it there. What was handed out and has had no
// sign of life for so long is handed out again.
func (e *engine) consumer(ctx context.Context, redelivery time.Duration) (c jetstream.Consumer, err error) {
	err = untilAnswered(ctx, openTimeout, func(ctx context.Context) (err error) {
		c, err = e.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: workers, FilterSubject: e.dueAll(), AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: redelivery, MaxDeliver: -1, MaxAckPending: -1,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: consumer of %s: %w", ErrEngine, e.prefix, err)
	}
	return c, nil
}

// dropConsumer removes the consumer, with what it knows of deliveries.
func (e *engine) dropConsumer(ctx context.Context) error {
	if err := e.stream.DeleteConsumer(ctx, workers); err != nil {
		return fmt.Errorf("%w: consumer of %s: %w", ErrEngine, e.prefix, err)
	}
	return nil
}

// alone is whether this process is the only one with these timers, so that it need not ask the engine
// who runs what.
func (e *engine) alone() bool { return e.server != nil }

func (e *engine) close() {
	if e.js != nil {
		e.js.CleanupPublisher() // its subscription, on a connection that stays
	}
	if e.inboxes != nil {
		e.inboxes.close()
	}
	if e.conn != nil && e.opts.Conn == nil {
		e.conn.Close()
	}
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	if e.lock != nil {
		_ = e.lock.Unlock()
	}
}

func logged(err error) { slog.Default().Error("durable timers", "error", err) }
