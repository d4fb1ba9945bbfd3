// Package hierwheel is a timer scheduler on hierarchical timing wheels: scheme 7 of G. Varghese and T. Lauck, "Hashed
// and Hierarchical Timing Wheels" (SOSP 1987), the structure of Kafka's SystemTimer, of tokio's timers and of the Linux
// kernel's until 2016.
//
// Ticks are numbers. A slot of a level is as long as a revolution of the level below. A level keeps the present
// revolution and the next one, and a value waits at the lowest level that holds its tick:
//
//	now = 18, four slots a revolution; from one bar to the next is a revolution
//
//	level 0, 1 tick a slot          16 17 18 19 │ 20 21 22 23
//	level 1, 4 ticks                            │ 24 28 │ 32 36 40 44 │
//	level 2, 16 ticks                                                 │ 48 │ 64 80 96 112 │
//
// So the next slot of a level can move on while the one before it passes. Each Expire moves some dozens of its values to
// where they belong from then on. With a million due within a minute and a tick of 1 ms, 17 are due each tick, and at
// most 80 move on, until the slot is empty. Nothing of a level is due before its first occupied slot begins, so what
// matters next is the least of these ticks. Package internal/buckets describes how slots are kept.
//
// # Cost
//
// With any number of values pending:
//
//	Schedule  O(1), and a comparison for each level below the value's
//	Cancel    O(1)
//	Reset     O(1), and the ID stays. A value that is put off by less than a third
//	          of its delay, and is not at the lowest level, moves when its slot's
//	          turn comes: Reset only writes the tick
//	Expire    O(1) for each value and each level that it sank through, amortised,
//	          and O(l) with l levels in use; nothing for empty slots, however many
//	          are passed
//	Next      O(l), and O(1) for each slot that cancelling has emptied since it was
//	          asked
//	memory    28 bytes for each pending uint64 (generation 4, links 8, tick 8, value
//	          8), and as much for each list of a slot that has been used, of which
//	          there are more, up to eight a slot, the more is pending
//
// Beyond its own value a Schedule, Cancel or Reset does at most buckets.MaxUpkeep steps,
// some dozens, however many are pending: Work().Upkeep counts them.
//
// After a Schedule or a Reset a value moves at most once for each level above the lowest; once more after a Reset that only
// wrote the tick. With 256 slots a level and a tick of 1 ms there are two levels for delays up to 65 s at least, three up to 4.6
// hours, four up to 49 days, and six for everything.
//
// One Expire moves at most 64 + 16·p·4^e values of a level. p is the number of ticks since the Expire before. e counts
// the eighths that have passed of the time between the next slot and the one before it, from 0 to 7. When a slot begins,
// Expire also moves what is left of it: nothing up to 11 million values if Expire comes each tick. If more than 4096
// values are pending, Next wakes a sleeping caller often enough that p·4^e is 16 at most, or p is 1.
//
// # Without cascades
//
// NoCascade has levels in another way, that of the Linux kernel since 2016 (kernel/time/timer.c, by Thomas Gleixner). A
// slot is as long as a few slots of the level below, not as long as all of them. A value goes to the lowest level that
// reaches its deadline, is rounded up to the end of a slot there, and stays. With eight slots a level, each level twice
// as coarse as the one below, these are the slots and their ends, by the ticks that a deadline is ahead:
//
//	ahead    0      7     14            28                          56
//	level 0  ┤┤┤┤┤┤┤┤
//	level 1          ┤─┤─┤─┤
//	level 2                 ─┤───┤───┤───┤
//	level 3                               ───┤───────┤───────┤───────┤
//
// So a value is late by less than the length of a slot of its level, which is at most a fixed share of the delay. With s
// slots a level, each level c times coarser, the value is less than a tick late, or less than the delay, in whole ticks,
// times c/(s-1), whichever is more; see NoCascade.Lateness. In the geometry of Linux, s = 64 and c = 8, at a tick of
// 1 ms:
//
//	delay up to      62 ms  0.5 s   4 s     32 s    4.3 min  34 min  4.6 h
//	late, less than  1 ms   8 ms    64 ms   0.5 s   4.1 s    33 s    4.4 min
//
// It serves timeouts, which are long and mostly cancelled. With l levels in use it costs the same as the wheel above,
// except for:
//
//	Schedule  O(1), and the value never moves: Work().Cascades stays zero
//	Expire    O(1) for each value, O(l) for each occupied slot
//	Next      O(l), and O(1) for each slot that cancelling has emptied since it was
//	          asked; exact: no wake-up is in vain
//	memory    the same for each value and slot, but more levels: seven of 64 slots
//	          up to 4.6 hours, 14 for everything
//
// # Order
//
// Values come out by tick: a deadline is rounded up to a multiple of the tick, so a value is never early, and less than
// one tick late. Values of one tick come out in any order. A deadline that has passed when it is scheduled is due at the
// next Expire.
//
// In a NoCascade the tick is the one that the deadline was rounded up to, which depends on the delay too. So of two
// values the later deadline comes out first if it was scheduled so much later that its level is a finer one.
//
// # Departures
//
//   - From the paper: all levels have the same number of slots, where its example has those of days, hours, minutes and
//     seconds; occupancy bits take the place of stepping through empty slots; and a level has two revolutions, so a slot
//     need not move all at once.
//   - From Kafka: occupancy bits find the next slot in place of a heap of slots;
//     deadlines are rounded up, where Kafka rounds down and fires early.
//   - From Linux since 2016, in NoCascade: there are as many levels as time needs, where the kernel has eight or nine
//     and fires later timers early; a deadline at which a slot begins is not rounded up to the next slot; and what is
//     due and not taken leaves the slots, see Caveats.
//   - From the contract, in NoCascade: the lateness of a long delay is not less
//     than a tick but than Lateness.
//   - A slot has several lists, to wait for their values together:
//     docs/decisions/0017-linked-cells.md.
//
// # Caveats
//
//   - Next is also the instant at which values have to move, or would have had to before they were put off. A driver that
//     sleeps until then wakes up though nothing is due. That happens once for an occupied slot of the higher levels if no
//     slot of the other levels begins before. With more than 4096 values pending it happens for each slot, and more often
//     where a slot has more than 80.
//   - A NoCascade is for timeouts. Values that have to be in time, or in the order of their deadlines, belong in a
//     Wheel.
//   - A caller of a NoCascade may leave due values, because its buffer was too small, and schedule more. Then the rest
//     is set aside in a queue: each value moves into it, is sorted there, and moves forward in it.
package hierwheel
