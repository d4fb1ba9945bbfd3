package tune

import (
	"time"

	"schedbench/driver"
)

// wakeupTicks are the ticks at which wake-ups are measured. The Go runtime's
// timers cannot keep one that is shorter than a millisecond.
func wakeupTicks(waiting string) []time.Duration {
	ticks := []time.Duration{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}
	if waiting == Precise {
		return append([]time.Duration{200 * time.Microsecond}, ticks...)
	}
	return ticks
}

const (
	settling = 5 * time.Millisecond // of a driver, before it is measured
	far      = 1000 * time.Hour     // that never comes
)

// wakeups measures what a wake-up of a driver costs that finds nothing to do,
// in a process that sleeps otherwise and in one that does not.
func (b *calibrator) wakeups() error {
	var turns []turn
	for _, warm := range []bool{false, true} {
		idle := &idleness{warm: warm}
		turns = append(turns, func() error { return b.idle(idle) })
		for _, waiting := range []string{Runtime, Precise} {
			for _, tick := range wakeupTicks(waiting) {
				if warm && tick > awake {
					continue
				}
				turns = append(turns, func() error { return b.wakeup(idle, waiting, tick) })
			}
		}
	}
	if err := b.inTurns(turns); err != nil {
		return err
	}
	b.idleShare = b.ledger.term(Term{Name: termIdle, Of: "warm"}).Value
	b.ledger.drop(termIdle)
	return nil
}

// termIdle is the CPU share of a process without a driver.
const termIdle = "idle"

// idleness is a state of the process in which wake-ups are measured.
type idleness struct{ warm bool }

func (i *idleness) term() Term {
	if i.warm {
		return Term{Name: termIdle, Of: "warm"}
	}
	return Term{Name: termIdle}
}

// pause lets time pass.
func (b *calibrator) pause(i *idleness, d time.Duration) {
	if i.warm {
		b.rest(d)
	} else {
		b.sleepUntil(b.now() + d)
	}
}

// watch lets time pass and returns how long it took and what CPU time all but the
// thread used meanwhile.
func (b *calibrator) watch(i *idleness, d time.Duration) (took, cpu time.Duration) {
	began, used := b.now(), readUsage()
	b.pause(i, d)
	return b.now() - began, used.others()
}

// idle measures the process without a driver.
func (b *calibrator) idle(i *idleness) error {
	b.pause(i, settling)
	took, cpu := b.watch(i, b.length(150*time.Millisecond))
	b.ledger.note(i.term(), cpu.Seconds()/took.Seconds())
	return nil
}

// wakeup measures a driver that ticks.
func (b *calibrator) wakeup(i *idleness, waiting string, tick time.Duration) error {
	d, err := Config{Scheduler: hier, Tick: tick, Slots: 256, Ticking: true, Precise: waiting == Precise}.Start()
	if err != nil {
		return err
	}
	if _, err := d.AfterFunc(far, func() {}); err != nil {
		return err
	}
	b.pause(i, settling)
	before := d.Stats().Wakeups
	took, cpu := b.watch(i, max(b.length(60*time.Millisecond), 4*tick))
	woken := d.Stats().Wakeups - before
	if err := stop(d); err != nil {
		return err
	}
	name := TermWakeup
	if i.warm {
		name = TermWarmWakeup
	}
	if woken > 0 {
		idle := b.ledger.term(i.term()).Value * took.Seconds()
		b.ledger.note(Term{Name: name, Of: waiting, Every: tick}, (cpu.Seconds()-idle)/float64(woken))
	}
	return nil
}

// latencies measures how late a sleep ends, of a driver without ticks whose
// timers come one by one.
func (b *calibrator) latencies() error {
	late := map[string][]float64{}
	var turns []turn
	for _, waiting := range []string{Runtime, Precise} {
		turns = append(turns, func() error {
			some, err := b.lateness(waiting)
			late[waiting] = append(late[waiting], some...)
			return err
		})
	}
	if err := b.inTurns(turns); err != nil {
		return err
	}
	b.latency = map[string][]float64{}
	for waiting, samples := range late {
		b.latency[waiting] = quantiles(samples, latencyQuantiles)
		for _, v := range samples {
			b.ledger.note(Term{Name: TermLatency, Of: waiting}, v)
		}
	}
	return nil
}

// latencyQuantiles is how many quantiles of a latency are kept.
const latencyQuantiles = 1001

// lateness returns how late the timers of a driver fire, which are due at random,
// a millisecond apart on average.
func (b *calibrator) lateness(waiting string) ([]float64, error) {
	d, err := Config{Scheduler: heap, Precise: waiting == Precise}.Start()
	if err != nil {
		return nil, err
	}
	n := b.count(500)
	late := make([]float64, n)
	start := b.now() + settling
	at := start
	for i := range late {
		at += 200*time.Microsecond + time.Duration(b.random.ExpFloat64()*float64(800*time.Microsecond))
		deadline := at
		if _, err := d.AfterFunc(deadline-b.now(), func() { late[i] = (b.now() - deadline).Seconds() }); err != nil {
			return nil, err
		}
	}
	b.rest(at + patience - b.now())
	return late, stop(d)
}

// patience is how long after its deadline a timer is waited for that should have
// fired.
const patience = 20 * time.Millisecond

// kicks measures what it costs to cut a sleep short.
func (b *calibrator) kicks() error {
	var turns []turn
	for _, waiting := range []string{Runtime, Precise} {
		turns = append(turns, func() error { return b.kick(waiting) })
	}
	return b.inTurns(turns)
}

// kick arms timers each of which is due before all earlier ones, and takes off
// what arming costs without that.
func (b *calibrator) kick(waiting string) error {
	d, err := Config{Scheduler: heap, Precise: waiting == Precise}.Start()
	if err != nil {
		return err
	}
	if _, err := d.AfterFunc(far, func() {}); err != nil {
		return err
	}
	b.rest(settling)
	n := b.count(40)
	earlier, err := b.armings(d, n, -time.Minute)
	if err != nil {
		return err
	}
	later, err := b.armings(d, n, time.Second)
	if err != nil {
		return err
	}
	if kicks := d.Stats().Kicks; kicks > 0 {
		b.ledger.note(Term{Name: TermKick, Of: waiting}, (earlier-later).Seconds()/float64(kicks))
	}
	return stop(d)
}

// armings arms n timers, each by step later than the one before, and returns the
// CPU time that all took, without what the thread used for its sleeps.
func (b *calibrator) armings(d *driver.Driver, n int, step time.Duration) (cpu time.Duration, err error) {
	used := readUsage()
	at := far / 2
	for range n {
		before := threadTime()
		_, err := d.AfterFunc(at, func() {})
		cpu += threadTime() - before
		if err != nil {
			return 0, err
		}
		at += step
		b.sleepUntil(b.now() + 2*time.Millisecond)
	}
	return cpu + used.others(), nil
}
