// Package fifosched is a timer scheduler on queues. A value joins a queue whose last value is due no later, so each queue
// is in the order of its deadlines. The first values of the queues are in a heap. libevent's common timeouts, Node.js's
// timers and the lists that servers keep for each of their timeouts have this structure. Programs use a few distinct
// delays over and over. One queue for each delay is in order by itself: of two values with the same delay, the one that
// is scheduled later is due later.
//
//	bounds    queue                             heads
//	 +30 s    first ⇄ ○ ⇄ ○ ⇄ ○ ⇄ last  ◀─ 30 s    ╭─ of queue 1
//	 + 5 s    first ⇄ ○ ⇄ last          ◀─  5 s    ├─ of queue 2
//	 + 1 s    first ⇄ ○ ⇄ ○ ⇄ last      ◀─  1 s    ╰─ of queue 0: a heap
//	  └─ nothing in the queue is due later; descending
//
// A scheduler gets deadlines and not delays, so it cannot look up a queue by its delay, as the originals do. The bounds
// descend from queue to queue. A value joins the first queue whose bound is not after its deadline: that with the latest
// such bound. Without one, a queue is added at the end. This is the greedy cover by non-descending sequences of patience
// sorting (C. L. Mallows, "Patience sorting", 1963; D. Aldous and P. Diaconis, "Longest increasing subsequences: from
// patience sorting to the Baik-Deift-Johansson theorem", Bulletin of the AMS, 1999). It has as many queues as the
// longest descending sequence of deadlines, and no cover has fewer. A timer that is set later and due earlier has a
// shorter delay. So there are never more queues than distinct delays, however far the clock lags. With n random delays
// there are some 2√n.
//
// # Cost
//
// With n values pending in q queues:
//
//	Schedule  O(log q): a binary search of the bounds, without branches; of a queue that was empty O(log q) more
//	Cancel    O(1), and O(log q) for the first value of a queue
//	Reset     as a Cancel and a Schedule, in place: the ID stays valid
//	Expire    O(log q) for each value, O(1) for those that one queue hands out in a row;
//	          O(1) when nothing is due
//	Next      O(1)
//	memory    28 bytes for each pending uint64: deadline and value 16, cell 12; 36 for each queue
//
// No call pays for others: beyond its own value, its search and the heap of queues it does at most
// MaxUpkeep steps of making and giving back, which Work counts as Upkeep.
//
// # Order
//
// Values come out exactly by deadline, never early and never late by a tick, since there is none. Values of one deadline
// come out in any order. A deadline that has passed counts as the clock at which it was scheduled.
//
// # Departures
//
//   - From libevent (event_base_init_common_timeout) and Node.js: deadlines find queues, not delays, and a program need
//     not declare its common delays. A value that fits in no queue begins another, where libevent has a heap beside its
//     queues.
//   - From Node.js: the heap of queues is exact at any time. Node corrects the place of a queue when it comes up.
//
// # Caveats
//
//   - Deadlines that descend, each before all others, make a queue each. Then the scheduler is a binary heap, and takes
//     twice the memory of one. Of the notes on queues only the queues themselves are given back: room stays for as many
//     as there ever were.
//   - An empty queue keeps its bound until the clock has passed it. So cancelled values may leave more queues than the
//     pending values need.
package fifosched
