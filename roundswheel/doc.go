// Package roundswheel is a timer scheduler on a timing wheel with rounds: scheme
// 6 of G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP
// 1987), with unsorted slots. It is the structure of Netty's HashedWheelTimer,
// of Dubbo's, and of most timers called wheels.
//
// A slot stands for every tick with the same remainder by the number of slots;
// each entry notes how many more times the wheel has to come round for it.
//
//	                 slot opened last          ┌─────┐ due, of that tick, but
//	                         ▼                 │ now │ had no room
//	slots  ┌───┬───┬───┬───┬───┬───┬───┬───┐   ├─────┤
//	       │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │   │late │ the same, of the ticks
//	       └───┴─┬─┴───┴───┴───┴─┬─┴───┴───┘   └─────┘ before it, in order
//	least        2               0   of the rounds in each slot
//	             ▼               ▼
//	rounds    2 7 3           0 1 1  ──▶  4 0 9 ...   blocks of sixteen entries;
//	ids       i i i           i i i       i i i ...   all but the first of a
//	values    v v v           v v v       v v v ...   slot are full
//
// Opening a slot reads the rounds of its entries one after the other in memory,
// takes one off each, and hands out those that had none left. Package
// internal/buckets says how slots are kept.
//
// # Cost
//
// With n values pending:
//
//	Schedule  O(1)
//	Cancel    O(1), and a share of the sweep that drops cancelled entries
//	Expire    O(n/slots) for each tick passed, due or not; O(n) at most however
//	          far it goes, and the ordering of what became due on the way after
//	          a revolution and more, O(due log due)
//	Next      O(1) mostly; O(slots) after the tick that it told has been passed
//	memory    28 bytes for each pending uint64 (rounds 4, ID 8, value 8, cell 8);
//	          20 for each cancelled and not yet dropped; at least 328 for each
//	          occupied slot, and 8.13 for each slot
//
// # Order
//
// Values come out by tick: a deadline is rounded up to a multiple of the tick,
// so a value is never early, and less than one tick late. The order within a
// tick is open. A deadline that has passed when it is scheduled is due at the
// next Expire.
//
// # Departures
//
//   - From the paper: occupancy bits in place of stepping through empty slots,
//     and Expire may pass any number of ticks: a jump of many revolutions takes
//     as many rounds off in one pass.
//   - From Netty: occupancy bits and the least rounds of each slot let Next skip
//     the ticks that fire nothing, so a driver may sleep through whole
//     revolutions, and Expire makes up for the visits; what is cancelled goes with
//     its slot or a sweep, and not at the next tick. Netty's queues in front of
//     the wheel are a matter of the driver.
//   - A slot is a stack of blocks instead of a linked list, and cancelling marks
//     a timer as dead instead of unlinking it: docs/decisions/0001-node-store.md.
//
// # Caveats
//
//   - Every tick visits n/slots entries that are mostly not due: with 512 slots
//     and a million timers, two thousand. That is the structure; more slots help
//     as long as they are fewer than the timers.
//   - A deadline more than nearly 2^32 revolutions ahead is refused with
//     schedulers.ErrBeyondHorizon; with 512 slots of 1 ms that is 69 years.
//   - A cancelled value keeps its room, and is visited, until its slot is opened
//     at the end of its rounds, or a sweep comes. Where timers are cancelled and
//     replaced all the time, those held are about half as many as the pending, and
//     up to 1500 more where those are few; they are never more than the pending and
//     schedulers.MaxHeld. Values with pointers stay reachable as long.
//   - No Reset. A caller that has the value can Cancel and Schedule it again;
//     moving it in place would have to find it in its slot.
package roundswheel
