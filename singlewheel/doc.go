// Package singlewheel is a timer scheduler on one timing wheel without rounds: scheme 4 of G. Varghese and T. Lauck,
// "Hashed and Hierarchical Timing Wheels" (SOSP 1987). Each slot stands for one tick, and there are as many slots as
// ticks up to the horizon, so each value of a slot is due when it is opened.
//
//	          tick of the clock
//	                 │
//	                 ▼
//	slots  ┌───┬───┬───┬───┬───┬───┬───┬───┐┌──────┐
//	       │ 8 │ 9 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 ││ late │ due, but had no room
//	       └───┴─┬─┴───┴───┴───┴─┬─┴───┴───┘└──────┘
//	             ▼               ▼
//	bits     0   1   0   0   0   1   0   0    occupied, with summaries of groups
//	             │               │
//	          cell ⇄ cell      cell            doubly linked by index
//
// Here the clock is in tick 2, whose slot was opened last. With eight slots, tick 10 is the last that the wheel accepts.
// The occupancy bits find the next slot in a few steps, so empty ones are never visited. They also show whether the head
// of a slot, its first cell, has to be read at all. Up to MostFlat slots, two minutes at 1 ms, the heads are one array.
// Beyond, they are kept in groups of 64 neighbours, and a group exists only while one of its slots is occupied.
//
// # Cost
//
// With any number of values pending:
//
//	Schedule  O(1), or refused beyond the horizon
//	Cancel    O(1)
//	Reset     O(1), in place: the ID stays valid
//	Expire    O(1) for each value and each occupied slot; nothing for empty ones
//	Next      O(1): a few words of bits, more by two for each factor of 64 slots
//	memory    20 bytes for each pending uint64 (cell 12, value 8); 1.5 bits for every
//	          slot; 4 bytes for every slot up to MostFlat of them, and with more 260
//	          for each group of 64 slots with an occupied one
//
// No call pays for others: beyond its own value it does at most MaxUpkeep steps, 44, of making and giving back, which
// Work counts as Upkeep. Groups come in pages of 128. When more than a fifth are free, each group that becomes empty
// moves two groups of the last page, 256 bytes each, to free places. A page that is empty goes.
//
// # Order
//
// Values come out by tick: a deadline is rounded up to a multiple of the tick, so a value is never early, and less than
// one tick late. Values of one tick come out in any order. A deadline that has passed when it is scheduled is due at the
// next Expire.
//
// # Departures
//
//   - From the paper: occupancy bits in place of stepping through empty slots;
//     with many slots, groups in place of an array of all; and Expire may pass any
//     number of ticks, a revolution or more too, in one pass over the occupied slots.
//   - From Netty's wheel, which is a wheel with rounds: no entry is ever visited
//     before it is due, and a deadline beyond the slots is an error.
//   - Due values for which the caller's buffer has no room wait in a list: their slot is needed for the ticks a
//     revolution ahead.
//
// # Caveats
//
//   - Schedule refuses a deadline beyond the horizon, tick times slots ahead of the tick of the clock, with
//     schedulers.ErrBeyondHorizon. So the caller has to know its longest delay.
//   - Slots take memory as timers do. An hour at a tick of 1 ms takes 4 Mi slots: 0.8 MB when empty. With timers all
//     over it that is a group for each timer at first, and 17 MB for all groups in the end. Schedule and Cancel mostly
//     miss the cache there.
//   - The number of slots is rounded up to a power of two, and so is the horizon.
package singlewheel
