package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"schedbench/internal/words"
	"schedbench/live"
)

const (
	// Rules of many timers have so many, which arrive and are due within spread.
	many   = 1000
	spread = 2 * time.Second
	// horizon is beyond the longest delay.
	horizon = 20 * time.Minute
	// patience is how long a trial waits for a timer after the last deadline.
	patience = 5 * time.Minute
)

// trial is timers under a rule.
type trial struct {
	Subject
	timers live.Timers
	began  time.Time
	err    error
	closed bool

	mu   sync.Mutex // protects what tasks write
	list []*shot
}

// shot is a timer.
type shot struct {
	timer    live.Timer
	deadline time.Duration // since the trial began
	times    int           // it fired
	at       time.Duration // for the first time
}

// late returns how late it fired.
func (s *shot) late() time.Duration { return s.at - s.deadline }

func (t *trial) now() time.Duration { return time.Since(t.began) }

// arm makes a timer.
func (t *trial) arm(delay time.Duration) {
	s := &shot{deadline: t.now() + max(delay, 0)}
	timer, err := t.timers.AfterFunc(delay, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.times++; s.times == 1 {
			s.at = t.now()
		}
	})
	if err != nil && t.err == nil {
		t.err = err
	}
	s.timer = timer
	t.list = append(t.list, s)
}

// fired returns the timers that fired, in that order.
func (t *trial) fired() (list []*shot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.list {
		if s.times > 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *shot) int { return int(a.at - b.at) })
	return list
}

// rest waits until due timers have fired, and long after.
func (t *trial) rest() {
	last := t.now()
	for _, s := range t.list {
		last = max(last, s.deadline)
	}
	time.Sleep(last + patience - t.now())
}

// arrivals makes many timers at random instants with random delays, and waits for them.
func (t *trial) arrivals() {
	r := rand.New(rand.NewPCG(1, 2))
	for range many {
		time.Sleep(time.Duration(r.Int64N(int64(2 * spread / many))))
		t.arm(time.Millisecond + time.Duration(r.Int64N(int64(spread))))
	}
	t.rest()
}

func (t *trial) close() {
	if !t.closed {
		t.closed = true
		if err := t.timers.Close(); err != nil && t.err == nil {
			t.err = err
		}
	}
}

// of says how many of the timers did something, "" if none did.
func of(found, all int, did string, args ...any) string {
	if found == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d %s", found, all, fmt.Sprintf(did, args...))
}

// those returns the timers for which is holds, and the largest figure.
func those(list []*shot, is func(*shot) (time.Duration, bool)) (found []*shot, most string) {
	var largest time.Duration
	for _, s := range list {
		if by, ok := is(s); ok {
			found, largest = append(found, s), max(largest, by)
		}
	}
	return found, words.Nanos(float64(largest))
}
