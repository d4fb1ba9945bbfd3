package clock

import (
	"sync"
	"sync/atomic"
	"time"

	"schedbench/driver"
)

// Source arms timers: a *driver.Driver, or a *record.Driver around one.
type Source interface {
	AfterFunc(delay time.Duration, f func()) (driver.Timer, error)
}

// Clock hands out timers over a Source. Its methods may be called from any goroutine.
type Clock struct {
	source  Source
	refused atomic.Uint64
}

// Over returns a Clock over a driver, which the caller closes. A call costs what the driver's does. A new timer takes
// three to five allocations more, a context thirteen, and AfterFunc a goroutine when it fires.
func Over(s Source) *Clock { return &Clock{source: s} }

// Refused returns how many timers the driver refused: it was closed or full, or its scheduler has a horizon. The Go
// runtime keeps those.
func (c *Clock) Refused() uint64 { return c.refused.Load() }

// alarm is a deadline that can be moved, and moved again after it has passed.
type alarm struct {
	clock *Clock
	do    func() // what happens at the deadline, with mu held: it must not block

	mu      sync.Mutex // protects what follows
	pending bool
	made    uint32 // counts timers: a firing of an earlier one comes to nothing
	timer   driver.Timer
	runtime *time.Timer // in place of timer, if the driver refused
}

// set moves the deadline, and reports whether the alarm was pending. The caller holds mu.
func (a *alarm) set(delay time.Duration) (was bool) {
	if a.pending && a.runtime == nil {
		if moved, err := a.timer.ResetPending(delay); moved && err == nil {
			return true
		}
	}
	was = a.clear()
	a.pending = true
	a.made++
	n := a.made
	fire := func() { a.fire(n) }
	var err error
	if a.timer, err = a.clock.source.AfterFunc(delay, fire); err != nil {
		a.clock.refused.Add(1)
		a.runtime = time.AfterFunc(delay, fire)
	}
	return was
}

// clear takes the alarm back, and reports whether it was pending. The caller holds mu.
func (a *alarm) clear() (was bool) {
	was, a.pending = a.pending, false
	switch {
	case !was:
	case a.runtime != nil:
		a.runtime.Stop()
	default:
		a.timer.Stop() // if this comes too late, fire finds that nothing is pending
	}
	a.runtime = nil
	return was
}

// fire runs when the driver's nth timer fires.
func (a *alarm) fire(n uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending && a.made == n {
		a.pending, a.runtime = false, nil
		a.do()
	}
}
