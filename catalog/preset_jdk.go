package catalog

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"schedbench/driver"
)

// JDKThreads is the number of threads of a JDKExecutor without Threads. The original has no such default.
const JDKThreads = 4

// JDKExecutor is the JDK's ScheduledThreadPoolExecutor: a heap behind one lock, served by a few threads.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time and sequence       | the same                                 | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestLockedTakesTimersAtOnce
//	n threads run tasks side by side        | Pool of Threads                          | TestJDKExecutorRunsOnItsThreads
//	waiting for a thread: can be cancelled  | the same; departs for the first in line, | TestJDKExecutorCancelsWhatWaitsForAThread
//	                                        |   which the worker has in hand           |
//	threads wait for the head of the heap   | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	by a wait of the kernel, with its slack | Kernel; off Linux departs: Runtime       | TestJDKWaitsByTheKernel
//	the cancelled stay in the heap till due | the same                                 | TestJDKExecutorKeepsTheCancelledUntilDue
//	but not what they refer to              | the same                                 | TestWhatTheCancelledReferToIsForgotten
//	they wake a thread when they are due    | the same; departs if none but they are   | TestJDKExecutorWakesForTheCancelled
//	                                        |   left: they leave at the next wake-up   |
//	removeOnCancel: they leave at once      | RemoveOnCancel                           | TestCancelledLeaveTheHeapAtOnce
//	fixed rate: missed runs are made up for | AtFixedRate                              | TestAtFixedRateMakesUpForMissedRuns
//	fixed delay: counted from a run's end   | WithFixedDelay                           | TestWithFixedDelayCountsFromTheEnd
//	a periodic task that throws: last run   | the same, of AtFixedRate, WithFixedDelay | TestPanicEndsARepetition
//	a thread survives what a task throws,   | the same; departs: the panic is logged   | TestPanicIsLoggedAndTheRestRuns
//	  which is not reported                 |                                          |
//	a negative delay counts as none         | the same                                 | driver.TestModel
//	shutdownNow returns what did not begin  | Close; departs: not the cancelled, and   | driver.TestModel
//	                                        |   it waits for the running ones          |
//	shut down, it rejects tasks             | ErrClosed                                | driver.TestAfterClose
//
// Not reproduced: threads that wait for the head themselves (a worker does); shutdown, which runs the pending tasks; purge.
type JDKExecutor struct {
	fixedDelay // its repetitions

	Threads        int  // 0 is JDKThreads
	RemoveOnCancel bool // cancelled timers leave the heap at once
}

// Start starts a driver with opts, and then the options of the preset. The errors are those of driver.Start.
func (p JDKExecutor) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.config().Start(opts...)
}

func (p JDKExecutor) config() Config {
	c := Config{
		Scheduler: binaryHeapUntilDue, Waiting: Kernel, AtOnce: true,
		Running: driver.Pool{Workers: cmp.Or(p.Threads, JDKThreads), Queue: 0, Full: driver.WaitForRoom},
	}
	if p.RemoveOnCancel {
		c.Scheduler = binaryHeap
	}
	return c
}

// jdkTimerClock is the resolution of the clock of a JDKTimer.
const jdkTimerClock = time.Millisecond

// JDKTimer is java.util.Timer: one heap, one lock, one thread.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time, the rest open     | departs: and then in order of scheduling | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestLockedTakesTimersAtOnce
//	one thread: a slow task delays the rest | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	the thread waits for the head           | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	by a wait of the kernel, with its slack | Kernel; off Linux departs: Runtime       | TestJDKWaitsByTheKernel
//	a clock of whole milliseconds: up to 1  | the same                                 | TestJDKTimerHasAClockOfMilliseconds
//	  ms early, and up to 1 ms too late     |                                          |
//	the cancelled stay until they are first | the same                                 | TestJDKTimerKeepsTheCancelledUntilFirst
//	those behind a task leave after its run | the same; departs: with the lock held    | TestJDKTimerRunsATaskBeforeItClears
//	  one by one, between which others lock |   until all have left                    |
//	and all that they refer to              | departs: it is let go at once            | TestWhatTheCancelledReferToIsForgotten
//	an exception ends thread and timer      | a panic closes the driver: ErrClosed     | TestJDKTimerEndsWithAPanic
//	fixed rate: missed runs are made up for | AtFixedRate                              | TestAtFixedRateMakesUpForMissedRuns
//	fixed delay: counted from a run's begin | WithFixedDelay                           | TestJDKTimerWithFixedDelayCountsFromTheBegin
//	cancel by a task: it is the last        | CloseNow                                 | driver.TestCloseNow
//	cancel discards what did not begin      | departs: Close returns it                | driver.TestModel
//	cancelled, it rejects tasks             | ErrClosed                                | driver.TestAfterClose
//	a negative delay is refused             | departs: it counts as none               | driver.TestModel
//
// Not reproduced: the wall clock, whose steps move the tasks of the original (the driver's is monotonic); the end of
// the thread of a timer that was dropped (the driver logs a warning, and goes on); purge.
type JDKTimer struct {
	fixedRate // its repetitions

	// OnPanic gets the value of a panic and its stack, before the driver is closed for it. nil writes an
	// error to slog's default logger. It takes the place of driver.WithPanicHandler.
	OnPanic func(value any, stack []byte)
}

