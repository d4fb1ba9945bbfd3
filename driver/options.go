package driver

import "fmt"

// Option is a policy of a driver, for Start. Of several options for the same
// policy the last counts.
type Option func(*config)

// config is what the options settle. It does not change after Start.
type config struct {
	waking  Waking
	running Running
	onPanic func(value any, stack []byte)
}

// WithWaking sets when the worker wakes. The default is SkipToNext{}.
func WithWaking(w Waking) Option {
	return func(c *config) { c.waking = w }
}

// WithRunning sets where tasks run. The default is Inline{}.
func WithRunning(r Running) Option {
	return func(c *config) { c.running = r }
}

// WithPanicHandler sets what is called when a task has panicked, with the value
// of the panic and the stack it came from, on the goroutine of the task. It may
// call the driver. A panic in the handler itself ends the program. The default
// writes an error to slog's default logger.
func WithPanicHandler(handler func(value any, stack []byte)) Option {
	return func(c *config) { c.onPanic = handler }
}

func configure(opts []Option) (config, error) {
	c := config{waking: SkipToNext{}, running: Inline{}, onPanic: logPanic}
	for _, set := range opts {
		if set != nil {
			set(&c)
		}
	}
	switch {
	case c.waking == nil:
		return c, fmt.Errorf("%w: nil waking", ErrOption)
	case c.running == nil:
		return c, fmt.Errorf("%w: nil running", ErrOption)
	case c.onPanic == nil:
		return c, fmt.Errorf("%w: nil panic handler", ErrOption)
	}
	return c, c.waking.check()
}
