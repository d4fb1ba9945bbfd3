package catalog

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"schedbench/driver"
)

// JDKThreads is the number of threads of the presets jdk-executor and jdk-executor-remove. The original has no such default.
const JDKThreads = 4

// jdkThreads run the tasks of the JDK's executor.
var jdkThreads = driver.Pool{Workers: JDKThreads, Full: driver.WaitForRoom}

// jdkExecutor is the JDK's ScheduledThreadPoolExecutor: a heap behind one lock, served by a few threads.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time and sequence       | the same                                 | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	n threads run tasks side by side        | Pool of JDKThreads                       | TestJDKExecutorRunsOnItsThreads
//	waiting for a thread: can be cancelled  | the same; departs for the first in line, | TestJDKExecutorCancelsWhatWaitsForAThread
//	                                        |   which the worker has in hand           |
//	threads wait for the head of the heap   | SkipToNext                               | driver.TestSkipToNextIsIdle
//	by a wait of the kernel, with its slack | Kernel; off Linux departs: Runtime       | TestPresetsHaveTheConfigOfTheirOriginals
//	the cancelled stay in the heap till due | the same                                 | TestJDKExecutorKeepsTheCancelledUntilDue
//	but not what they refer to              | the same                                 | TestWhatTheCancelledReferToIsForgotten
//	they wake a thread when they are due    | the same; departs if none but they are   | TestJDKExecutorWakesForTheCancelled
//	                                        |   left: they leave at the next wake-up   |
//	removeOnCancel: they leave at once      | the same, jdk-executor-remove            | TestCancelledLeaveTheHeapAtOnce
//	a thread survives what a task throws,   | the same; departs: the panic is logged   | TestPanicIsLoggedAndTheRestRuns
//	  which is not reported                 |                                          |
//	a negative delay counts as none         | the same                                 | driver.TestModel
//	shutdownNow returns what did not begin  | Close; departs: not the cancelled, and   | driver.TestModel
//	                                        |   it waits for the running ones          |
//	shut down, it rejects tasks             | ErrClosed                                | driver.TestAfterClose
//
// Not reproduced: periodic tasks; threads that wait for the head themselves (a worker does); shutdown, which runs the
// pending tasks; purge.
var (
	jdkExecutor = System{
		Name: "jdk-executor", Family: "binary heap",
		About:  fmt.Sprintf("ScheduledThreadPoolExecutor: one lock, %d threads, the cancelled stay until due", JDKThreads),
		Config: Config{Scheduler: binaryHeapUntilDue, Waiting: Kernel, AtOnce: true, Running: jdkThreads},
		preset: true,
	}
	jdkExecutorRemove = System{
		Name: "jdk-executor-remove", Family: "binary heap",
		About:  "ScheduledThreadPoolExecutor with removeOnCancel: the cancelled leave at once",
		Config: Config{Scheduler: binaryHeap, Waiting: Kernel, AtOnce: true, Running: jdkThreads},
		preset: true,
	}
)

// jdkTimerClock is the resolution of the clock of the preset jdk-timer.
const jdkTimerClock = time.Millisecond

// jdkTimer is java.util.Timer: one heap, one lock, one thread.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by time, the rest open     | departs: and then in order of scheduling | TestTasksOfOneInstantRunInOrder
//	one lock around the heap                | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	one thread: a slow task delays the rest | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	the thread waits for the head           | SkipToNext                               | driver.TestSkipToNextIsIdle
//	by a wait of the kernel, with its slack | Kernel; off Linux departs: Runtime       | TestPresetsHaveTheConfigOfTheirOriginals
//	a clock of whole milliseconds: up to 1  | the same                                 | TestJDKTimerHasAClockOfMilliseconds
//	  ms early, and up to 1 ms too late     |                                          |
//	the cancelled stay until they are first | the same                                 | TestJDKTimerKeepsTheCancelledUntilFirst
//	those behind a task leave after its run | departs: after those of up to 32 that    | TestJDKTimerRunsATaskBeforeItClears
//	  one by one, between which others lock |   are due, with the lock held            |
//	and all that they refer to              | departs: it is let go at once            | TestWhatTheCancelledReferToIsForgotten
//	an exception ends thread and timer      | a panic closes the driver: ErrClosed     | TestJDKTimerEndsWithAPanic
//	cancel by a task: it is the last        | CloseNow                                 | driver.TestCloseNow
//	cancel discards what did not begin      | departs: Close returns it                | driver.TestModel
//	cancelled, it rejects tasks             | ErrClosed                                | driver.TestAfterClose
//	a negative delay is refused             | departs: it counts as none               | driver.TestModel
//
// Not reproduced: periodic tasks; the wall clock, whose steps move the tasks of the original (the driver's is monotonic);
// the end of the thread of a timer that was dropped (the driver logs a warning, and goes on); purge.
var jdkTimer = System{
	Name: "jdk-timer", Family: "binary heap",
	About:  "java.util.Timer: one lock, one thread, which an exception kills, a clock of whole milliseconds",
	Config: Config{Scheduler: binaryHeapUntilFirst, Waiting: Kernel, Resolution: jdkTimerClock, AtOnce: true},
	preset: true,
	start:  startJDKTimer,

	EarlyByDesign: true,
}

// startJDKTimer starts a driver that a panic closes. The panic goes to slog's default logger, whatever handler opts have.
func startJDKTimer(c Config, opts ...driver.Option) (*driver.Driver, error) {
	// The handler must not keep the driver alive, or a dropped driver would go unnoticed: it gets a copy of its value.
	var dying driver.Driver
	d, err := c.Start(append(slices.Clip(opts), driver.WithPanicHandler(func(value any, stack []byte) {
		slog.Error("timer task panicked, its timer ends", "value", value, "stack", string(stack))
		dying.CloseNow() // a task does not wait for itself
	}))...)
	if err != nil {
		return nil, err
	}
	dying = *d // before there is any task
	return d, nil
}
