package live

import (
	"errors"
	"fmt"
	"time"

	"schedbench/driver"
)

// Timers are those of something that has a clock of its own and is no driver, such as a
// library's.
type Timers interface {
	// AfterFunc arms a timer. It returns nil for one that cannot be stopped.
	AfterFunc(delay time.Duration, task func()) (Timer, error)
	// Close ends what runs the timers. Those that are pending need not be stopped.
	Close() error
}

// Timer is one of them.
type Timer interface {
	// Stop reports whether the timer was pending, and will never fire.
	Stop() bool
}

// OnTimers returns n timers of some that have a clock of their own, which Close closes.
// They cannot be moved.
func OnTimers(own Timers, n int) Target { return &ownTarget{own, make([]Timer, n)} }

type ownTarget struct {
	own    Timers
	timers []Timer
}

func (t *ownTarget) Arm(i int32, delay time.Duration, task func()) (err error) {
	t.timers[i], err = t.own.AfterFunc(delay, task)
	return err
}

func (t *ownTarget) Stop(i int32) bool { return t.timers[i] != nil && t.timers[i].Stop() }

func (t *ownTarget) Move(int32, time.Duration) (bool, error) {
	return false, fmt.Errorf("%T cannot move a timer: %w", t.own, errors.ErrUnsupported)
}

func (t *ownTarget) Stats() driver.Stats { return driver.Stats{} }
func (t *ownTarget) Close() error        { return t.own.Close() }
