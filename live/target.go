package live

import (
	"context"
	"errors"
	"time"

	"schedbench/driver"
)

// Target arms timers, by number. One goroutine uses it.
type Target interface {
	// Arm arms a timer.
	Arm(timer int32, delay time.Duration, task func()) error
	// Stop reports whether the timer was pending, and will never fire.
	Stop(timer int32) bool
	// Move gives a pending timer another delay, and reports whether it was pending.
	Move(timer int32, delay time.Duration) (bool, error)
	// Stats returns the counts of a driver, and zeros without one.
	Stats() driver.Stats
	// Close stops what is pending.
	Close() error
}

// On returns n timers of a driver, which Close closes, or of the Go runtime if d is nil.
func On(d *driver.Driver, n int) Target {
	if d == nil {
		return runtimeTarget(make([]*time.Timer, n))
	}
	return &driverTarget{d, make([]driver.Timer, n)}
}

type driverTarget struct {
	d      *driver.Driver
	timers []driver.Timer
}

func (t *driverTarget) Arm(i int32, delay time.Duration, task func()) (err error) {
	t.timers[i], err = t.d.AfterFunc(delay, task)
	return err
}

func (t *driverTarget) Stop(i int32) bool { return t.timers[i].Stop() }

func (t *driverTarget) Move(i int32, delay time.Duration) (bool, error) {
	return t.timers[i].ResetPending(delay)
}

func (t *driverTarget) Stats() driver.Stats { return t.d.Stats() }

// closeWithin is how long Close waits for running tasks.
const closeWithin = 10 * time.Second

func (t *driverTarget) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_, err := t.d.Close(ctx)
	return err
}

type runtimeTarget []*time.Timer

func (t runtimeTarget) Arm(i int32, delay time.Duration, task func()) error {
	t[i] = time.AfterFunc(delay, task)
	return nil
}

func (t runtimeTarget) Stop(i int32) bool { return t[i] != nil && t[i].Stop() }

// Move stops the timer first: Reset would arm one again that has fired.
func (t runtimeTarget) Move(i int32, delay time.Duration) (bool, error) {
	if !t.Stop(i) {
		return false, nil
	}
	t[i].Reset(delay)
	return true, nil
}

func (t runtimeTarget) Stats() driver.Stats { return driver.Stats{} }

func (t runtimeTarget) Close() error {
	for i := range t {
		t.Stop(int32(i))
	}
	return nil
}

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

// Own has the timers of something that runs functions later, by the calls that a program makes. That need not know this
// module. An H is one of its timers, as a *time.Timer is. An H that is no pointer costs an allocation.
//
//	live.Own[*mine.Timer]{Start: d.AfterFunc, End: d.Close}
type Own[H Timer] struct {
	// Start has task run once delay has passed, and never before. A delay of zero or less is due at once. An error means
	// that task never runs; schedulers.ErrBeyondHorizon and the like say that this cannot be done. Several goroutines
	// call it.
	Start func(delay time.Duration, task func()) (H, error)
	// End ends it, with its goroutines. Timers that are pending then need not be stopped. It may be nil.
	End func() error
}

// AfterFunc implements Timers.
func (o Own[H]) AfterFunc(delay time.Duration, task func()) (Timer, error) {
	if o.Start == nil {
		return nil, errors.New("an Own without Start")
	}
	h, err := o.Start(delay, task)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Close implements Timers.
func (o Own[H]) Close() error {
	if o.End == nil {
		return nil
	}
	return o.End()
}
