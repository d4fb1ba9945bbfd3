package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"schedbench/driver"
)

// JDKThreads is the number of threads of a JDKExecutor that is not told. The
// original has no such default.
const JDKThreads = 4

// JDKExecutor is the JDK's ScheduledThreadPoolExecutor: a heap behind one lock,
// served by a few threads. The zero value has the defaults of the original.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time and sequence       | the same                                 | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestLockedTakesTimersAtOnce
//	n threads run tasks side by side        | Pool of Threads                          | TestJDKExecutorRunsOnItsThreads
//	waiting for a thread: can be cancelled  | the same; departs for the first in line, | TestJDKExecutorCancelsWhatWaitsForAThread
//	                                        |   which the worker has in hand           |
//	threads wait for the head of the heap   | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	the cancelled stay in the heap till due | the same                                 | TestJDKExecutorKeepsTheCancelledUntilDue
//	but not what they refer to              | the same                                 | TestJDKExecutorForgetsWhatTheCancelledReferTo
//	they wake a thread when they are due    | the same; departs if none but they are   | TestJDKExecutorWakesForTheCancelled
//	                                        |   left: they leave at the next wake-up   |
//	removeOnCancel: they leave at once      | RemoveOnCancel                           | TestJDKExecutorRemovesTheCancelledIfTold
//	fixed rate: missed runs are made up for | AtFixedRate                              | TestAtFixedRateMakesUpForMissedRuns
//	fixed delay: counted from a run's end   | WithFixedDelay                           | TestWithFixedDelayCountsFromTheEnd
//	a periodic task that throws: last run   | the same, of AtFixedRate, WithFixedDelay | TestPanicEndsARepetition
//	a thread survives what a task throws,   | the same; departs: the panic is logged   | TestPanicIsLoggedAndTheRestRuns
//	  and nobody hears of it                |                                          |
//	a negative delay counts as none         | the same                                 | TestNegativeDelayIsDueAtOnce
//	shutdownNow returns what did not begin  | Close; departs: not the cancelled, and   | TestCloseReturnsTheUnfired
//	                                        |   it waits for the running ones          |
//	shut down, it rejects tasks             | ErrClosed                                | TestAcceptsNothingAfterClose
//
// Not reproduced: threads that wait for the head themselves, one of them with a
// timeout (the driver has a worker for that); shutdown, which lets the pending
// tasks run; purge.
type JDKExecutor struct {
	// Threads is the number of threads; 0 is JDKThreads.
	Threads int
	// RemoveOnCancel takes the cancelled out of the heap at once.
	RemoveOnCancel bool
}

// Start starts a driver with the given options and those of the preset, which
// come last. The errors are those of driver.Start.
func (p JDKExecutor) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.config().Start(opts...)
}

func (p JDKExecutor) config() Config {
	c := Config{
		Scheduler: BinaryHeapUntilDue,
		Running:   driver.Pool{Workers: cmp.Or(p.Threads, JDKThreads), Queue: 0, Full: driver.WaitForRoom},
	}
	if p.RemoveOnCancel {
		c.Scheduler = BinaryHeap
	}
	return c
}

// AtFixedRate runs f on a driver of the preset after initial, and from then on
// every period. Runs that are late because one took long follow each other until
// they have caught up. A run that panics is the last. The errors are
// driver.ErrPeriod and those of AfterFunc.
func (JDKExecutor) AtFixedRate(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, period, f, fromPlanned)
}

// WithFixedDelay runs f on a driver of the preset after initial, and then
// whenever delay has passed since the end of the last run. A run that panics is
// the last. The errors are driver.ErrPeriod and those of AfterFunc.
func (JDKExecutor) WithFixedDelay(d *driver.Driver, initial, delay time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, delay, f, fromEnd)
}

// JDKTimer is java.util.Timer: one heap, one lock, one thread.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time, the rest open     | departs: and then in order of scheduling | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestLockedTakesTimersAtOnce
//	one thread: a slow task delays the rest | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	the thread waits for the head           | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	the cancelled stay in the heap until    | the same                                 | TestJDKTimerKeepsTheCancelledUntilFirst
//	  they are the first, due or not        |                                          |
//	and all that they refer to              | the same                                 | TestJDKTimerKeepsWhatTheCancelledReferTo
//	an exception ends the thread, and the   | a panic closes the driver: ErrClosed     | TestJDKTimerEndsWithAPanic
//	  timer accepts nothing any more        |                                          |
//	fixed rate: missed runs are made up for | AtFixedRate                              | TestAtFixedRateMakesUpForMissedRuns
//	fixed delay: counted from a run's begin | WithFixedDelay                           | TestJDKTimerWithFixedDelayCountsFromTheBegin
//	cancel may be called by a task, which   | Close                                    | TestCloseFromATask
//	  then is the last                      |                                          |
//	cancel discards what did not begin      | departs: Close returns it                | TestCloseReturnsTheUnfired
//	cancelled, it rejects tasks             | ErrClosed                                | TestAcceptsNothingAfterClose
//	a negative delay is refused             | departs: it counts as none               | TestNegativeDelayIsDueAtOnce
//
// Not reproduced: the wall clock, whose steps move the tasks of the original
// (the driver's is monotonic); the end of the thread of a timer that was dropped
// (the driver logs a warning, and goes on); purge.
type JDKTimer struct {
	// OnPanic is called with the value of a panic, and the stack it came from,
	// before the driver is closed for it. nil writes an error to slog's default
	// logger. It takes the place of driver.WithPanicHandler.
	OnPanic func(value any, stack []byte)
}

// Start starts a driver with the given options and those of the preset, which
// come last. The errors are those of driver.Start.
func (p JDKTimer) Start(opts ...driver.Option) (*driver.Driver, error) {
	// The handler must not keep the driver itself from being collected, or
	// nobody would notice that it was dropped; a copy of its value serves as well.
	var dying driver.Driver
	d, err := p.config().Start(append(slices.Clip(opts), driver.WithPanicHandler(func(value any, stack []byte) {
		p.report(value, stack)
		dying.Close(context.Background()) // a task does not wait for itself
	}))...)
	if err != nil {
		return nil, err
	}
	dying = *d // before there is any task
	return d, nil
}

func (p JDKTimer) report(value any, stack []byte) {
	if p.OnPanic != nil {
		p.OnPanic(value, stack)
		return
	}
	slog.Error("timer task panicked, its timer ends", "value", value, "stack", string(stack))
}

func (JDKTimer) config() Config { return Config{Scheduler: BinaryHeapUntilFirst} }

// AtFixedRate runs f on a driver of the preset after initial, and from then on
// every period. Runs that are late because a task took long follow each other
// until they have caught up. The errors are driver.ErrPeriod and those of
// AfterFunc.
func (JDKTimer) AtFixedRate(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, period, f, fromPlanned)
}

// WithFixedDelay runs f on a driver of the preset after initial, and then when
// period has passed since the begin of the last run, or at once if that took
// longer. The errors are driver.ErrPeriod and those of AfterFunc.
func (JDKTimer) WithFixedDelay(d *driver.Driver, initial, period time.Duration, f func()) (*Periodic, error) {
	return repeat(d, initial, period, f, fromBegin)
}