// Start starts a driver with opts, and then the options of the preset. The errors are those of driver.Start.
func (p JDKTimer) Start(opts ...driver.Option) (*driver.Driver, error) {
	report := p.OnPanic
	if report == nil {
		report = func(value any, stack []byte) {
			slog.Error("timer task panicked, its timer ends", "value", value, "stack", string(stack))
		}
	}
	// The handler must not keep the driver alive, or a dropped driver would go unnoticed: it gets a copy of its value.
	var dying driver.Driver
	d, err := p.config().Start(append(slices.Clip(opts), driver.WithPanicHandler(func(value any, stack []byte) {
		report(value, stack)
		dying.CloseNow() // a task does not wait for itself
	}))...)
	if err != nil {
		return nil, err
	}
	dying = *d // before there is any task
	return d, nil
}

func (JDKTimer) config() Config {
	return Config{Scheduler: binaryHeapUntilFirst, Waiting: Kernel, Resolution: jdkTimerClock, AtOnce: true}
}

// WithFixedDelay runs f on a driver of the preset after initial, and then a period after each run began, or
// at once if the run took longer. The errors are driver.ErrPeriod and those of AfterFunc.
func (JDKTimer) WithFixedDelay(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, period, f, func(_, began time.Time) time.Time { return began })
}

// Periodic is a task that repeats as in the JDK. Unlike with driver.Repeating, a run that panics is the last,
// and at a fixed rate missed runs are made up for, one after the other. Runs never overlap.
type Periodic struct {
	d      *driver.Driver
	f      func()
	period time.Duration
	from   since

	mu      sync.Mutex // protects what follows
	planned time.Time  // of the next run, or of the one that goes on
	timer   driver.Timer
	ended   bool
}

// since returns from when the next period counts, after a run, given when it was planned and when it began.
type since func(planned, began time.Time) time.Time

// repeat runs f on d, first after initial, and then a period after each instant that from returns.
func repeat(d *driver.Driver, initial, period time.Duration, f func(), from since) (*Periodic, error) {
	if f == nil {
		return nil, driver.ErrNilFunc
	}
	if period <= 0 {
		return nil, fmt.Errorf("%w: %v", driver.ErrPeriod, period)
	}
	p := &Periodic{d: d, f: f, period: period, from: from}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.arm(time.Now().Add(max(initial, 0))); err != nil {
		return nil, err
	}
	return p, nil
}

// arm plans the next run. The caller holds mu.
func (p *Periodic) arm(planned time.Time) (err error) {
	p.planned = planned
	p.timer, err = p.d.AfterFunc(time.Until(planned), p.run)
	return err
}

// run runs f, unless the task was stopped in the queue of a pool, and plans the next run, unless f panicked.
func (p *Periodic) run() {
	p.mu.Lock()
	planned, ended := p.planned, p.ended
	p.mu.Unlock()
	if ended {
		return
	}
	began, returned := time.Now(), false
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ended = p.ended || !returned; !p.ended {
			p.ended = p.arm(p.from(planned, began).Add(p.period)) != nil
		}
	}()
	p.f()
	returned = true
}

// Stop ends the repetition and reports whether it did so: then no further run begins. It does not wait for one that goes
// on. False means that the repetition had ended: by a Stop, a panic, or the end of the driver during a run.
func (p *Periodic) Stop() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.ended = true
	p.timer.Stop()
	return true
}

type fixedRate struct{} // a preset with the JDK's repetitions of one rate

// AtFixedRate runs f on a driver of the preset after initial, and then every period. After a long run the late runs follow
// each other until they have caught up. A run that panics is the last. The errors are driver.ErrPeriod and AfterFunc's.
func (fixedRate) AtFixedRate(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, period, f, func(planned, _ time.Time) time.Time { return planned })
}

type fixedDelay struct{ fixedRate } // and with those of one delay

// WithFixedDelay runs f on a driver of the preset after initial, and then a delay after the end of each run.
// A run that panics is the last. The errors are driver.ErrPeriod and those of AfterFunc.
func (fixedDelay) WithFixedDelay(d *driver.Driver, initial, delay time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, delay, f, func(_, _ time.Time) time.Time { return time.Now() })
}
