package costs

import (
	"sync/atomic"
	"time"

	"schedbench/catalog"
)

// everyTick lets a timer of the Go runtime fire at every tick, and arm itself again.
// It returns what counts that, and what stops it.
func everyTick(tick time.Duration) (fired func() uint64, stop func() error) {
	var count atomic.Uint64
	var stopped atomic.Bool
	ready := make(chan struct{})
	var t *time.Timer
	t = time.AfterFunc(tick, func() {
		<-ready // t is there
		if count.Add(1); !stopped.Load() {
			t.Reset(tick)
		}
	})
	close(ready)
	return count.Load, func() error {
		stopped.Store(true)
		t.Stop()
		return nil
	}
}

// kickRuntime measures what it costs to arm a timer of the Go runtime that is due before all
// others, and cuts its sleep short.
func (b *calibrator) kickRuntime() error {
	c := &filledDriver{}
	defer c.close()
	if _, err := b.armings(c, 1, 0); err != nil {
		return err
	}
	b.rest(leaveAlone, busyEvery)
	more, err := b.earlier(c)
	if err == nil {
		b.ledger.note(Term{Name: TermKick, Of: catalog.RuntimeTimer}, more.Seconds()/float64(b.count(kicksInARow)))
	}
	return err
}

// fireOfRuntime measures what timers of the Go runtime add to the wake-up that fire at
// once: how much more CPU time a wake-up takes in which many do. What one takes that fires
// alone is a wake-up.
func (b *calibrator) fireOfRuntime(c *filledDriver) {
	const many, wakeups = 256, 4
	one, all := b.firedByRuntime(1, b.count(wakeups)), b.firedByRuntime(many, b.count(wakeups))
	b.ledger.note(c.term(TermExpire, many), (all-one)/(many-1))
}

// firedByRuntime lets size timers of the Go runtime fire at once, times times, and returns
// the CPU time of a wake-up.
func (b *calibrator) firedByRuntime(size, times int) float64 {
	n := size * times
	noted := make([]atomic.Int64, n) // as the tasks of a proof do
	var ran atomic.Int64
	start := b.Now() + leaveAlone + time.Duration(n)*2*time.Microsecond + betweenFirings
	for i := range n {
		time.AfterFunc(start+time.Duration(i/size)*betweenFirings-b.Now(), func() {
			noted[i].Store(int64(b.Now()))
			ran.Add(1)
		})
	}
	b.rest(start-2*beforeFiring-b.Now(), busyEvery)
	used := b.OthersCPU()
	for i := range times + 1 {
		b.SleepUntil(start + time.Duration(i)*betweenFirings - beforeFiring)
	}
	cpu := b.OthersCPU() - used
	for end := b.Now() + time.Second; ran.Load() < int64(n) && b.Now() < end; {
		b.rest(leaveAlone, busyEvery)
	}
	return cpu.Seconds() / float64(times)
}
