package costs

import (
	"cmp"
	"runtime"
	"time"

	"schedbench/catalog"
	"schedbench/live"
)

// betweenFirings is the time from one batch of timers that fire to the next.
const betweenFirings = 2 * time.Millisecond

// fire measures what timers that fire add to the wake-up: of those that fire at
// once, what it takes the worker to get from the first to the last; of one that
// fires alone, how much more a wake-up takes than one in vain, for a timer that was
// stopped while the worker slept. It goes by a driver with many other timers pending, and
// by the CPU time of the worker's thread, which package live does not ask for.
func (b *calibrator) fire(c *filledDriver) error {
	follow := 0.0 // what one costs that fires right after another
	atOnce := []struct{ size, count int }{{256, 3}, {16, 6}, {1, 16}}
	for _, f := range atOnce {
		v, err := b.fireTogether(c, f.size, b.count(f.count), false)
		if err != nil {
			return err
		}
		if c.cfg.Scheduler != catalog.List { // there it walks past all, which its visits tell
			b.ledger.note(c.term(TermArm, f.size*b.count(f.count)), v.arming)
		}
		if f.size > 1 {
			follow = v.follow()
			b.ledger.note(c.term(TermExpire, f.size), follow)
			continue
		}
		vain, err := b.fireTogether(c, f.size, b.count(f.count), true)
		if err != nil {
			return err
		}
		// It cannot cost less than one that finds the caches warm.
		b.ledger.note(c.term(TermExpire, f.size), max((v.cpu-vain.cpu).Seconds()/float64(len(v.ran)), follow))
	}
	return nil
}

// firingRun is what was seen of timers that fired, size of them at once.
type firingRun struct {
	size        int
	arming      float64         // CPU time of arming one of them
	cpu         time.Duration   // of all but the thread
	first, last []time.Duration // CPU time of the worker's thread, by wake-up
	ran         []int
}

// follow returns the CPU time from one timer to the next of those that fire at once: the
// worker's own, from its first task to its last.
func (v *firingRun) follow() float64 {
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

// arming returns how long it takes at most to arm a timer that is due soon.
func (c *filledDriver) arming() time.Duration {
	each := 2 * time.Microsecond
	if c.cfg.Scheduler == catalog.List {
		each += time.Duration(len(c.timers)) * 10 * time.Nanosecond
	}
	return each
}

// beforeFiring is how long before it is due a timer is stopped in vain.
const beforeFiring = 500 * time.Microsecond

// fireTogether lets size timers fire at once, times times; or lets the worker wake for
// them in vain. The program is awake before each wake-up, whether it stops a timer
// or not.
func (b *calibrator) fireTogether(c *filledDriver, size, times int, vain bool) (*firingRun, error) {
	v := &firingRun{size: size, first: make([]time.Duration, times), last: make([]time.Duration, times), ran: make([]int, times)}
	fired := c.d.Stats().Fired + 1 // and the one that is armed first
	lead := leaveAlone + time.Duration(size*times)*c.arming()
	start := b.Now() + lead + betweenFirings
	timers, err := b.arm(c, v, start)
	if err != nil {
		return nil, err
	}
	b.rest(start-2*beforeFiring-b.Now(), busyEvery)
	used := b.OthersCPU()
	for i := range times {
		b.SleepUntil(start + time.Duration(i)*betweenFirings - beforeFiring)
		if vain && timers[i*size].Stop() {
			fired-- // of those to be waited for
		}
	}
	b.SleepUntil(start + time.Duration(times)*betweenFirings - beforeFiring)
	v.cpu = b.OthersCPU() - used
	c.await(b, fired+uint64(size*times))
	return v, nil
}

// arm arms the timers of a run, and measures that, net of a program that does the
// same without a driver.
func (b *calibrator) arm(c *filledDriver, v *firingRun, start time.Duration) (timers []eitherTimer, err error) {
	n := v.size * len(v.ran)
	timers = make([]eitherTimer, n)
	tasks := make([]func(), n)
	for i := range tasks {
		tasks[i] = b.task(c, v, i/v.size, i%v.size)
	}
	due := func(i int) time.Duration { return start + time.Duration(i/v.size)*betweenFirings - b.Now() }
	// One that is due before all of them is armed first: a kick counts by itself.
	if _, err := c.arm(start-betweenFirings-b.Now(), nothing); err != nil {
		return nil, err
	}
	var last time.Duration
	control := b.timed(func() {
		for i := range timers {
			last, timers[i] = due(i), eitherTimer{}
		}
	})
	v.arming = b.timed(func() {
		for i := range timers {
			t, wrong := c.arm(due(i), tasks[i])
			err = cmp.Or(err, wrong)
			timers[i] = t
		}
	}).Seconds()
	runtime.KeepAlive(last)
	v.arming = (v.arming - control.Seconds()) / float64(n)
	return timers, err
}

// await waits until so many timers have fired, or a while.
func (c *filledDriver) await(b *calibrator, fired uint64) {
	for end := b.Now() + time.Second; c.d.Stats().Fired < fired && b.Now() < end; {
		b.rest(leaveAlone, busyEvery)
	}
	c.d.Len() // takes the lock that the worker takes after a task: what tasks wrote can be read
}

// task returns what a timer of the i-th wake-up does: it notes the time, as the
// tasks of a proof do, and the first and the last to run, in whatever order, note
// the worker's CPU time.
func (b *calibrator) task(c *filledDriver, v *firingRun, i, j int) func() {
	note := &c.noted[j%len(c.noted)]
	return func() {
		v.ran[i]++
		if v.ran[i] == 1 && v.size > 1 {
			v.first[i], _ = live.ThreadCPU()
		}
		*note = b.Now()
		if v.ran[i] == v.size && v.size > 1 {
			v.last[i], _ = live.ThreadCPU()
		}
	}
}
