package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"schedbench/driver"
)

// Timers are those of one name in one engine, and what runs them in this process. Methods may be
// called from any goroutine, those of handlers included, but for Close. Make them with Open, end
// them with Close.
type Timers struct {
	*engine
	now     func() time.Time // the clock, which tests set
	near    *driver.Driver
	longest time.Duration // that the near scheduler is asked for
	guard   time.Duration // see isFar
	skew    time.Duration // between the clocks of this process and of the engine
	opened  uint64        // last sequence of the engine that a process before this one may have left behind

	tasks    context.Context // of handlers
	endTasks context.CancelFunc
	ctx      context.Context // of all that this process asks of the engine by itself
	end      context.CancelFunc

	gate   sync.RWMutex // held by calls from outside, so that Close can wait for them
	closed bool

	mu        sync.Mutex // protects what follows
	closing   bool
	handlers  map[string]Handler
	consume   jetstream.ConsumeContext
	holding   map[uint64]*held // handed out to this process, by sequence
	byID      map[ID][]*held   // the same
	withdrawn map[ID]withdrawal
}

// How far clocks may be apart, and how long a request may take until it is not trusted any more to
// have come before the engine's own reading of a timer.
const (
	guardAlone, skewAlone   = time.Second, 0
	guardShared, skewShared = 7 * time.Second, 5 * time.Second
)

// Open starts the embedded server or connects to one, and finds the timers that are there. Time and
// memory grow with what is held in the folder: README.md has figures. A process that registers no
// handler takes no timers: it can schedule and cancel what others run. A cluster of which no server leads
// yet is waited for, half a minute if ctx does not say.
//
// The errors are ErrOption, ErrFolder and ErrEngine.
func Open(ctx context.Context, options Options) (*Timers, error) {
	t, err := connect(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := t.findAll(ctx); err != nil {
		_, _ = t.near.Close(ctx)
		t.engine.close()
		return nil, err
	}
	t.tasks, t.endTasks = context.WithCancel(context.Background())
	t.ctx, t.end = context.WithCancel(context.Background())
	return t, nil
}

// connect starts the near scheduler and the engine, or the way to it.
func connect(ctx context.Context, options Options) (*Timers, error) {
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	t := &Timers{
		now: time.Now, longest: o.Lead + time.Second, guard: guardShared, skew: skewShared,
		handlers: map[string]Handler{}, holding: map[uint64]*held{}, byID: map[ID][]*held{}, withdrawn: map[ID]withdrawal{},
	}
	if t.near, err = startNear(o, t.longest); err != nil {
		return nil, err
	}
	if t.engine, err = openEngine(ctx, o); err != nil {
		_, _ = t.near.Close(ctx)
		return nil, err
	}
	if t.alone() {
		t.guard, t.skew = guardAlone, skewAlone
	}
	return t, nil
}

// findAll finds the timers that are there.
func (t *Timers) findAll(ctx context.Context) error {
	if !t.alone() {
		return t.prepare(ctx)
	}
	if err := t.recover(ctx); err != nil {
		return err
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	return t.takeBack(ctx)
}

func startNear(o Options, longest time.Duration) (*driver.Driver, error) {
	s, err := o.Near()
	if err != nil {
		return nil, fmt.Errorf("%w: near scheduler: %w", ErrOption, err)
	}
	opts := append(append([]driver.Option{}, o.Driver...), driver.WithRunning(driver.Pool{Workers: o.Concurrency}))
	d, err := driver.Start(s, opts...)
	if err != nil {
		return nil, fmt.Errorf("%w: near driver: %w", ErrOption, err)
	}
	trial, err := d.AfterFunc(longest, func() {})
	if err != nil {
		_, _ = d.Close(context.Background())
		return nil, fmt.Errorf("%w: near scheduler must take delays of %v: %w", ErrOption, longest, err)
	}
	trial.Stop()
	return d, nil
}

// Register says what runs the tasks of a kind in this process. With the first one timers begin to be
// handed to it. All processes that run timers of one name should register all kinds, soon after
// Open: a task for which there is no handler fails, and is tried again like any other.
//
// The errors are ErrKind, ErrClosed and ErrEngine.
func (t *Timers) Register(kind string, handler Handler) error {
	if kind == "" || handler == nil {
		return fmt.Errorf("%w: %q, want a name and a handler", ErrKind, kind)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return ErrClosed
	}
	if _, there := t.handlers[kind]; there {
		return fmt.Errorf("%w: %q has a handler already", ErrKind, kind)
	}
	if t.consume == nil {
		if err := t.receive(); err != nil {
			return err
		}
	}
	t.handlers[kind] = handler
	return nil
}

// enter keeps Close waiting until leave, or reports ErrClosed.
func (t *Timers) enter() error {
	t.gate.RLock()
	if t.closed {
		t.gate.RUnlock()
		return ErrClosed
	}
	return nil
}

func (t *Timers) leave() { t.gate.RUnlock() }

// Close begins no more tasks, waits until those that run have ended, and leaves all others to the
// engine: for the next Open, or for other workers at once. Handlers can schedule until they end.
//
// When ctx ends first, the contexts of the tasks that still run are cancelled, and the error is that
// of ctx: these tasks run again elsewhere, or after the next Open. The second Close returns ErrClosed.
func (t *Timers) Close(ctx context.Context) error {
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		return ErrClosed
	}
	t.closing = true
	consume := t.consume
	t.mu.Unlock()

	if consume != nil {
		consume.Drain() // take gives all of it back
		select {
		case <-consume.Closed():
		case <-ctx.Done():
		}
	}
	_, err := t.near.Close(ctx)
	t.endTasks()

	t.gate.Lock()
	t.closed = true
	t.gate.Unlock()
	if err == nil && t.js.PublishAsyncPending() > 0 {
		select {
		case <-t.js.PublishAsyncComplete():
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	t.giveBack()
	if err == nil && consume != nil && t.alone() {
		// The engine does not keep from one start to the next what was given back, but that it was handed
		// out. A new consumer has all of it at once.
		if failed := t.dropConsumer(t.ctx); failed != nil {
			t.opts.OnError(failed)
		}
	}
	t.end()
	t.engine.close()
	if errors.Is(err, driver.ErrClosed) {
		err = nil
	}
	return err
}

// giveBack returns to the engine what has not begun.
func (t *Timers) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.holding {
		if !h.begun {
			_ = h.msg.Nak()
		}
	}
	_ = t.conn.FlushTimeout(answerTimeout)
}
