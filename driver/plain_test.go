package driver_test

import (
	"fmt"
	"math"
	"sort"
	"time"

	"schedbench/driver"
	"schedbench/schedulers"
)

// plain is the plainest scheduler that keeps the contract: a sorted slice. It
// has no optional interface, and a horizon if one is set.
type plain struct {
	horizon time.Duration
	clock   time.Duration
	last    schedulers.ID
	entries []plainEntry
}

type plainEntry struct {
	deadline time.Duration
	id       schedulers.ID
	value    driver.Task
}

func newPlain() *plain { return &plain{horizon: math.MaxInt64} }

func (p *plain) Schedule(deadline time.Duration, value driver.Task) (schedulers.ID, error) {
	if deadline-p.clock > p.horizon {
		return 0, fmt.Errorf("%w: %v ahead", schedulers.ErrBeyondHorizon, deadline-p.clock)
	}
	p.last++
	at := sort.Search(len(p.entries), func(i int) bool { return p.entries[i].deadline > deadline })
	p.entries = append(p.entries, plainEntry{})
	copy(p.entries[at+1:], p.entries[at:])
	p.entries[at] = plainEntry{deadline, p.last, value}
	return p.last, nil
}

func (p *plain) Cancel(id schedulers.ID) bool {
	for i, e := range p.entries {
		if e.id == id {
			p.entries = append(p.entries[:i], p.entries[i+1:]...)
			return true
		}
	}
	return false
}

func (p *plain) Expire(now time.Duration, due []driver.Task) (n int) {
	if now < p.clock {
		return 0
	}
	p.clock = now
	for n < len(due) && n < len(p.entries) && p.entries[n].deadline <= now {
		due[n] = p.entries[n].value
		n++
	}
	p.entries = append(p.entries[:0], p.entries[n:]...)
	return n
}

func (p *plain) Next() (time.Duration, bool) {
	if len(p.entries) == 0 {
		return 0, false
	}
	return p.entries[0].deadline, true
}

func (p *plain) Len() int { return len(p.entries) }
