package tune

import (
	"schedbench/catalog"
	"schedbench/driver"
)

// standIn returns what stands for a configuration in the model, which knows the five
// schedulers, tasks on the worker and a lock, and says where that departs from it.
func standIn(c catalog.Config) (s catalog.Config, departs []string) {
	const (
		goHeap    = "the heap of the original is binary and of pointers: its operations cost more than those of the heap that stands for it"
		remaining = "what is cancelled stays in the heap until it is due, and takes memory as long"
		unmoved   = "a timer never moves: it is late by up to an eighth of its delay, and costs no cascades"
		queued    = "timers wait in a queue for the next tick, which costs a little more for each"
		pooled    = "tasks run on other threads, which takes CPU time for the hand-over"
	)
	s = c
	s.Running, s.Inbox = nil, nil
	switch c.Scheduler {
	case catalog.NoCascade:
		s.Scheduler, departs = catalog.Hier, []string{unmoved}
	case catalog.BinaryHeap:
		s.Scheduler, departs = catalog.Heap, []string{goHeap}
	case catalog.BinaryHeapUntilDue, catalog.BinaryHeapUntilFirst:
		s.Scheduler, departs = catalog.Heap, []string{goHeap, remaining}
	}
	if _, is := c.Inbox.(driver.Queued); is {
		departs = append(departs, queued)
	}
	if c.Running != nil && c.Running != (driver.Inline{}) {
		departs = append(departs, pooled)
	}
	return s, departs
}
