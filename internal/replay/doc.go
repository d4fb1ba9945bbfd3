// Package replay drives one scheduler through one stream of a program's operations in virtual time, fast and exactly.
// Every scheduler is held to the same answer.
//
// The clock moves to multiples of a tick T only. Before an operation at time At, the scheduler is expired at each such
// instant up to At at which something may be due. Idle time is skipped: the next instant is Scheduler.Next rounded up
// to a tick. When the stream has ended, the run-out goes on in the same way until nothing is pending.
//
//	At        0    1    2    3    4    5    6    7    8     (in ticks)
//	schedule  a=======================>.            deadline 4.6: fires at 5
//	schedule       b---X                            cancelled at 2
//	Expire                             5            one wake-up, none before it
//
// The deadline of an operation is At + Delay, at most the last multiple of T that a time.Duration can hold. A timer
// fires at the first multiple of T that is at or after its deadline. This is so in every structure: a heap is expired
// at those instants only, and a wheel of tick T rounds deadlines up to them. It leaves one case to settle, a deadline
// that is the very instant expired last (At is a multiple of T, and Delay is 0): such a timer fires at that instant
// too, which is expired again before the next operation.
//
// What came out in which tick, and which cancellations and resets were granted, is put into an [Answer] that does not
// depend on the order within a tick, which the contract leaves open. [Model] works the same answer out without any
// scheduler.
package replay
