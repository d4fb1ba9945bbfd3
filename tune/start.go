package tune

import (
	"context"
	"fmt"
	"time"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// newScheduler makes the scheduler of a configuration. The errors are those of
// Check and of the schedulers.
func newScheduler[T any](c Config) (schedulers.Scheduler[T], error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	switch c.Scheduler {
	case heap:
		return heapsched.New[T](), nil
	case list:
		return listsched.New[T](), nil
	case single:
		return singlewheel.New[T](c.Tick, c.Slots)
	case rounds:
		return roundswheel.New[T](c.Tick, c.Slots)
	case hier:
		return hierwheel.New[T](c.Tick, c.Slots)
	}
	return nil, fmt.Errorf("%w: no way to make a %s", ErrConfig, c.Scheduler)
}

// Start starts a driver of the configuration.
func (c Config) Start() (*driver.Driver, error) {
	s, err := newScheduler[driver.Task](c)
	if err != nil {
		return nil, err
	}
	d, err := driver.Start(s, c.options()...)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return d, nil
}

// options returns the options of the configuration's driver.
func (c Config) options() (opts []driver.Option) {
	if c.Ticking {
		opts = append(opts, driver.WithWaking(driver.FixedTick(c.Tick)))
	}
	if c.Precise {
		opts = append(opts, driver.WithWaiting(driver.Precise{}))
	}
	return opts
}

// closing is how long a driver has to end, once its tasks are not waited for.
const closing = 10 * time.Second

// stop closes a driver, and forgets what is pending.
func stop(d *driver.Driver) error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	_, err := d.Close(ctx)
	return err
}
