package durable

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// engine is the server, or the way to it, and the stream in which the timers are.
type engine struct {
	names
	opts   Options
	lock   *flock.Flock   // of the folder
	server *server.Server // nil if it is elsewhere
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
}

const startTimeout = 10 * time.Minute // a server reads all that it holds when it starts

func openEngine(ctx context.Context, o Options) (*engine, error) {
	e := &engine{names: names{o.Name}, opts: o}
	err := e.connect(ctx)
	if err == nil {
		err = e.prepare(ctx)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func (e *engine) connect(ctx context.Context) (err error) {
	switch {
	case e.opts.Conn != nil:
		e.conn = e.opts.Conn
		return nil
	case e.opts.URL != "":
		opts := append([]nats.Option{nats.Name("schedbench/durable"), nats.MaxReconnects(-1)}, e.opts.Connect...)
		e.conn, err = nats.Connect(e.opts.URL, opts...)
	default:
		if err = e.startServer(ctx); err != nil {
			return err
		}
		e.conn, err = nats.Connect("", nats.InProcessServer(e.server))
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
	e.server, err = server.NewServer(&server.Options{
		ServerName: "durable", DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir,
		SyncAlways: e.opts.Sync.always, SyncInterval: e.opts.Sync.interval,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	go e.server.Start()
	for deadline := time.Now().Add(startTimeout); !e.server.ReadyForConnections(100 * time.Millisecond); {
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("%w: the embedded server did not start in %s: %w", ErrFolder, dir, context.Cause(ctx))
		}
	}
	if !e.server.JetStreamEnabled() {
		return fmt.Errorf("%w: the embedded server cannot keep anything in %s", ErrFolder, dir)
	}
	return nil
}

// prepare makes the stream, or finds it there.
func (e *engine) prepare(ctx context.Context) (err error) {
	if e.js, err = jetstream.New(e.conn, jetstream.WithPublishAsyncMaxPending(e.opts.InFlight)); err != nil {
		return fmt.Errorf("%w: %w", ErrEngine, err)
	}
	e.stream, err = e.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: e.prefix, Subjects: []string{e.all()}, Storage: jetstream.FileStorage, Replicas: e.opts.Replicas,
		Retention: jetstream.WorkQueuePolicy, AllowRollup: true, AllowMsgTTL: true, AllowMsgSchedules: true,
		AllowDirect: e.opts.Replicas == 1, // else a server that is behind might answer
	})
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w", ErrEngine, e.prefix, err)
	}
	return nil
}

// consumer makes what hands timers out to workers, or finds it there.
func (e *engine) consumer(ctx context.Context) (jetstream.Consumer, error) {
	c, err := e.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: workers, FilterSubject: e.dueAll(), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: e.opts.Redelivery, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: consumer of %s: %w", ErrEngine, e.prefix, err)
	}
	return c, nil
}

// alone is whether this process is the only one with these timers, so that it need not ask the engine
// who runs what.
func (e *engine) alone() bool { return e.server != nil }

func (e *engine) close() {
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
