package replay

import (
	"fmt"
	"math"
	"time"

	"schedbench/schedulers"
)

// clock is the arithmetic of the ticks at which a scheduler is driven.
type clock struct {
	tick time.Duration
	last time.Duration // the last multiple of tick
}

func newClock(tick time.Duration) (clock, error) {
	if tick <= 0 {
		return clock{}, fmt.Errorf("replay: %w: %v, want a positive duration", schedulers.ErrTick, tick)
	}
	return clock{tick, math.MaxInt64 - math.MaxInt64%tick}, nil
}

// floor returns the last instant that is not after at.
func (c clock) floor(at time.Duration) time.Duration { return at - at%c.tick }

// ceil returns the first instant that is not before at, and the last one of all
// if there is none.
func (c clock) ceil(at time.Duration) time.Duration {
	if at >= c.last {
		return c.last
	}
	if at <= 0 {
		return 0
	}
	return at + (c.tick-at%c.tick)%c.tick
}

// deadline returns at + delay, and the last instant if that is earlier.
func (c clock) deadline(at, delay time.Duration) time.Duration {
	if at > c.last || delay > c.last-at {
		return c.last
	}
	return at + delay
}
