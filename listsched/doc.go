// Package listsched is a timer scheduler on a doubly linked list, sorted by deadline: scheme 2 of G. Varghese and T.
// Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), the callout queue of the early Unix kernels.
//
//	first                                                      last
//	  │                                                          │
//	  ▼                                                          ▼
//	╭────╮   ╭────╮   ╭────╮   ╭────╮   ╭────╮   ╭────╮   ╭────╮
//	│ 3s │⇄  │ 5s │⇄  │ 5s │⇄  │ 8s │⇄  │ 9s │⇄  │12s │⇄  │40s │
//	╰────╯   ╰────╯   ╰────╯   ╰────╯   ╰────╯   ╰────╯   ╰────╯
//	Expire ──▶                                  ▲         ◀── Schedule
//	                                            └ 10 s goes here, past two
//
// Schedule looks for its place from the last value towards the first, because
// most timers are set further ahead than those that are pending already.
//
// # Cost
//
// With n values pending:
//
//	Schedule  O(n): passes every pending value with a later deadline
//	Cancel    O(1)
//	Reset     O(n), in place: the ID stays valid
//	Expire    O(1) for each value; O(1) when nothing is due
//	Next      O(1)
//	memory    28 bytes for each pending uint64: deadline and value 16, cell 12
//
// No call pays for others: beyond its own value and the way to its place it does at most
// 37 steps of making and giving back cells, which Work counts as Upkeep.
//
// What share of the list Schedule passes depends on the delays. In a steady
// state, with timers arriving at random and none cancelled, it is
//
//	all delays equal          0: the new one is the last
//	uniform between 0 and D   1/3
//	exponential               1/2
//
// and a scan from the first value would pass 1 less that.
//
// # Order
//
// Values come out exactly by deadline, and in the order of scheduling among equal deadlines; Reset counts as
// scheduling. A deadline that has passed counts as the clock at which it was scheduled.
//
// # Departures
//
//   - From the callout queue: the scan begins at the last value, not the first. Values have deadlines, as in the paper,
//     where the queue had differences between neighbours. So Cancel touches no time.
//   - Links are indexes into a store of cells, not pointers, and the garbage collector has nothing to follow.
//
// # Caveats
//
//   - Schedule and Reset are O(n), and wait for memory at each step to find the next one. With 10,000 pending and
//     uniform delays that is some three thousand steps for each timer. This is a structure for some hundreds of timers,
//     or for delays that are all the same.
//   - Every nearer deadline that comes later passes the far ones: long timeouts make each short one expensive.
package listsched
