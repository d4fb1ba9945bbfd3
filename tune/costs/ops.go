package costs

import (
	"fmt"
	"runtime/debug"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/live"
)

const (
	// Populations are due between leastDelay and mostDelay, so that nothing fires
	// by accident and no insertion is earlier than all there are.
	leastDelay = 10 * time.Minute
	mostDelay  = 20 * time.Minute
	// mostListed is the most timers in a sorted list that is measured with the
	// others.
	mostListed = 20_000
	// between batches the thread sleeps, so that each finds cold caches, as the
	// operations of a program do that come now and then.
	betweenBatches = 400 * time.Microsecond
)

// calibrated returns the configurations in which the schedulers are measured with
// n pending. A rounds wheel gets so many slots that a tick hardly visits any timer,
// since visits count by themselves.
func calibrated(n int) []catalog.Config {
	const tick = time.Millisecond
	return []catalog.Config{
		{Scheduler: catalog.Heap, Waiting: catalog.Precise},
		{Scheduler: catalog.List, Waiting: catalog.Precise},
		{Scheduler: catalog.Single, Tick: tick, Slots: int(mostDelay/tick) + 60_000, Waiting: catalog.Precise},
		{Scheduler: catalog.Rounds, Tick: tick, Slots: min(max(n, 512), 1<<16), Waiting: catalog.Precise},
		{Scheduler: catalog.Hier, Tick: tick, Slots: 256, Waiting: catalog.Precise},
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
	var turns []func() error
	for _, cfg := range append(calibrated(n), catalog.Config{Scheduler: catalog.RuntimeTimer}) {
		if cfg.Scheduler == catalog.List && n > mostListed {
			continue
		}
		turns = append(turns, func() error { return b.operationsOn(cfg, n) })
	}
	return b.inTurns(turns)
}

// operationsOn measures on timers that are filled in afresh: where they lie in memory makes
// more of a difference than the rounds on one population show.
func (b *calibrator) operationsOn(cfg catalog.Config, n int) error {
	c, err := b.fill(cfg, n)
	if err != nil {
		return err
	}
	defer func() {
		c.close()
		c = nil
		debug.FreeOSMemory() // at once, and not while the next is measured
	}()
	if err := b.operate(c); err != nil {
		return err
	}
	if c.d == nil {
		b.fireOfRuntime(c)
		return nil
	}
	return b.fire(c)
}

// filledDriver is a driver with a number of timers pending, or without one as many of
// the Go runtime.
type filledDriver struct {
	cfg    catalog.Config
	d      *driver.Driver
	timers []eitherTimer
	noted  []time.Duration // where tasks write when they ran
}

// eitherTimer is a timer of a driver, or of the Go runtime.
type eitherTimer struct {
	driver.Timer
	runtime *time.Timer
}

// arm arms a timer.
func (c *filledDriver) arm(delay time.Duration, task func()) (t eitherTimer, err error) {
	if c.d == nil {
		return eitherTimer{runtime: time.AfterFunc(delay, task)}, nil
	}
	t.Timer, err = c.d.AfterFunc(delay, task)
	return t, err
}

// Stop and Reset are those of either.
func (t *eitherTimer) Stop() bool {
	if t.runtime != nil {
		return t.runtime.Stop()
	}
	return t.Timer.Stop()
}

func (t *eitherTimer) Reset(delay time.Duration) (bool, error) {
	if t.runtime != nil {
		return t.runtime.Reset(delay), nil
	}
	return t.Timer.Reset(delay)
}

// close takes everything away.
func (c *filledDriver) close() {
	if c.d != nil {
		_ = live.On(c.d, 0).Close() // an error says that a task is still running, which none is
		return
	}
	for i := range c.timers {
		c.timers[i].Stop()
	}
}

// spread draws a delay of a timer that is pending from the beginning: after some
// time deadlines are spread, whatever the delays.
func (b *calibrator) spread(c *filledDriver) time.Duration {
	if c.cfg.Scheduler == catalog.List {
		return mostDelay
	}
	return leastDelay + time.Minute + time.Duration(b.random.Int64N(int64(mostDelay-leastDelay-time.Minute)))
}

// delay draws a delay of a timer that is armed later: one of four, since programs
// have few, so that deadlines of the same time lie close to each other. A sorted
// list gets what belongs at its end: what an insertion elsewhere takes is told by
// its visits.
func (b *calibrator) delay(c *filledDriver) time.Duration {
	if c.cfg.Scheduler == catalog.List {
		return mostDelay
	}
	return leastDelay + time.Duration(1+3*b.random.IntN(4))*time.Minute
}

// fill starts a driver and arms n timers, of which one is due before all
// that come later.
func (b *calibrator) fill(cfg catalog.Config, n int) (c *filledDriver, err error) {
	c = &filledDriver{cfg: cfg, timers: make([]eitherTimer, n), noted: make([]time.Duration, 1024)}
	if cfg.Scheduler != catalog.RuntimeTimer {
		if c.d, err = cfg.Start(); err != nil {
			return nil, err
		}
	}
	for i := range c.timers {
		delay := leastDelay
		if i > 0 {
			delay = b.spread(c)
		}
		if c.timers[i], err = c.arm(delay, func() {}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// batches are how many operations are done in a row, and in how many batches of
// that size in a sample.
func batches() []struct{ size, count int } {
	return []struct{ size, count int }{{1, 12}, {8, 5}, {64, 3}, {512, 2}}
}

// opBatch is a batch of operations, drawn beforehand: to draw it between others
// would change what is in the caches.
type opBatch struct {
	picks  []int
	delays []time.Duration
	made   []eitherTimer
}

// drawBatch draws size operations on different timers, but never the first.
func (b *calibrator) drawBatch(c *filledDriver, size int) *opBatch {
	size = min(size, len(c.timers)-1)
	s := &opBatch{make([]int, 0, size), make([]time.Duration, size), make([]eitherTimer, size)}
	for seen := map[int]bool{0: true}; len(s.picks) < size; {
		if p := b.random.IntN(len(c.timers)); !seen[p] {
			seen[p] = true
			s.picks = append(s.picks, p)
		}
	}
	for i := range s.delays {
		s.delays[i] = b.delay(c)
	}
	return s
}

// operate measures the operations of a program, each net of a program that does
// the same without a driver: it reads the clock and its timers too.
func (b *calibrator) operate(c *filledDriver) error {
	for _, batch := range batches() {
		batches := make([]opBatches, b.count(batch.count))
		for i := range batches {
			batches[i] = b.drawBatches(c, batch.size)
		}
		var s opsCPU
		for i := range batches {
			b.perform(c, &batches[i], &s)
		}
		if s.wrong > 0 {
			return fmt.Errorf("%v: %d of %d operations gave a wrong answer", c.cfg, s.wrong, 4*s.ops)
		}
		insert, cancel := s.mixed()
		size, ops := len(batches[0].insert.picks), float64(s.ops)
		b.ledger.note(c.term(TermInsert, size), insert/ops)
		b.ledger.note(c.term(TermCancel, size), cancel/ops)
		b.ledger.note(c.term(TermReset, size), s.reset.Seconds()/ops)
	}
	return nil
}

// opBatches are batches of each kind of operation, and one of both insertions and
// cancellations in turn; and the same for a control.
type opBatches struct {
	insert, cancel, reset, pair, noInsert, noCancel, noReset, noPair *opBatch
}

func (b *calibrator) drawBatches(c *filledDriver, size int) (s opBatches) {
	for _, one := range []**opBatch{&s.insert, &s.reset, &s.pair, &s.noInsert, &s.noCancel, &s.noReset, &s.noPair} {
		*one = b.drawBatch(c, size)
	}
	s.cancel = s.insert // what is inserted takes the place of what is cancelled
	return s
}

// opsCPU is the CPU time of operations, ops of each kind, and of pair both.
type opsCPU struct {
	insert, cancel, reset, pair time.Duration
	ops, wrong                  int
}

// perform does the operations of batches.
func (b *calibrator) perform(c *filledDriver, s *opBatches, sum *opsCPU) {
	sum.ops += len(s.insert.picks)
	net := func(do func(*filledDriver, *opBatch, bool) int, s, control *opBatch) time.Duration {
		cpu := b.timed(func() { sum.wrong += do(c, s, false) })
		return cpu - b.timed(func() { do(c, control, true) })
	}
	sum.insert += net(b.insert, s.insert, s.noInsert)
	sum.cancel += net(b.cancel, s.cancel, s.noCancel)
	sum.reset += net(b.reset, s.reset, s.noReset)
	if len(s.pair.picks) > 1 {
		sum.pair += net(b.pairs, s.pair, s.noPair)
	}
}

// mixed returns what insertions and cancellations take that are done in turn, as
// programs do them: less than each by itself, since both find what the other has
// fetched. Who takes how much of it goes by what each takes by itself.
func (s *opsCPU) mixed() (insert, cancel float64) {
	insert, cancel = max(s.insert.Seconds(), 0), max(s.cancel.Seconds(), 0)
	if s.pair <= 0 || insert+cancel == 0 {
		return insert, cancel
	}
	// A batch of pairs has half as many operations of each kind.
	share := 2 * s.pair.Seconds() / (insert + cancel)
	return share * insert, share * cancel
}

// term returns the term of an operation.
func (c *filledDriver) term(name string, batch int) Term {
	return Term{Name: name, Of: c.cfg.Scheduler, Pending: len(c.timers), Batch: batch}
}

// timed returns the CPU time that f takes after a sleep.
func (b *calibrator) timed(f func()) time.Duration {
	b.SleepUntil(b.Now() + betweenBatches)
	before := b.OwnCPU()
	f()
	return b.OwnCPU() - before
}

// insert arms timers, or does what a program does besides.
func (b *calibrator) insert(c *filledDriver, s *opBatch, control bool) (wrong int) {
	begin := b.Now()
	for i, delay := range s.delays {
		delay += begin - b.Now()
		if control {
			s.made[i] = eitherTimer{}
			continue
		}
		t, err := c.arm(delay, nothing)
		if err != nil {
			wrong++
		}
		s.made[i] = t
	}
	return wrong
}

// cancel takes the picked timers away, and lets those inserted take their place; a
// control stops timers that are stale.
func (b *calibrator) cancel(c *filledDriver, s *opBatch, control bool) (wrong int) {
	for i, p := range s.picks {
		t := &c.timers[p]
		if control {
			s.made[i] = *t
			s.made[i] = eitherTimer{}
			s.made[i].Stop()
			continue
		}
		if !t.Stop() {
			wrong++
		}
		*t = s.made[i]
	}
	return wrong
}

// pairs cancels every other of the picked timers and inserts one in its place.
func (b *calibrator) pairs(c *filledDriver, s *opBatch, control bool) (wrong int) {
	begin := b.Now()
	for i := 0; i+1 < len(s.picks); i += 2 {
		delay := s.delays[i] + begin - b.Now()
		t := &c.timers[s.picks[i]]
		if control {
			s.made[i] = *t
			s.made[i] = eitherTimer{}
			s.made[i].Stop()
			continue
		}
		if !t.Stop() {
			wrong++
		}
		made, err := c.arm(delay, nothing)
		if err != nil {
			wrong++
		}
		*t = made
	}
	return wrong
}

// reset moves the picked timers.
func (b *calibrator) reset(c *filledDriver, s *opBatch, control bool) (wrong int) {
	begin := b.Now()
	for i, p := range s.picks {
		delay := s.delays[i] + begin - b.Now()
		t := &c.timers[p]
		if control {
			s.made[i] = *t
			s.made[i] = eitherTimer{}
			_, _ = s.made[i].Reset(delay)
			continue
		}
		if ok, err := t.Reset(delay); !ok || err != nil {
			wrong++
		}
	}
	return wrong
}

func nothing() {}
