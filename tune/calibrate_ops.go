package tune

import (
	"fmt"
	"time"

	"schedbench/driver"
)

const (
	// Populations are due between leastDelay and mostDelay, so that nothing fires
	// by accident and no insertion is earlier than all there are.
	leastDelay = 10 * time.Minute
	mostDelay  = 20 * time.Minute
	// mostListed is the most timers in a sorted list that is measured with the
	// others.
	mostListed = 10_000
	// between batches the thread sleeps, so that each finds cold caches, as the
	// operations of a program do that come now and then.
	betweenBatches = 500 * time.Microsecond
	// betweenFirings is the time from one batch of timers that fire to the next.
	betweenFirings = 2 * time.Millisecond
)

// calibrated returns the configurations in which the schedulers are measured with
// n pending. A rounds wheel gets so many slots that a tick hardly visits any timer,
// since visits count by themselves.
func calibrated(n int) []Config {
	const tick = time.Millisecond
	return []Config{
		{Scheduler: heap, Precise: true},
		{Scheduler: list, Precise: true},
		{Scheduler: single, Tick: tick, Slots: int(mostDelay/tick) + 60_000, Precise: true},
		{Scheduler: rounds, Tick: tick, Slots: min(max(n, 512), 1<<16), Precise: true},
		{Scheduler: hier, Tick: tick, Slots: 256, Precise: true},
	}
}

