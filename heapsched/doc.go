// Package heapsched is a timer scheduler on a 16-ary min-heap with an index: the
// structure of Go's own timers, which has four children, and, with two, of libevent,
// of the JDK's executors and of Netty's schedule.
//
// The heap is that of J. W. J. Williams ("Algorithm 232: Heapsort", CACM 1964),
// with R. W. Floyd's way of filling a hole ("Algorithm 245: Treesort 3", CACM
// 1964), in the d-ary form of D. B. Johnson ("Priority queues with update and
// finding minimum spanning trees", IPL 1975), with children side by side in the cache
// as told by A. LaMarca and R. Ladner ("The influence of caches on the performance of
// heaps", JEA 1996). For G. Varghese and T. Lauck ("Hashed and Hierarchical Timing
// Wheels", SOSP 1987) it belongs to scheme 3, the trees.
//
//	place        15    16 17 ... 31    32 33 ... 47    48 ...
//	deadlines │ root │ a  b  ... p │ children of a │ children of b │ ...
//	          │      └─ the sixteen children of a place lie side by side,
//	          │         128 bytes: two cache lines
//	cells     │ the cell of each place, elsewhere in the page
//	                └──▶ cells: generation, place; values
//
//	parent of p: p/16 + 14      children of p: 16*(p-14) and the fifteen after
//	invariant: the deadline at p is never before that at p/16 + 14
//
// Sifting reads deadlines only, and of all places but the leaves: a sixteenth. Each
// place has the cell of its value, and each cell the place, so that Cancel finds it.
// The array lies in pages of 1024 places: growth copies no entry.
//
// # A vacant place
//
// Cancel leaves its place as it is, and the next call that needs to fills it: Schedule
// with what is new, and that is the common case, since timeouts are cancelled and set
// again; another Cancel, or Expire, with the last of all. So a pair sifts once and not
// twice, and touches the end of the array not at all. There is one vacant place at
// most; nothing comes out of it; its value, cancelled, is let go when it is filled, and
// counts as held until then. Cancel leaves none where many cells are free, since what
// is pending has to move together then for memory to go back.
//
// # Cost
//
// With n values pending:
//
//	Schedule  O(log n): rises at most log16(n)+1 levels, one comparison each, or sinks
//	          as many, sixteen each; O(1) on average with deadlines in random order
//	Cancel    O(1) after a Schedule; O(log n) after another Cancel, whose place it fills
//	Reset     O(log n), in place: the ID stays valid
//	Expire    O(log n) for each value; O(1) when nothing is due. Up to 64 that are due leave
//	          together: what comes to their places sinks level by level, from the lowest
//	          up, and the places of a level wait for the cache together
//	Next      O(1)
//	memory    28 bytes for each pending uint64: deadline 8, cell 4; generation and
//	          place 8, value 8
//
// No call pays for others: beyond its own value and the sifting of one, or of two after
// a Cancel, it does at most MaxUpkeep steps, 56, of making and giving back: cells, a page,
// and the deadlines of a new family of places, which Work counts as Upkeep.
//
// # Order
//
// Values come out exactly by deadline, never early and never late by a tick,
// since there is none. Which of several values of one deadline comes first is
// open. A deadline that has passed counts as the clock at which it was
// scheduled.
//
// # Departures
//
//   - From the textbook: sixteen children instead of two. The heap is a quarter as deep,
//     what a level costs is a miss more than its comparisons, and these have no branch.
//   - From Go's timers: Cancel removes at once but for the one vacant place, where the
//     runtime marks the timer and leaves it to be found later.
//   - From Netty and the JDK: no sequence number, which would break ties in the
//     order of scheduling at the price of eight bytes in each entry. And what is
//     cancelled leaves, where ScheduledThreadPoolExecutor keeps it until it is due
//     unless told otherwise.
//
// # Caveats
//
//   - The cost grows with n, and from a few hundred thousand pending on so does
//     that of a level: the lower ones are no longer in the cache, and each entry
//     moved writes to the cell of another value.
//   - A burst of values that are due together costs O(log n) for each, with
//     others pending behind it; a wheel hands them out for O(1).
package heapsched
