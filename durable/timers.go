package durable

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"schedbench/driver"
	"schedbench/hierwheel"
)

// Timers are those of one table, and what runs them in this process. Methods may be called from any goroutine, those of handlers
// included, but for Close. Make them with Open, end them with Close.
type Timers struct {
	opts   Options
	store  group
	sql    *texts
	near   *driver.Driver
	holder int64 // names this process in rows

	tasks, work       context.Context // of handlers, and of what looks and begins
	endTasks, endWork context.CancelFunc
	workers           sync.WaitGroup

	renewed    int64         // when the goroutine that leases renews again
	look, stir chan struct{} // have one if there may be timers to lease, or something to begin or to complete
	sleeps     atomic.Int64  // until when the goroutine that leases sleeps, in nanoseconds

	mu               sync.Mutex // protects what follows
	kinds            map[string]*kind
	started, closing bool
	starved          bool            // the goroutine that leases waits for room
	held             map[int64]*held // by token
	ended            []*held
	running          int    // of held: those that have begun, or are about to
	health           Health // but for what is counted when it is asked
}

// kind is what runs the tasks of a kind, and those of them that are due.
type kind struct {
	name    string
	handler Handler
	Policy
	due     []*held
	running int
	far     bool // there may be timers to bring near
	// after is the last timer found in a file: those before it are held, but for those from lowered on.
	after   Page
	lowered int64
}

// Open opens the timers in a file, or those of PostgreSQL at a URL ("postgres://..."), and makes them if they are not there.
// A file belongs to one process at a time. One of up to 16 MB is read as a whole to find damage; beyond, the time does not grow.
// Without Start no task runs; all else works. The errors are ErrOption, ErrInUse, ErrDamaged, ErrLayout, ErrRights and ErrStore.
func Open(ctx context.Context, where string, options Options) (*Timers, error) {
	o, err := options.complete()
	if err != nil {
		return nil, err
	}
	t := &Timers{
		opts: o, holder: rand.Int64(), look: make(chan struct{}, 1), stir: make(chan struct{}, 1),
		kinds: map[string]*kind{}, held: map[int64]*held{},
	}
	wheel, err := hierwheel.New[driver.Task](time.Millisecond, 256)
	if err == nil {
		t.near, err = driver.Start(wheel, driver.WithRunning(driver.Inline{}))
	}
	if err != nil {
		return nil, err
	}
	open := openSQLite
	if strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://") {
		open = openPostgres
	}
	if t.store.store, t.sql, err = open(ctx, where, o); err != nil {
		_, _ = t.near.Close(ctx)
		return nil, err
	}
	t.tasks, t.endTasks = context.WithCancel(context.Background())
	t.work, t.endWork = context.WithCancel(context.Background())
	return t, nil
}

// Register says what runs the tasks of a kind in this process. It comes before Start. Timers of other kinds are left to workers that
// have a handler for them. The errors are ErrKind, ErrOption, ErrStarted and ErrClosed.
func (t *Timers) Register(name string, handler Handler, policy Policy) error {
	if err := checkKind(name); err != nil {
		return err
	}
	p, err := policy.complete(t.opts)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return ErrClosed
	case t.started:
		return fmt.Errorf("%w: register %q before", ErrStarted, name)
	case handler == nil || t.kinds[name] != nil:
		return fmt.Errorf("%w: %q, want one handler", ErrKind, name)
	}
	t.kinds[name] = &kind{name: name, handler: handler, Policy: p}
	return nil
}

// Start begins to run the tasks of the kinds that are registered. In a file, what a process that ended left behind is taken up at
// once; at a URL when its leases have ended. The error is ErrStarted.
func (t *Timers) Start(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return ErrClosed
	case t.started:
		return ErrStarted
	}
	t.started = true
	t.workers.Go(t.lease)
	t.workers.Go(t.run)
	t.workers.Go(func() { t.store.watch(t.work, t.hear) })
	return nil
}

// Close begins no more tasks, waits until those that run have ended, and leaves all others to the next Open, or to other workers.
// Handlers can schedule until they end. When ctx ends first, Close cancels the contexts of the tasks that run, and returns the error
// of ctx, also if the database does not answer: these tasks run again later. The second Close returns ErrClosed.
func (t *Timers) Close(ctx context.Context) error {
	t.mu.Lock()
	closed := t.closing
	t.closing = true
	t.mu.Unlock()
	if closed {
		return ErrClosed
	}
	defer t.endTasks()
	done := make(chan error, 1)
	go func() {
		_, err := t.near.Close(ctx)
		wakeUp(t.stir)
		t.workers.Wait()
		err = errors.Join(err, t.each(ctx, func(h *held) *op { return step(t.sql.release, h.ID, h.Token, t.holder) }))
		t.store.end(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	t.endTasks()
	t.endWork()
	select {
	case <-done: // the store is released
	case <-time.After(20 * time.Millisecond): // a transaction does not end
	}
	return context.Cause(ctx)
}

// each takes a step for those of the timers leased for which there is one.
func (t *Timers) each(ctx context.Context, f func(*held) *op) error {
	if !t.store.shared() {
		return nil
	}
	var ops []*op
	t.mu.Lock()
	for _, h := range t.held {
		if o := f(h); o != nil {
			ops = append(ops, o)
		}
	}
	t.mu.Unlock()
	for some := range slices.Chunk(ops, chunk) {
		if err := t.store.do(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}

func (t *Timers) now() int64 { return t.opts.Now().UnixNano() }

// wakeUp puts one into a channel that has none.
func wakeUp(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// nanoseconds is an instant as it is stored. What does not fit in lies in the first second of 1970, or at the end of 2260.
func nanoseconds(at time.Time) int64 {
	const most = 9_183_110_400
	if s := at.Unix(); s < 0 || s >= most {
		return min(max(s, 0), most) * int64(time.Second)
	}
	return at.UnixNano()
}
