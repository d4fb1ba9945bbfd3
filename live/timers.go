package live

import (
	"time"

	"schedbench/driver"
)

// Timers are the timers of something that has a clock of its own and is no driver, such as a library.
type Timers interface {
	// AfterFunc arms a timer. It returns nil for one that cannot be stopped.
	AfterFunc(delay time.Duration, task func()) (Timer, error)
	// Close ends what runs the timers. Those that are pending need not be stopped.
	Close() error
}

// Timer is one of the Timers.
type Timer interface {
	// Stop reports whether the timer was pending, and will never fire.
	Stop() bool
}

// OnTimers returns n timers of own, which Close closes. To move a timer it stops it and arms another, as a program does.
func OnTimers(own Timers, n int) Target { return &ownTarget{own, make([]Timer, n), make([]func(), n)} }

type ownTarget struct {
	own    Timers
	timers []Timer
	tasks  []func()
}

func (t *ownTarget) Arm(i int32, delay time.Duration, task func()) (err error) {
	t.tasks[i] = task
	t.timers[i], err = t.own.AfterFunc(delay, task)
	return err
}

func (t *ownTarget) Stop(i int32) bool { return t.timers[i] != nil && t.timers[i].Stop() }

func (t *ownTarget) Move(i int32, delay time.Duration) (bool, error) {
	if !t.Stop(i) {
		return false, nil
	}
	return true, t.Arm(i, delay, t.tasks[i])
}

func (t *ownTarget) Stats() driver.Stats { return driver.Stats{} }
func (t *ownTarget) Close() error        { return t.own.Close() }
