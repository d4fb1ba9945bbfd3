// Package hierwheel is a timer scheduler on hierarchical timing wheels: scheme 7
// of G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP
// 1987), the structure of Kafka's SystemTimer, of tokio's timers and of the
// Linux kernel's until 2016.
//
// A tick is a number, written in digits of one level's slots. A value waits at
// the level of the highest digit in which its tick differs from the present one,
// in the slot of that digit:
//
//	tick     1 0 3    3 2 2    0 3 0    0 1 3       now = 0 1 2
//	           a        b        c        d        four slots a level
//
//	            ┌───┬───┬───┬───┐
//	level 2     │   │ a │   │ b │   differ in the first digit: 16 ticks a slot
//	            ├───┼───┼───┼───┤
//	level 1     │   │   │   │ c │   in the second: 4 ticks a slot
//	            ├───┼───┼───┼───┤
//	level 0     │   │   │   │ d │   in the last: 1 tick a slot
//	            └───┴───┴───┴───┘
//
// When the first tick of a slot at a higher level is reached, its values move to
// where they belong from then on, which is a lower level: c at 0 3 0 to slot 0 of
// level 0, where it is due at once; b at 3 0 0 to slot 2 of level 1, and at 3 2 0
// to slot 2 of level 0. All values of a level are due before those of the levels
// above it, so the first occupied slot of the lowest occupied level is the next
// that matters. Package internal/buckets says how slots are kept.
//
// # Cost
//
// With any number of values pending:
//
//	Schedule  O(1): the length of a number and a table give the level
//	Cancel    O(1), and a share of the sweep that drops cancelled entries
//	Expire    O(1) for each value and each level that it sank through, amortised;
//	          nothing for empty slots, however many are passed
//	Next      O(1): the levels share one set of occupancy bits
//	memory    32 bytes for each pending uint64 (tick 8, ID 8, value 8, cell 8);
//	          24 for each cancelled and not yet dropped; at least 392 for each
//	          occupied slot, and 4.13 for each slot of the levels in use
//
// A value moves at most once for each level above the lowest. There are as many
// levels as the latest deadline has digits: with 256 slots a level and a tick of
// 1 ms, two up to 65 s after the start, three up to 4.6 hours, four up to 49
// days, and six for everything.
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
//   - From the paper: all levels have the same number of slots, where its example
//     has those of days, hours, minutes and seconds; levels are made when a
//     deadline needs them; and occupancy bits take the place of stepping through
//     empty slots.
//   - From Kafka: occupancy bits find the next slot in place of a heap of slots;
//     deadlines are rounded up, where Kafka rounds down and fires early.
//   - From Linux since 2016, which never cascades and is up to an eighth of the
//     delay late for it: here the lateness is less than one tick at any distance.
//   - A slot is a stack of blocks instead of a linked list, and cancelling marks
//     a timer as dead instead of unlinking it: docs/decisions/0001-node-store.md.
//
// # Caveats
//
//   - Cascades come in bursts: opening a slot of a higher level moves all of its
//     values in one Expire.
//   - Next tells of cascades too, so a driver that sleeps until then wakes up for
//     them though nothing is due: at most once for each occupied slot of the
//     higher levels, and also for one that holds only what was cancelled.
//   - A cancelled value keeps its room until its slot is opened or a sweep comes.
//     Where timers are cancelled and replaced all the time, those held are about
//     a third of the pending; they are never more than the pending and
//     schedulers.MaxHeld. Values with pointers stay reachable as long.
//   - No Reset. A caller that has the value can Cancel and Schedule it again;
//     moving it in place would have to find it in its slot.
//   - Levels, once made, stay.
package hierwheel
