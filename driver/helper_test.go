package driver_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"schedbench/driver"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/internal/must"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// variant is a scheduler, and the options of its driver.
type variant struct {
	name string
	tick time.Duration // what its deadlines are rounded up to
	make func() schedulers.Scheduler[driver.Task]
	// horizon is set for those that refuse deadlines far ahead.
	horizon time.Duration
	// cascades is set for those that have to wake between deadlines.
	cascades bool
	// inbox is how timers get into it: Locked{} if nil.
	inbox driver.Inbox
	// few is set for those that with a fixed tick take up only so few timers in one tick that others may be late.
	few bool
}

// start starts a driver of the variant that ends with the test.
func (s variant) start(t *testing.T, opts ...driver.Option) *driver.Driver {
	t.Helper()
	return start(t, s.make(), s.options(opts...)...)
}

// options returns opts and what the variant needs besides.
func (s variant) options(opts ...driver.Option) []driver.Option {
	if s.inbox != nil {
		opts = append(opts, driver.WithInbox(s.inbox))
	}
	return opts
}

// rounded returns the instant at which the variant lets a deadline fire.
func (s variant) rounded(deadline time.Duration) time.Duration { return roundUp(deadline, s.tick) }

func roundUp(d, tick time.Duration) time.Duration { return (d + tick - 1) / tick * tick }

// live runs test for every variant, each in virtual time.
func live(t *testing.T, test func(t *testing.T, s variant)) {
	for _, s := range allVariants() {
		t.Run(s.name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, s) }) })
	}
}

// start starts a driver that ends with the test.
func start(t *testing.T, s schedulers.Scheduler[driver.Task], opts ...driver.Option) *driver.Driver {
	t.Helper()
	d := must.Get(driver.Start(s, opts...))(t)
	t.Cleanup(func() { d.Close(context.Background()) })
	return d
}

// after is AfterFunc for delays that the scheduler does not refuse.
func after(t *testing.T, d *driver.Driver, delay time.Duration, f func()) driver.Timer {
	t.Helper()
	return must.Get(d.AfterFunc(delay, f))(t)
}

// many returns n timers of one delay.
func many(t *testing.T, d *driver.Driver, n int, delay time.Duration) (timers []driver.Timer) {
	t.Helper()
	for range n {
		timers = append(timers, after(t, d, delay, nothing))
	}
	return timers
}

// reset is Timer.ResetPending for delays that the scheduler does not refuse.
func reset(t *testing.T, timer driver.Timer, delay time.Duration) bool {
	t.Helper()
	return must.Get(timer.ResetPending(delay))(t)
}

// pass lets virtual time go by, and then everything due run.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func nothing() {}

// deepDown calls f with a stack so deep that it gets to another shard of a Sharded driver.
func deepDown(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	deepDown(depth-1, f)
}

// plain is a list that hides its optional interfaces, with a horizon.
type plain struct {
	schedulers.Scheduler[driver.Task]
	horizon, clock time.Duration
}

func newPlain() *plain { return newPlainWithin(math.MaxInt64) }

// newPlainWithin returns one that refuses what is further ahead than a horizon.
func newPlainWithin(horizon time.Duration) *plain {
	return &plain{Scheduler: listsched.New[driver.Task](), horizon: horizon}
}

func (p *plain) Schedule(deadline time.Duration, task driver.Task) (schedulers.ID, error) {
	if deadline-p.clock > p.horizon {
		return 0, fmt.Errorf("%w: %v ahead", schedulers.ErrBeyondHorizon, deadline-p.clock)
	}
	return p.Scheduler.Schedule(deadline, task)
}

func (p *plain) Expire(now time.Duration, due []driver.Task) int {
	p.clock = max(p.clock, now)
	return p.Scheduler.Expire(now, due)
}

// allVariants lists what the tests run over.
func allVariants() []variant {
	const tick = time.Millisecond
	heap := variant{name: "heapsched", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return heapsched.New[driver.Task]() }}
	single := variant{name: "singlewheel", tick: 10 * tick, horizon: 65536 * 10 * tick,
		make: wheel(singlewheel.New[driver.Task], 10*tick, 65536)}
	rounds := variant{name: "roundswheel", tick: tick,
		make: wheel(roundswheel.New[driver.Task], tick, 512)}
	hier := variant{name: "hierwheel", tick: tick, cascades: true, make: wheel(hierwheel.New[driver.Task], tick, 64)}
	return []variant{
		{name: "plain", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return newPlain() }},
		{name: "plain-horizon", tick: 1, horizon: 10 * time.Minute,
			make: func() schedulers.Scheduler[driver.Task] { return newPlainWithin(10 * time.Minute) }},
		heap,
		{name: "listsched", tick: 1, make: func() schedulers.Scheduler[driver.Task] { return listsched.New[driver.Task]() }},
		single, rounds, hier,
		sharded(heap), sharded(hier),
		queued(heap, 3), queued(single, 0), queued(rounds, 0), queued(hier, 0),
	}
}

// chosen returns the variants of some names.
func chosen(names ...string) []variant {
	return slices.DeleteFunc(allVariants(), func(s variant) bool { return !slices.Contains(names, s.name) })
}

// queued returns the variant behind a Queued inbox.
func queued(s variant, perWakeup int) variant {
	s.name += "-queued"
	s.inbox = driver.Queued{PerWakeup: perWakeup}
	s.few = perWakeup > 0
	return s
}

// sharded returns the variant behind a Sharded inbox of four.
func sharded(s variant) variant {
	s.name += "-sharded"
	s.inbox = driver.Sharded{Shards: 4, New: func() (schedulers.Scheduler[driver.Task], error) { return s.make(), nil }}
	return s
}

// wheel returns a function that makes wheels of one kind and size.
func wheel[W schedulers.Scheduler[driver.Task]](
	make func(time.Duration, int) (W, error), tick time.Duration, slots int,
) func() schedulers.Scheduler[driver.Task] {
	return func() schedulers.Scheduler[driver.Task] {
		w, err := make(tick, slots)
		if err != nil {
			panic(err)
		}
		return w
	}
}
