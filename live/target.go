package live

import (
	"context"
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

// On returns n timers of a driver, which Close closes, or of the Go runtime if the driver is nil.
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
