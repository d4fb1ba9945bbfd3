package schedulers

import "sync/atomic"

// Claimer is implemented by schedulers that refuse a second owner. Package driver claims its scheduler.
type Claimer interface {
	// Claim claims the scheduler, and reports false if it was claimed before. Any goroutine may call it.
	Claim() bool
}

// Owned makes a scheduler that embeds it a Claimer.
type Owned struct{ claimed atomic.Bool }

// Claim implements Claimer.
func (o *Owned) Claim() bool { return !o.claimed.Swap(true) }
