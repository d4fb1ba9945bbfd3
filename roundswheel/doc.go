// Package roundswheel is a timer scheduler on a timing wheel with rounds: scheme 6 of G. Varghese and T. Lauck, "Hashed
// and Hierarchical Timing Wheels" (SOSP 1987), with unsorted slots. It is the structure of Netty's HashedWheelTimer, of
// Dubbo's, and of most timers called wheels.
//
// A slot has every tick with the same remainder by the number of slots. A value waits for (its tick - the current tick) /
// slots revolutions, its rounds. A cell keeps the tick of its value, so no revolution counts anything down.
//
//	                 slot opened last
//	                         ▼
//	slots  ┌───┬───┬───┬───┬───┬───┬───┬───┐   ┌─────┐ due, but had no room,
//	       │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │   │queue│ in the order of ticks
//	       └───┴─┬─┴───┴───┴───┴─┬─┴───┴───┘   └─────┘
//	least        9               6   of the ticks in the slot
//	             ▼               ▼
//	ticks        17 ⇄ 9 ⇄ 25     6 ⇄ 14 ⇄ 6   linked cells, a list for each slot
//
// A slot knows its least tick. A tick opens its slot if something in it may be due. It then visits all entries of the
// slot, from both ends of its list, hands out the due ones, and finds the new least tick. Package internal/buckets
// describes how slots are kept.
//
// # Cost
//
// With n values pending:
//
//	Schedule  O(1)
//	Cancel    O(1)
//	Reset     O(1), and the ID stays
//	Expire    for each tick passed at which something is due in a slot, O(n/slots):
//	          it visits all entries of the slot; O(n) at most however far it goes, and
//	          the ordering of what became due on the way after a revolution and more,
//	          O(due log due)
//	Next      O(1) mostly; O(slots) after the tick that it returned has been passed
//	memory    28 bytes for each pending uint64 (generation 4, links 8, tick 8, value
//	          8), and as much for each slot that has been used
//
// Beyond its own value a Schedule, Cancel or Reset does at most buckets.MaxUpkeep steps,
// some dozens, however many are pending: Work().Upkeep counts them.
//
// # Order
//
// Values come out by tick: a deadline is rounded up to a multiple of the tick, so a value is never early, and less than
// one tick late. Values of one tick come out in any order. A deadline that has passed when it is scheduled is due at the
// next Expire.
//
// # Departures
//
//   - From the paper, and from Netty: a tick at which no value of its slot is due visits nothing. There each revolution
//     visits every entry, and counts down or compares its rounds. That is the price of the structure where ticks are
//     many and timers far ahead. Here only ticks at which something is due, or was until it was cancelled, pay it.
//   - From the paper: occupancy bits in place of stepping through empty slots, and Expire may pass any number of ticks
//     in one pass.
//   - From Netty: the least ticks let Next skip the ticks that fire nothing, so a driver may sleep through whole
//     revolutions. A cancelled value leaves at once, not at the next tick. The driver may have a queue in front of the
//     wheel, as Netty does.
//
// # Caveats
//
//   - A tick at which something is due visits n/slots entries, most of which are not due: with 512 slots and a million
//     timers, 2,000, each a miss in the cache. That is the structure. More slots help as long as they are fewer than the
//     timers; see docs/decisions/0038-structures-as-named.md.
//   - A cancelled value that was the first of its slot is looked for once, in vain, and Next may return its tick, unless
//     the slot has become empty.
package roundswheel
