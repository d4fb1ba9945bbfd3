// Package driver runs one scheduler against the real clock, for any number of goroutines. It turns a data structure
// into a timer.
//
//	goroutines          inbox                          one worker
//
//	AfterFunc ---+     +--------------------+  Expire   +-----------+
//	Stop --------+---> | scheduler of tasks | --------> | next task |
//	ResetPending +     +---------+----------+           +-----+-----+
//	Every -------+               |  Next                      | begins
//	Close -------+               v                            v
//	                        sleep until                on the worker, a
//	                        (or a kick)                goroutine, or a pool
//
// # Model
//
// Start takes ownership of a scheduler whose values are numbers of records. A record has a task and its deadline. One
// worker goroutine asks the scheduler for what is due, some timers at a time, begins their tasks one after another, and sleeps
// when nothing is due. A timer is pending until the worker claims it, just before its task begins. So Stop always knows
// whether it came in time. Time is measured on the monotonic clock from the start of the driver, so a wall clock that steps
// changes nothing.
//
// The parts:
//
//   - A Driver has one core: its options, its worker, the counts, and its inboxes.
//   - An inbox has one scheduler and orders the calls to it. The inbox of a Locked driver is a shard: a mutex around the
//     scheduler. The worker locks it, and so does a goroutine that needs the scheduler: see Places. A Sharded driver has
//     several shards and one worker. The inbox of a Queued driver is a queue: the worker alone calls the scheduler.
//     Goroutines leave new timers in a list and stopped ones in another, under a mutex. The worker takes both lists when it
//     wakes.
//   - A Timer refers to its inbox and has the ID of its record there.
//
// # Places
//
// In a shard the record holds the deadline. The scheduler holds its number, at the deadline or before: its place.
//
//   - ResetPending to a later deadline writes the record, without the mutex unless the scheduler has a horizon. When the
//     old place comes, the worker gives the record its new place.
//   - Stop writes the record too, without the mutex. The next AfterFunc takes the record over, and the place if that is not
//     after the new deadline. It does so without the mutex unless the scheduler has a horizon. A place that is too late moves.
//   - If the scheduler is a schedulers.Peeker, the worker checks before it sleeps whether the next place was left
//     behind, and moves or removes it. So it wakes for timers, and seldom for a place that was left behind.
//   - A place that was left behind costs one visit. It also costs a wake-up if the scheduler is no Peeker, or if its
//     timer was stopped or moved during the sleep that ends at the place. While nothing is pending the worker sleeps on.
//   - Stop leaves at most half as many places behind as timers are pending, plus some 600.
//
// WithAtOnce changes the scheduler at once. A scheduler that is no schedulers.Resetter, or is schedulers.Approximate,
// is always changed at once. See docs/decisions/0036-places-are-left-behind.md.
//
// # Policies
//
// Live timer systems differ in policies. Here these are options of Start:
//
//   - WithWaking: when the worker wakes. SkipToNext, SkipAtLeast or FixedTick.
//   - WithWaiting: how it sleeps. Runtime, Precise or Kernel.
//   - WithInbox: how timers get into the scheduler. Locked, Sharded or Queued.
//   - WithRunning: where tasks run. Inline, Goroutine or Pool.
//   - The other options are limits and hooks.
//
// # Guarantees
//
//   - No task begins before its deadline if the scheduler keeps its contract. WithResolution lets tasks begin
//     early by less than the resolution. With SkipToNext the lateness is that of the scheduler (less than its tick) plus
//     that of the waiting. FixedTick adds less than its tick, WithSlack up to the slack.
//   - Every timer ends in exactly one way: its task begins, or Stop or Close takes it away. After Stop has returned true
//     the task never begins. After ResetPending has returned true it does not begin before the new deadline, even if it
//     was due already. ResetPending leaves the Timer and its copies valid.
//   - Tasks of one scheduler begin in the order in which it hands them out. After a pause of the process everything that
//     came due begins once, in that order.
//   - A task that panics ends the program, as with time.AfterFunc, unless a handler is given. Then the worker goes on,
//     as it does when a task calls runtime.Goexit.
//   - In steady state AfterFunc, Stop, ResetPending, a repetition and an Inline run do not allocate. The worker starts
//     with the first timer and ends with Close.
//   - When the timers of a burst have gone, their memory is given back, except for this. A driver keeps 4 pages of
//     records, 32 kB each; a Sharded driver keeps them for each shard. A shard also keeps up to 512 records of
//     timers that have ended, with their pages. A Queued driver keeps the room of its queue. With WithStates all pages stay.
//   - The logger reports a driver that is dropped without Close, and, once, that more than 64 drivers are open.
//
// # As time.AfterFunc, and where not
//
//	time.AfterFunc and time.Timer              | here                                       | test
//	f never begins early                       | the same                                   | TestModel
//	a delay below zero counts as none          | the same                                   | TestModel
//	Stop: whether it kept f from beginning     | the same                                   | TestModel
//	Stop does not wait for f                   | the same                                   | TestStorm
//	Reset: whether the timer was pending       | the same by ResetPending                   | TestModel
//	Reset arms a timer that ran                | departs: ResetPending leaves it alone      | TestModel
//	Reset arms a timer that was stopped        | departs: ResetPending leaves it alone      | TestModel
//	all copies of a *Timer are one timer       | the same, after ResetPending too           | TestModel
//	any goroutine may call Stop and Reset      | the same, and each acts at one instant     | TestLinearizable
//	the longest delay never comes              | the same, unless the scheduler refuses it  | TestLongestDelay
//	Reset accepts every delay                  | departs: the scheduler may refuse it       | TestModel
//	a panic of f ends the program              | the same, unless there is a handler        | TestPanicEndsTheProgram
//	f may end its goroutine                    | the same                                   | TestGoexitIsSurvived
//	f has a goroutine of its own               | departs: only with Goroutine               | TestStorm
//	a nil f panics when it is due              | departs: AfterFunc returns ErrNilFunc      | TestWorkerStartsWithTheFirstTimer
//	a *Timer, or nil                           | departs: a value, of which zero is harmless | TestZeroTimer
//	AfterFunc allocates                        | departs: it does not                       | TestNoAllocations
//	nothing to close                           | departs: Close returns what has not begun  | TestModel
//	f may call everything                      | departs: CloseNow, and not Close           | TestCloseNow
//
// The timers of package clock are like those of package time: their Reset arms them again.
//
// # Caveats
//
//   - With Inline a slow task delays every task after it, but not AfterFunc, Stop and ResetPending.
//   - Tasks must not call the scheduler. They may call the driver, but CloseNow in place of Close, which would wait
//     for them.
//   - A panic in the panic handler ends the program.
package driver
