// Package fifosched is a timer scheduler on queues: what is scheduled joins one whose last
// value is due no later, so that each is in the order of its deadlines, and the first values of
// the queues are in a heap. It is the structure of libevent's common timeouts, of Node.js's timers
// and of the lists that servers keep for each of their timeouts: where programs use a few
// distinct delays over and over, one queue for each delay is in order by itself, since what is
// scheduled later with the same delay is due later.
//
//	bounds    queue                             heads
//	 +30 s    first ⇄ ○ ⇄ ○ ⇄ ○ ⇄ last  ◀─ 30 s    ╭─ of queue 1
//	 + 5 s    first ⇄ ○ ⇄ last          ◀─  5 s    ├─ of queue 2
//	 + 1 s    first ⇄ ○ ⇄ ○ ⇄ last      ◀─  1 s    ╰─ of queue 0: a heap
//	  └─ nothing in the queue is due later; descending
//
// A scheduler is told deadlines and not delays, so a queue is not looked up by its delay, as
// the originals do. The bounds descend from queue to queue, and what is scheduled joins the first
// queue whose bound is not after its deadline: that with the latest bound. A queue is added at the
// end where there is none. This is the greedy cover by non-descending sequences that patience
// sorting makes (C. L. Mallows, "Patience sorting", 1963; D. Aldous and P. Diaconis, "Longest
// increasing subsequences: from patience sorting to the Baik-Deift-Johansson theorem", Bulletin
// of the AMS, 1999): it has as many queues as the longest descending sequence of deadlines, and no
// cover has fewer. Timers that are set later and due earlier have shorter delays, so there are never
// more queues than distinct delays, however far the clock lags; and with n random delays some 2√n.
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
// Values come out exactly by deadline, never early and never late by a tick, since there is none.
// Which of several values of one deadline comes first is open. A deadline that has passed counts as
// the clock at which it was scheduled.
//
// # Departures
//
//   - From libevent (event_base_init_common_timeout) and Node.js: queues are found by
//     deadlines and not by delays; nobody has to say which delays are common; and what fits in no
//     queue begins another, where libevent has a heap beside its queues.
//   - From Node.js: a heap of queues that is exact at any time, where Node leaves the place of a
//     queue to be corrected when it comes up.
//
// # Caveats
//
//   - Deadlines that descend, each before all others, make a queue for each: it is a binary heap
//     then, and takes twice the memory of one. What is known of queues is not given back but for
//     the queues themselves: room stays for as many as there ever were.
//   - An empty queue keeps its bound until the clock has passed it, so that cancelled values
//     may leave more queues than what is pending needs.
package fifosched
