package durable

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"schedbench/driver"
)

// Timers are those of one name in one engine, and what runs them in this process. Methods may be
// called from any goroutine, handlers included, but for Close. Make them with Open, end them with
// Close.
type Timers struct {
	*engine
	now  func() time.Time // the clock, which tests set
	near *driver.Driver

	mu        sync.Mutex // protects what follows
	handlers  map[string]Handler
	holding   map[uint64]*held     // handed out to this process, by sequence
	withdrawn map[uint64]time.Time // cancelled before they came, exclusive engines only
	closed    bool
	consume   jetstream.ConsumeContext
	running   sync.WaitGroup
	ctx       context.Context // of tasks
	cancel    context.CancelFunc
}

// Open starts the embedded server or connects to one, and finds the timers that are there. Time and
// memory grow with what is held in the folder: README.md has figures. A process that registers no
// handler takes no timers: it can schedule and cancel what others run.
//
// The errors are ErrOption, ErrFolder and ErrEngine.
func Open(ctx context.Context, options Options) (*Timers, error) {
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	e, err := openEngine(ctx, o)
	if err != nil {
		return nil, err
	}
	t := &Timers{
		engine: e, now: time.Now, handlers: map[string]Handler{},
		holding: map[uint64]*held{}, withdrawn: map[uint64]time.Time{},
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	if t.near, err = startNear(o); err != nil {
		e.close()
		return nil, err
	}
	return t, nil
}

func startNear(o Options) (*driver.Driver, error) {
	s, err := o.Near()
	if err != nil {
		return nil, fmt.Errorf("%w: near scheduler: %w", ErrOption, err)
	}
	opts := append(append([]driver.Option{}, o.Driver...), driver.WithRunning(driver.Pool{Workers: o.Concurrency}))
	d, err := driver.Start(s, opts...)
	if err != nil {
		return nil, fmt.Errorf("%w: near driver: %w", ErrOption, err)
	}
	return d, nil
}

// Register says what runs the tasks of a kind in this process. With the first one timers begin to be
// handed to it. All processes that share timers should register all kinds, soon after Open: a task
// for which there is no handler fails, and is tried again like any other.
//
// The errors are ErrKind, ErrClosed and ErrEngine.
func (t *Timers) Register(kind string, handler Handler) error {
	if kind == "" || handler == nil {
		return fmt.Errorf("%w: %q, want a name and a handler", ErrKind, kind)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if _, there := t.handlers[kind]; there {
		return fmt.Errorf("%w: %q has a handler already", ErrKind, kind)
	}
	t.handlers[kind] = handler
	if t.consume != nil {
		return nil
	}
	return t.receive()
}

// Close takes no more timers and no more calls, waits until the tasks that run have ended, and
// leaves all others to the engine: for the next Open, or at once to other workers. When ctx ends
// first the contexts of running tasks are cancelled, and the error is that of ctx; tasks that have
// not ended then run again elsewhere.
func (t *Timers) Close(ctx context.Context) error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return ErrClosed
	}
	t.closed = true
	consume := t.consume
	t.mu.Unlock()

	if consume != nil {
		consume.Stop()
	}
	_, err := t.near.Close(ctx)
	t.cancel()
	t.giveBack()
	t.engine.close()
	return err
}