// operations measures AfterFunc, Stop, Reset and the firing of timers, with each
// of the pending counts.
func (b *calibrator) operations() error {
	for _, n := range b.pending {
		if err := b.operationsOf(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *calibrator) operationsOf(n int) error {
	var turns []turn
	var crowds []*crowd
	defer func() {
		for _, c := range crowds {
			_ = stop(c.d) // an error says that a task is still running, which none is
		}
	}()
	for _, cfg := range calibrated(n) {
		if cfg.Scheduler == list && n > mostListed {
			continue
		}
		c, err := b.newCrowd(cfg, n)
		if err != nil {
			return err
		}
		crowds = append(crowds, c)
		turns = append(turns, func() error { return b.operate(c) }, func() error { return b.fire(c) })
	}
	return b.inTurns(turns)
}

// crowd is a driver with a number of timers pending.
type crowd struct {
	cfg    Config
	d      *driver.Driver
	timers []driver.Timer
	noted  []time.Duration // where tasks write when they ran
}

// spread draws a delay of a timer that is pending from the beginning: after some
// time deadlines are spread, whatever the delays.
func (b *calibrator) spread(c *crowd) time.Duration {
	if c.cfg.Scheduler == list {
		return mostDelay
	}
	return leastDelay + time.Minute + time.Duration(b.random.Int64N(int64(mostDelay-leastDelay-time.Minute)))
}

// delay draws a delay of a timer that is armed later: one of four, since programs
// have few, so that deadlines of the same time lie close to each other. A sorted
// list gets what belongs at its end: what an insertion elsewhere takes is told by
// its visits.
func (b *calibrator) delay(c *crowd) time.Duration {
	if c.cfg.Scheduler == list {
		return mostDelay
	}
	return leastDelay + time.Duration(1+3*b.random.IntN(4))*time.Minute
}

// newCrowd starts a driver and arms n timers, of which one is due before all
// that come later.
func (b *calibrator) newCrowd(cfg Config, n int) (*crowd, error) {
	d, err := cfg.Start()
	if err != nil {
		return nil, err
	}
	c := &crowd{cfg: cfg, d: d, timers: make([]driver.Timer, n), noted: make([]time.Duration, 1024)}
	for i := range c.timers {
		delay := leastDelay
		if i > 0 {
			delay = b.spread(c)
		}
		if c.timers[i], err = d.AfterFunc(delay, func() {}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// batches are how many operations are done in a row, and in how many batches of
// that size in a sample.
func batches() []struct{ size, count int } {
	return []struct{ size, count int }{{1, 16}, {8, 8}, {64, 3}, {512, 2}}
}

// script is a batch of operations, drawn beforehand.
type script struct {
	picks  []int
	delays []time.Duration
	made   []driver.Timer
}

// draw makes a script of size operations on different timers, but never the first.
func (b *calibrator) draw(c *crowd, size int) *script {
	s := &script{make([]int, 0, size), make([]time.Duration, size), make([]driver.Timer, size)}
	seen := map[int]bool{0: true}
	for len(s.picks) < size && len(seen) < len(c.timers) {
		if p := b.random.IntN(len(c.timers)); !seen[p] {
			seen[p] = true
			s.picks = append(s.picks, p)
		}
	}
	for i := range s.delays {
		s.delays[i] = b.delay(c)
	}
	s.delays, s.made = s.delays[:len(s.picks)], s.made[:len(s.picks)]
	return s
}

// operate measures the operations of a program.
func (b *calibrator) operate(c *crowd) error {
	for _, batch := range batches() {
		var insert, cancel, reset, nothing time.Duration
		scripts := make([]*script, b.count(batch.count)) // drawn beforehand, which would warm and cool caches
		for i := range scripts {
			scripts[i] = b.draw(c, batch.size)
		}
		ops, wrong := 0, 0
		for _, s := range scripts {
			ops += len(s.picks)
			nothing += b.timed(func() {})
			insert += b.timed(func() { wrong += c.insert(s) })
			cancel += b.timed(func() { wrong += c.cancel(s) })
			reset += b.timed(func() { wrong += c.reset(s) })
		}
		if wrong > 0 {
			return fmt.Errorf("%v: %d of %d operations gave a wrong answer", c.cfg, wrong, 3*ops)
		}
		for name, cpu := range map[string]time.Duration{TermInsert: insert, TermCancel: cancel, TermReset: reset} {
			b.ledger.note(c.term(name, batch.size), (cpu-nothing).Seconds()/float64(ops))
		}
	}
	return nil
}

// term returns the term of an operation.
func (c *crowd) term(name string, batch int) Term {
	return Term{Name: name, Of: c.cfg.Scheduler, Pending: len(c.timers), Batch: batch}
}

// timed returns the CPU time that f takes after a sleep.
func (b *calibrator) timed(f func()) time.Duration {
	b.sleepUntil(b.now() + betweenBatches)
	before := threadTime()
	f()
	return threadTime() - before
}

func (c *crowd) insert(s *script) (wrong int) {
	for i, delay := range s.delays {
		t, err := c.d.AfterFunc(delay, nothing)
		if err != nil {
			wrong++
		}
		s.made[i] = t
	}
	return wrong
}

// cancel takes the picked timers away, and lets those inserted take their place.
func (c *crowd) cancel(s *script) (wrong int) {
	for i, p := range s.picks {
		if !c.timers[p].Stop() {
			wrong++
		}
		c.timers[p] = s.made[i]
	}
	return wrong
}

func (c *crowd) reset(s *script) (wrong int) {
	for i, p := range s.picks {
		t, ok, err := c.timers[p].Reset(s.delays[len(s.delays)-1-i])
		if !ok || err != nil {
			wrong++
		}
		c.timers[p] = t
	}
	return wrong
}

func nothing() {}

// firings are how many timers fire at once, and how often in a sample.
func firings() []struct{ size, count int } {
	return []struct{ size, count int }{{1, 16}, {16, 8}, {256, 3}}
}

// fire measures what timers that fire add to the wake-up.
func (b *calibrator) fire(c *crowd) error {
	for _, f := range firings() {
		if err := b.fireAtOnce(c, f.size, b.count(f.count)); err != nil {
			return err
		}
	}
	return nil
}

// arming returns how long it takes at most to arm a timer that is due soon.
func (c *crowd) arming() time.Duration {
	each := 2 * time.Microsecond
	if c.cfg.Scheduler == list {
		each += time.Duration(len(c.timers)) * 10 * time.Nanosecond
	}
	return each
}

// fireAtOnce lets size timers fire at once, times times.
func (b *calibrator) fireAtOnce(c *crowd, size, times int) error {
	lead := settling + time.Duration(size*times)*c.arming()
	start := (b.now() + lead + betweenFirings).Truncate(betweenFirings) // on the ticks of a wheel, nearly
	for i := range times {
		at := start + time.Duration(i)*betweenFirings
		for j := range size {
			note := &c.noted[j%len(c.noted)]
			if _, err := c.d.AfterFunc(at-b.now(), func() { *note = b.now() }); err != nil {
				return err
			}
		}
	}
	before := c.d.Stats()
	b.rest(start - settling/2 - b.now())
	began, used := b.now(), readUsage()
	b.rest(start + time.Duration(times)*betweenFirings - b.now())
	took, cpu := b.now()-began, used.others()
	after := c.d.Stats()
	fired, woken := after.Fired-before.Fired, after.Wakeups-before.Wakeups
	if fired == 0 {
		return nil
	}
	idle := b.idleShare * took.Seconds()
	wakeups := b.ledger.term(Term{Name: TermWarmWakeup, Of: Precise, Every: betweenFirings}).Value * float64(woken)
	b.ledger.note(c.term(TermExpire, size), (cpu.Seconds()-idle-wakeups-b.scanned(c, took))/float64(fired))
	return nil
}

// scanned returns the CPU time that a rounds wheel takes meanwhile for the visits
// of those that are not due.
func (b *calibrator) scanned(c *crowd, took time.Duration) float64 {
	if c.cfg.Scheduler != rounds {
		return 0
	}
	each := float64(len(c.timers)) / float64(c.cfg.slots())
	visit := b.ledger.term(Term{Name: TermVisit, Of: rounds, Batch: 16}).Value
	return each * float64(took/c.cfg.Tick) * visit
}
