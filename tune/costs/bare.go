package costs

import (
	"cmp"
	"fmt"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/schedulers"
)

// bareScheduler is a scheduler that is measured by itself, with the values that a driver
// keeps in it.
type bareScheduler struct {
	schedulers.Scheduler[driver.Task]
	now time.Duration // its clock
	due []driver.Task
}

func newBareScheduler(c catalog.Config) (*bareScheduler, error) {
	s, err := catalog.New[driver.Task](c)
	if err != nil {
		return nil, err
	}
	return &bareScheduler{Scheduler: s, due: make([]driver.Task, 1024)}, nil
}

// add schedules a value.
func (s *bareScheduler) add(deadline time.Duration) error {
	_, err := s.Schedule(deadline, driver.Task{})
	return err
}

// tick moves the clock on and returns how many values came out.
func (s *bareScheduler) tick(d time.Duration) int {
	s.now += d
	return s.Expire(s.now, s.due)
}

// visits returns the entries visited so far, and those moved to lower levels.
func (s *bareScheduler) visits() (visits, cascades uint64) {
	if m, ok := s.Scheduler.(schedulers.Meter); ok {
		w := m.Work()
		return w.Visits, w.Cascades
	}
	return 0, 0
}

// structures measures what only some structures do: ticks for which nothing is
// due, visits of those that are not due yet, and cascades. Each round builds them afresh.
func (b *calibrator) structures() error {
	var turns []func() error
	add := func(turn func() error) { turns = append(turns, turn) }
	for _, cfg := range calibrated(1) {
		add(func() error { return b.emptyTicks(cfg) })
	}
	for _, n := range []int{1, 16, 256, 2048} {
		add(func() error { return b.roundVisits(n) })
	}
	for _, n := range b.pending {
		if n <= 10*mostListed {
			add(func() error { return b.listVisits(n) })
		}
	}
	for _, size := range []int{1, 16, 256} {
		add(func() error { return b.cascades(size, b.count(8)) })
	}
	return b.inTurns(turns)
}

// emptyTicks measures ticks for which nothing is due, one after another.
func (b *calibrator) emptyTicks(cfg catalog.Config) error {
	const ticks = 1000
	s, err := newBareScheduler(cfg)
	if err == nil {
		err = s.add(mostDelay)
	}
	if err != nil {
		return err
	}
	fired := 0
	took := b.timed(func() {
		for range ticks {
			fired += s.tick(time.Millisecond)
		}
	})
	if fired > 0 {
		return fmt.Errorf("%v: %d timers fired that were not due", cfg, fired)
	}
	b.ledger.note(Term{Name: TermTick, Of: cfg.Scheduler}, (took-b.timed(nothing)).Seconds()/ticks)
	return nil
}

// roundVisits measures the ticks of a rounds wheel with n entries a slot that are far from
// being due, in slots that it opens since there were others, which are cancelled.
func (b *calibrator) roundVisits(n int) error {
	const slots = 512
	s, err := newBareScheduler(catalog.Config{Scheduler: catalog.Rounds, Tick: time.Millisecond, Slots: slots})
	const turn = slots * time.Millisecond
	for i := 0; i < n*slots && err == nil; i++ {
		err = s.add(turn*time.Duration(8000+b.random.IntN(8000)) + time.Duration(b.random.Int64N(int64(turn-time.Millisecond))))
	}
	if err != nil {
		return err
	}
	var cpu time.Duration
	before, _ := s.visits()
	for range b.count(16) {
		if err := s.tease(time.Millisecond); err != nil {
			return err
		}
		cpu += b.timed(func() { s.tick(time.Millisecond) }) - b.timed(nothing)
	}
	if after, _ := s.visits(); after > before {
		b.ledger.note(Term{Name: TermVisit, Of: catalog.Rounds, Batch: n}, cpu.Seconds()/float64(after-before))
	}
	return nil
}

// tease arms a timer and cancels it. Its slot is opened in vain at its time.
func (s *bareScheduler) tease(ahead time.Duration) error {
	id, err := s.Schedule(s.now+ahead, driver.Task{})
	if err == nil {
		s.Cancel(id)
	}
	return err
}

// list returns a sorted list of n, a second apart, whose neighbours lie far from
// each other in memory, as they do after some time.
func (b *calibrator) list(n int) (s *bareScheduler, err error) {
	if s, err = newBareScheduler(catalog.Config{Scheduler: catalog.List}); err != nil {
		return nil, err
	}
	ids := make([]schedulers.ID, n)
	for i := range ids {
		var wrong error
		ids[i], wrong = s.Schedule(mostDelay, driver.Task{})
		err = cmp.Or(err, wrong)
	}
	for _, i := range b.random.Perm(n) {
		s.Cancel(ids[i])
	}
	for i := range ids {
		err = cmp.Or(err, s.add(time.Duration(i+1)*time.Second))
	}
	return s, err
}

// listVisits measures insertions into a sorted list of n, anywhere.
func (b *calibrator) listVisits(n int) error {
	s, err := b.list(n)
	if err != nil {
		return err
	}
	var cpu time.Duration
	before, _ := s.visits()
	for range b.count(16) {
		var wrong, last error
		at := time.Duration(b.random.Int64N(int64(n))) * time.Second
		cpu += b.timed(func() { wrong = s.add(at) })
		cpu -= b.timed(func() { last = s.add(far) }) // at the end of the list
		if err := cmp.Or(wrong, last); err != nil {
			return err
		}
	}
	if after, _ := s.visits(); after > before {
		b.ledger.note(Term{Name: TermVisit, Of: catalog.List, Pending: n}, cpu.Seconds()/float64(after-before))
	}
	return nil
}

// cascades lets size entries move to the level below at once, times times.
func (b *calibrator) cascades(size, times int) error {
	const slot = 256 * time.Millisecond // of the level above the lowest
	s, err := newBareScheduler(catalog.Config{Scheduler: catalog.Hier, Tick: time.Millisecond, Slots: 256})
	if err != nil {
		return err
	}
	var cpu time.Duration
	_, before := s.visits()
	for range times {
		next := (s.now/slot + 2) * slot
		for range size {
			if err := s.add(next + time.Millisecond + time.Duration(b.random.Int64N(int64(slot-2*time.Millisecond)))); err != nil {
				return err
			}
		}
		cpu += b.timed(func() { s.tick(next - s.now) }) - b.timed(nothing)
		for s.tick(slot) > 0 { // and out with them
		}
	}
	if _, after := s.visits(); after > before {
		b.ledger.note(Term{Name: TermCascade, Of: catalog.Hier, Batch: size}, cpu.Seconds()/float64(after-before))
	}
	return nil
}
