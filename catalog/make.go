package catalog

import (
	"fmt"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/listsched"
	"schedbench/live"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

// New makes the scheduler of a configuration. The errors are those of its New, and
// ErrConfig for a name that is unknown.
func New[T any](c Config) (schedulers.Scheduler[T], error) {
	switch c.Scheduler {
	case Heap:
		return heapsched.New[T](), nil
	case List:
		return listsched.New[T](), nil
	case Single:
		return singlewheel.New[T](c.Tick, c.Slots)
	case Rounds:
		return roundswheel.New[T](c.Tick, c.Slots)
	case Hier:
		return hierwheel.New[T](c.Tick, c.Slots)
	case NoCascade:
		return hierwheel.NewNoCascade[T](c.Tick, c.Slots, LinuxCoarser)
	case BinaryHeap:
		return newSequenceHeap[T](leave), nil
	case BinaryHeapUntilDue:
		return newSequenceHeap[T](stayUntilDue), nil
	case BinaryHeapUntilFirst:
		return newSequenceHeap[T](stayUntilFirst), nil
	}
	return nil, fmt.Errorf("%w: no scheduler is called %q", ErrConfig, c.Scheduler)
}

// Start starts a driver of the configuration with further options. Those of the
// configuration come last, so that they win; to wait by the runtime is none.
//
// The errors are those of New and driver.Start.
func (c Config) Start(opts ...driver.Option) (*driver.Driver, error) {
	s, err := New[driver.Task](c)
	if err != nil {
		return nil, err
	}
	return driver.Start(s, slices.Concat(opts, c.Options())...)
}

// Options returns the options of the configuration's driver.
func (c Config) Options() []driver.Option {
	waking, running, inbox := driver.Waking(driver.SkipToNext{}), c.Running, c.Inbox
	if c.Waking == Ticking {
		waking = driver.FixedTick(c.Tick)
	}
	if running == nil {
		running = driver.Inline{}
	}
	if inbox == nil {
		inbox = driver.Locked{}
	}
	opts := []driver.Option{driver.WithWaking(waking), driver.WithRunning(running), driver.WithInbox(inbox)}
	if c.Waiting == Precise {
		opts = append(opts, driver.WithWaiting(driver.Precise{}))
	}
	return opts
}

// Play returns what starts a driver of the configuration for so many timers, to be
// played.
func (c Config) Play(timers int) func(horizon time.Duration) (live.Target, error) {
	return func(time.Duration) (live.Target, error) {
		d, err := c.Start()
		if err != nil {
			return nil, err
		}
		return live.On(d, timers), nil
	}
}
