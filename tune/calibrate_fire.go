package tune

import (
	"slices"
	"time"
)

// betweenFirings is the time from one batch of timers that fire to the next.
const betweenFirings = 2 * time.Millisecond

// firings are how many timers fire at once, and how often in a sample.
func firings() []struct{ size, count int } {
	return []struct{ size, count int }{{1, 16}, {16, 6}, {256, 3}}
}

// fire measures what timers that fire add to the wake-up.
func (b *calibrator) fire(c *crowd) error {
	follow := 0.0 // what one costs that fires right after another
	for _, f := range slices.Backward(firings()) {
		v, err := b.volley(c, f.size, b.count(f.count))
		if err != nil {
			return err
		}
		if f.size > 1 {
			follow = v.follow()
			b.ledger.note(c.term(TermExpire, f.size), follow)
			continue
		}
		// The first cannot cost less than those that find the caches warm.
		b.ledger.note(c.term(TermExpire, f.size), max(b.first(c, v), follow))
	}
	return nil
}

// volley is what was seen of timers that fired, size of them at once.
type volley struct {
	size        int
	took, cpu   time.Duration
	woken       uint64
	first, last []time.Duration // CPU time of the worker's thread, by wake-up
	ran         []int
}

// follow returns the CPU time from one timer of a volley to the next: the worker's
// own, from its first task to its last.
func (v *volley) follow() float64 {
	var sum time.Duration
	n := 0
	for i := range v.first {
		if d := v.last[i] - v.first[i]; d > 0 { // else it went on in another thread
			sum += d
			n += v.size - 1
		}
	}
	if n == 0 {
		return 0
	}
	return sum.Seconds() / float64(n)
}

// first returns what a timer costs that fires alone: all CPU time less that of the
// wake-ups, and the visits of a rounds wheel.
func (b *calibrator) first(c *crowd, v *volley) float64 {
	known := Calibration{Terms: b.ledger.terms()}
	wakeup := known.Wakeup(Precise, betweenFirings, busyEvery).Value
	net := v.cpu.Seconds() - b.idleShare*v.took.Seconds() - wakeup*float64(v.woken) - b.scanned(c, v.took)
	return net / float64(len(v.first))
}

// arming returns how long it takes at most to arm a timer that is due soon.
func (c *crowd) arming() time.Duration {
	each := 2 * time.Microsecond
	if c.cfg.Scheduler == list {
		each += time.Duration(len(c.timers)) * 10 * time.Nanosecond
	}
	return each
}

// volley lets size timers fire at once, times times.
func (b *calibrator) volley(c *crowd, size, times int) (*volley, error) {
	v := &volley{size: size, first: make([]time.Duration, times), last: make([]time.Duration, times), ran: make([]int, times)}
	fired := c.d.Stats().Fired
	lead := settling + time.Duration(size*times)*c.arming()
	start := b.now() + lead + betweenFirings
	for i := range times {
		at := start + time.Duration(i)*betweenFirings
		for j := range size {
			if _, err := c.d.AfterFunc(at-b.now(), b.task(c, v, i, j)); err != nil {
				return nil, err
			}
		}
	}
	b.rest(start - settling/2 - b.now())
	woken, began, used := c.d.Stats().Wakeups, b.now(), readUsage()
	b.rest(start + time.Duration(times)*betweenFirings - b.now())
	v.took, v.cpu = b.now()-began, used.others()
	v.woken = c.d.Stats().Wakeups - woken
	c.await(b, fired+uint64(size*times))
	return v, nil
}

// await waits until so many timers have fired, or a while.
func (c *crowd) await(b *calibrator, fired uint64) {
	for end := b.now() + time.Second; c.d.Stats().Fired < fired && b.now() < end; {
		b.rest(settling)
	}
	c.d.Len() // takes the lock that the worker takes after a task: what tasks wrote can be read
}

// task returns what a timer of the i-th wake-up does: it notes the time, as the
// tasks of a proof do, and the first and the last to run, in whatever order, note
// the worker's CPU time.
func (b *calibrator) task(c *crowd, v *volley, i, j int) func() {
	note := &c.noted[j%len(c.noted)]
	return func() {
		v.ran[i]++
		if v.ran[i] == 1 && v.size > 1 {
			v.first[i] = threadTime()
		}
		*note = b.now()
		if v.ran[i] == v.size && v.size > 1 {
			v.last[i] = threadTime()
		}
	}
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
