package schedulers

import "sync/atomic"

// Claimer is implemented by schedulers that can tell a second owner that they have one. Package driver asks.
type Claimer interface {
	// Claim reports whether nobody has claimed the scheduler before. Any goroutine may call it.
	Claim() bool
}

// Owned makes a scheduler that embeds it a Claimer.
type Owned struct{ claimed atomic.Bool }

// Claim implements Claimer.
func (o *Owned) Claim() bool { return !o.claimed.Swap(true) }
