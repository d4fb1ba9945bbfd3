package tune

import (
	"runtime"
	"time"

	"schedbench/driver"
	"schedbench/schedulers"
)

const (
	weighed      = 100_000 // timers
	weighedSlots = 1 << 18
	weighings    = 3
)

// memory measures what a pending timer takes up, and what a slot does. The
// deadlines are spread. Both hardly vary.
func (b *calibrator) memory() error {
	var turns []turn
	for _, cfg := range calibrated(weighed) {
		turns = append(turns, func() error { return b.weighTimers(cfg) })
		if cfg.wheel() {
			turns = append(turns, func() error { return b.weighSlots(cfg) })
		}
	}
	e := b.effort
	defer func() { b.effort = e }()
	b.rounds = min(b.rounds, weighings)
	return b.inTurns(turns)
}

// weighTimers fills a scheduler.
func (b *calibrator) weighTimers(cfg Config) error {
	s, err := newScheduler[driver.Task](cfg)
	if err != nil {
		return err
	}
	if _, err := s.Schedule(leastDelay, driver.Task{}); err != nil {
		return err
	}
	n := b.count(weighed)
	c := &crowd{cfg: cfg}
	empty := inUse()
	for range n {
		if _, err := s.Schedule(b.spread(c), driver.Task{}); err != nil {
			return err
		}
	}
	bytes := inUse() - empty
	runtime.KeepAlive(s)
	b.ledger.note(Term{Name: TermMemory, Of: cfg.Scheduler, Pending: n}, bytes/float64(n))
	return nil
}

// weighSlots makes a wheel that has a timer on its highest level.
func (b *calibrator) weighSlots(cfg Config) error {
	cfg.Slots = weighedSlots
	empty := inUse()
	s, err := newScheduler[driver.Task](cfg)
	if err != nil {
		return err
	}
	deadline, levels := cfg.Tick*weighedSlots/2, 1.0
	if cfg.Scheduler == hier {
		deadline, levels = 2*cfg.Tick*weighedSlots, 2
	}
	if _, err := s.Schedule(deadline, driver.Task{}); err != nil {
		return err
	}
	bytes := inUse() - empty
	runtime.KeepAlive(schedulers.Scheduler[driver.Task](s))
	b.ledger.note(Term{Name: TermSlot, Of: cfg.Scheduler}, bytes/weighedSlots/levels)
	return nil
}

// inUse returns the bytes of the heap in use, after collections until none finds
// more to free.
func inUse() float64 {
	var m runtime.MemStats
	for last := ^uint64(0); ; last = m.HeapInuse {
		time.Sleep(time.Millisecond)
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapInuse >= last {
			return float64(last)
		}
	}
}
