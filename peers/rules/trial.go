package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"schedbench/internal/lists"
	"schedbench/internal/words"
	"schedbench/live"
	"schedbench/peers/libraries"
)

const (
	many     = 1000             // timers of the rules that need many
	spread   = 2 * time.Second  // within which they arrive and are due
	horizon  = 20 * time.Minute // beyond the longest delay
	patience = 5 * time.Minute  // for a timer after the last deadline
)

// trial is timers under a rule.
type trial struct {
	libraries.Library
	timers live.Timers
	began  time.Time
	err    error
	closed bool

	mu   sync.Mutex // protects what tasks write
	list []*shot
}

type shot struct {
	timer    live.Timer
	deadline time.Duration // since the trial began
	times    int           // it fired
	at       time.Duration // for the first time
}

// late returns how late it fired, and off how late or early.
func (s *shot) late() time.Duration { return s.at - s.deadline }
func (s *shot) off() time.Duration  { return s.late().Abs() }
func (s *shot) fired() bool         { return s.times > 0 }

func (t *trial) now() time.Duration { return time.Since(t.began) }

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
	list = lists.Only(t.list, (*shot).fired)
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

// beyond returns how many timers have a figure above a limit, and the largest of them.
func beyond(list []*shot, limit time.Duration, figure func(*shot) time.Duration) (n int, most string) {
	var largest time.Duration
	for _, s := range list {
		if by := figure(s); by > limit {
			n, largest = n+1, max(largest, by)
		}
	}
	return n, words.Nanos(float64(largest))
}

// count returns how many timers is holds for.
func count(list []*shot, is func(*shot) bool) int { return len(lists.Only(list, is)) }
