package driver

import (
	"time"

	"schedbench/schedulers"
)

// Wrapper answers for the timers that a Wrapping hands out, by their ids. Package record has one.
type Wrapper interface {
	// StopTimer is Timer.Stop for the timer of an id, without the handler for cancelled timers: see Wrapping.Stop.
	StopTimer(id schedulers.ID) bool
	// ResetTimer is Timer.ResetPending for it, and StateOf is Timer.State.
	ResetTimer(id schedulers.ID, delay time.Duration) (bool, error)
	StateOf(id schedulers.ID) State
}

// Wrapping hands out timers in the name of a driver, for a package that stands between a program and its driver.
type Wrapping struct{ owner *owner }

// Wrap returns a Wrapping of the driver.
func (d *Driver) Wrap(w Wrapper) Wrapping { return Wrapping{&owner{c: d.core, wrapper: w}} }

// Timer returns a Timer that asks the Wrapper, by an id that is not zero.
func (w Wrapping) Timer(id schedulers.ID) Timer { return Timer{w.owner, id} }

// Stop is Timer.Stop for a timer of the driver, without the handler for cancelled timers. That is called for the timer
// that the program has.
func (w Wrapping) Stop(t Timer) bool { return t.in != nil && t.in.stop(t.id) }

// WhenStopped has f called once Stop has ended r. Call it before other code has r.
func (w Wrapping) WhenStopped(r *Repeating, f func()) { r.stopped = f }

// stop takes the timer of id back, and reports whether it was pending.
func (o *owner) stop(id schedulers.ID) bool {
	if o.wrapper != nil {
		return o.wrapper.StopTimer(id)
	}
	return o.inbox.stop(id)
}
