// Package heapsched is a timer scheduler on a 4-ary min-heap with an index: the
// structure of Go's own timers and, with two children in place of four, of
// libevent, of the JDK's executors and of Netty's schedule.
//
// The heap is that of J. W. J. Williams ("Algorithm 232: Heapsort", CACM 1964),
// with R. W. Floyd's way of filling a hole ("Algorithm 245: Treesort 3", CACM
// 1964), in the d-ary form of D. B. Johnson ("Priority queues with update and
// finding minimum spanning trees", IPL 1975). For G. Varghese and T. Lauck
// ("Hashed and Hierarchical Timing Wheels", SOSP 1987) it belongs to scheme 3,
// the trees.
//
//	place        3     4  5  6  7     8  9 10 11    12 ...
//	pages     │ root │ a  b  c  d │ children of a │ children of b │ ...
//	            │      └─ the four children of a place lie side by side,
//	            │         64 bytes: one cache line
//	            └──▶ deadline, cell ──▶ cells: generation, place; values
//
//	parent of p: p/4 + 2        children of p: 4p - 8 and the three after
//	invariant: the deadline at p is never before that at p/4 + 2
//
// Each entry holds its deadline, so that sifting reads entries only, and the
// cell of its value; each cell holds the place of its entry, so that Cancel
// finds it. The array lies in pages of 1024 entries: growth copies no entry.
//
// # Cost
//
// With n values pending:
//
//	Schedule  O(log n): rises at most log4(n)+1 levels, one comparison each;
//	          O(1) on average when deadlines come in random order
//	Cancel    O(log n): rises one comparison a level, or sinks four
//	Reset     as Cancel, in place: the ID stays valid
//	Expire    O(log n) for each value; O(1) when nothing is due
//	Next      O(1)
//	memory    32 bytes for each pending uint64: entry 16, cell 8, value 8
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
//   - From the textbook: four children instead of two. The heap is half as deep,
//     and what a level costs is its cache line more than its comparisons.
//   - From Go's timers: Cancel removes at once, where the runtime marks the timer
//     and leaves it to be found later.
//   - From Netty and the JDK: no sequence number, which would break ties in the
//     order of scheduling at the price of eight bytes in each entry. And what is
//     cancelled always leaves at once, where ScheduledThreadPoolExecutor keeps it
//     until it is due unless told otherwise.
//
// # Caveats
//
//   - The cost grows with n, and from a few hundred thousand pending on so does
//     that of a level: the lower ones are no longer in the cache, and each entry
//     moved writes to the cell of another value.
//   - A burst of values that are due together costs O(log n) for each, with
//     others pending behind it; a wheel hands them out for O(1).
package heapsched
