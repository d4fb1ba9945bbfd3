// Package heapsched is a timer scheduler on a 16-ary min-heap with an index. Go's own timers are such a heap with four
// children; libevent, the JDK's executors and Netty's schedule have one with two.
//
// The heap is that of J. W. J. Williams ("Algorithm 232: Heapsort", CACM 1964), with R. W. Floyd's way of filling a hole
// ("Algorithm 245: Treesort 3", CACM 1964), in the d-ary form of D. B. Johnson ("Priority queues with update and finding
// minimum spanning trees", IPL 1975). Children lie side by side in the cache, after A. LaMarca and R. Ladner ("The
// influence of caches on the performance of heaps", JEA 1996). For G. Varghese and T. Lauck ("Hashed and Hierarchical
// Timing Wheels", SOSP 1987) it belongs to scheme 3, the trees.
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
// Sifting reads deadlines only, and of all places but the leaves: a sixteenth. Each place has the cell of its value. Each
// cell has the place, by which Cancel finds it. The array lies in pages of 1024 places: growth copies no entry.
//
// # A vacant place
//
// Cancel leaves its place vacant, and the next call that needs to fills it. Schedule fills it with the new value. That
// is the common case, since timeouts are cancelled and set again. Another Cancel, or Expire, fills it with the last
// entry of all. So a Cancel and a Schedule together sift once and not twice, and do not touch the end of the array. At
// most one place is vacant, and nothing comes out of it. Its cancelled value is let go when the place is filled, and
// counts as held until then. Where many cells are free Cancel leaves no place vacant: there the pending values have to
// move together for memory to go back.
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
// No call pays for others. Beyond its own value and the sifting of one, or of two after a Cancel, it does at most
// MaxUpkeep steps, 56, of making and giving back: cells, a page, and the deadlines of a new family of places. Work
// counts them as Upkeep.
//
// # Order
//
// Values come out exactly by deadline, never early and never late by a tick, since there is none. Values of one deadline
// come out in any order. A deadline that has passed counts as the clock at which it was scheduled.
//
// # Departures
//
//   - From the textbook: sixteen children instead of two. The heap is a quarter as deep. The cost of a level is a cache
//     miss rather than its comparisons, and these have no branch.
//   - From Go's timers: Cancel removes at once, except for the one vacant place. The runtime marks the timer and leaves
//     it to be found later.
//   - From Netty and the JDK: no sequence number. It would break ties in the order of scheduling, for eight bytes in
//     each entry. Cancelled values leave, where ScheduledThreadPoolExecutor by default keeps them until they are due.
//
// # Caveats
//
//   - The cost grows with n. From a few hundred thousand pending on, the cost of a level grows too: the lower levels are
//     no longer in the cache, and each entry moved writes to the cell of another value.
//   - A burst of values that are due together costs O(log n) for each, with others pending behind it. A wheel hands them
//     out for O(1).
package heapsched
