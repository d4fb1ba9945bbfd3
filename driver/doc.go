// Package driver runs one scheduler against the real clock, for any number of
// goroutines: it is what turns a data structure into a timer.
//
//	goroutines            under one mutex                    one worker
//
//	AfterFunc ---+     +--------------------+   Expire   +---------------+
//	Stop --------+---> | scheduler: handles | ---------> | due, in order |
//	Reset -------+     | table:     tasks   |            +-------+-------+
//	Close -------+     +---------+----------+                    | begin
//	                             |  Next                         v
//	                             +--------> sleep until     task runs, with
//	                                        (or a kick)     nothing held
//
// # Model
//
// Start takes ownership of a scheduler. What it holds are handles, plain
// numbers; the tasks themselves are in a table of the driver, so that one type
// of scheduler serves every program and no scheduler holds a pointer. One
// worker goroutine asks the scheduler for what is due, begins the tasks one by
// one, and sleeps. Time is measured on the monotonic clock from the start of
// the driver, so a wall clock that steps changes nothing.
//
// # Policies
//
// What tells live timer systems apart are options of Start:
//
//   - waking: SkipToNext sleeps until the scheduler's Next and is interrupted
//     by an earlier deadline; FixedTick wakes every tick, due or not.
//   - running: Inline runs tasks on the worker, one after another; Goroutine
//     gives each its own goroutine.
//
// # Guarantees
//
//   - No task begins before its deadline. With SkipToNext the lateness is that
//     of the scheduler (less than its tick) plus that of the Go runtime's
//     timers (about 1 ms on Linux); FixedTick adds less than its tick.
//   - Every timer ends in exactly one way: its task begins, Stop or Close takes
//     it away. When Stop has returned true the task never begins, even if the
//     worker had already found it due.
//   - Tasks begin in the order in which the scheduler hands them out.
//   - A task that panics is reported and the worker goes on; so it does when a
//     task calls runtime.Goexit.
//   - In steady state AfterFunc, Stop, Reset and an Inline run do not allocate.
//     Memory taken by a burst of timers is given back when they have gone.
//
// # Caveats
//
//   - With Inline a slow task delays every task after it. Nothing else waits
//     for it: AfterFunc, Stop, Reset and Close are not held up.
//   - Tasks must not call the scheduler. They may call the driver.
//   - A driver that is dropped without Close keeps its goroutine.
//   - A panic in the panic handler is not contained: it ends the program.
package driver
