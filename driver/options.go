package driver

import (
	"fmt"
	"log/slog"
	"time"
)

// Option is a policy of a driver, for Start. Of several options for the same policy the last counts.
type Option func(*config)

// config is what the options set. It does not change after Start.
type config struct {
	waking     Waking
	waiting    Waiting
	inbox      Inbox
	running    Running
	slack      time.Duration
	resolution time.Duration // of the clock
	maxPending int
	states     bool
	atOnce     bool
	onPanic    func(c *core, value any, stack []byte) // nil: the program ends
	onCancel   func(Timer)
	logger     *slog.Logger // nil: slog.Default, as it is when needed
}

// WithWaking sets when the worker wakes. The default is SkipToNext{}.
func WithWaking(w Waking) Option { return func(c *config) { c.waking = w } }

// WithWaiting sets how the worker sleeps. The default is Runtime{}.
func WithWaiting(w Waiting) Option { return func(c *config) { c.waiting = w } }

// WithInbox sets how timers get into the scheduler. The default is Locked{}.
func WithInbox(i Inbox) Option { return func(c *config) { c.inbox = i } }

// WithRunning sets where tasks run. The default is Inline{}.
func WithRunning(r Running) Option { return func(c *config) { c.running = r } }

// WithSlack lets tasks begin up to slack late: one wake-up serves all that come due in that time. The default, 0,
// is no slack. It has no effect with a FixedTick.
func WithSlack(slack time.Duration) Option { return func(c *config) { c.slack = slack } }

// WithResolution has the driver's clock show multiples of d since its start, as a clock of whole milliseconds does.
// Delays are rounded up to a multiple of d and count from one. The same clock decides what is due. So a task may begin
// early, by less than d, and the worker may sleep too long, by less than d. The default, 0, is the exact clock. The
// option is there to show what coarse clocks do.
func WithResolution(d time.Duration) Option { return func(c *config) { c.resolution = d } }

// WithMaxPending limits how many timers may be pending: beyond n, AfterFunc fails with ErrMaxPending. A repeating timer
// counts until it is stopped. The default, 0, is no limit.
func WithMaxPending(n int) Option { return func(c *config) { c.maxPending = n } }

// WithStates lets Timer.State say what became of a timer, after Close too. The records, 32 bytes a timer, then stay
// until the driver is dropped. A Queued driver knows the states anyway, but gives records back after a burst.
func WithStates() Option { return func(c *config) { c.states = true } }

// WithAtOnce has every Stop and ResetPending change the scheduler at once, as many systems do. It does not concern a
// Queued driver. By default the scheduler keeps the place of a timer that is stopped or moved later: see Places in the
// comment of the package.
func WithAtOnce() Option { return func(c *config) { c.atOnce = true } }

// WithPanicHandler sets what is called when a task has panicked, with the value of the panic and its stack, on the
// goroutine of the task. The handler may call the driver, which goes on. A panic in the handler itself ends the program.
// Without a handler a panic of a task ends the program, as with time.AfterFunc.
func WithPanicHandler(handler func(value any, stack []byte)) Option {
	return func(c *config) { c.onPanic = func(_ *core, value any, stack []byte) { handler(value, stack) } }
}

// WithPanicsLogged is WithPanicHandler with a handler that writes an error to the logger.
func WithPanicsLogged() Option { return func(c *config) { c.onPanic = (*core).logPanic } }

// WithCancelHandler sets what is called for each timer that Stop has taken back. The goroutine that called Stop calls
// it, and holds no lock of the driver. Close returns the timers that it takes instead.
func WithCancelHandler(handler func(Timer)) Option { return func(c *config) { c.onCancel = handler } }

// WithLogger sets where the driver reports what no call returns: tasks that a Pool dropped, timers that the scheduler
// refused after AfterFunc had returned, repeating timers that ended for this, panics (WithPanicsLogged), a driver dropped
// without Close, and many open drivers. The default is slog's default logger.
func WithLogger(l *slog.Logger) Option { return func(c *config) { c.logger = l } }

func configure(opts []Option) (config, error) {
	c := config{waking: SkipToNext{}, waiting: Runtime{}, inbox: Locked{}, running: Inline{}}
	for _, set := range opts {
		if set != nil {
			set(&c)
		}
	}
	for i, policy := range []any{c.waking, c.waiting, c.inbox, c.running} {
		if policy == nil {
			return c, fmt.Errorf("%w: nil %s", ErrOption, [...]string{"waking", "waiting", "inbox", "running"}[i])
		}
	}
	switch {
	case c.slack < 0:
		return c, fmt.Errorf("%w: WithSlack(%v), want 0 or more", ErrOption, c.slack)
	case c.resolution < 0:
		return c, fmt.Errorf("%w: WithResolution(%v), want 0 for the exact clock, or more", ErrOption, c.resolution)
	case c.maxPending < 0:
		return c, fmt.Errorf("%w: WithMaxPending(%d), want 0 for no limit, or more", ErrOption, c.maxPending)
	}
	if _, fixed := c.waking.(FixedTick); fixed {
		c.slack = 0
	}
	if err := c.running.check(); err != nil {
		return c, err
	}
	return c, c.waking.check()
}
