package live

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// Stall is a time in which a thread that only slept did not run when it should have: others had its processor, or the
// machine stood still. The instants are those of SystemClock.
type Stall struct{ From, To int64 }

const (
	// stallEvery is how often a thread wakes, and leastStall how late it is in a stall.
	stallEvery = time.Millisecond
	leastStall = 2 * time.Millisecond
)

// alarm is when a thread is to wake next, on SystemClock.
type alarm int64

// woke notes when the thread woke, and returns the stall if it was late.
func (a *alarm) woke(now int64) (s Stall, stalled bool) {
	s = Stall{int64(*a), now}
	if stalled = s.To-s.From >= int64(leastStall); stalled {
		*a = alarm(now)
	}
	*a += alarm(stallEvery)
	return s, stalled
}

// ReadStalls reads what WatchStalls wrote. What is not a whole line yet is left out.
func ReadStalls(r io.Reader) (all []Stall, err error) {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return all, nil
		}
		var s Stall
		if err == nil {
			_, err = fmt.Sscanf(line, "%d %d\n", &s.From, &s.To)
		}
		if err != nil {
			return nil, fmt.Errorf("stalls: %q: %w", line, err)
		}
		all = append(all, s)
	}
}

// Calm returns which timers of the outcome did not fire during a stall of a processor or just after, when held-up timers
// catch up. The stalls decide, not how late a timer was. All timers count if fewer than half would, or if the outcome
// has no instant of the system's clock.
func (o *Outcome) Calm(stalls []Stall) (calm func(Firing) bool, heldUp int) {
	calm = func(f Firing) bool {
		at := o.Began + int64(f.At)
		for _, s := range stalls {
			if s.From <= at && at <= s.To+int64(stallEvery) {
				return false
			}
		}
		return true
	}
	for _, f := range o.Firings {
		if !calm(f) {
			heldUp++
		}
	}
	if o.Began == 0 || 2*heldUp > len(o.Firings) {
		return func(Firing) bool { return true }, 0
	}
	return calm, heldUp
}
