package driver

import (
	"time"

	"schedbench/heapsched"
)

// early holds the records of a shard whose places come before their deadlines because the scheduler is early. In the
// scheduler they would come at once, time after time, and the worker would spin until they are due. A record that has a
// new place in the scheduler counts as not held, even if held still has it.
type early struct {
	held *heapsched.Heap[Task] // nil until the first hold
	seen int64                 // a record that came at this instant, or -1
	came int                   // how many came at this instant
	spun bool                  // one of them came twice
}

func (e *early) begin() { e.seen, e.came, e.spun = -1, 0, false }

// spins notes that the place of record i has come, and reports whether any place has come twice. It compares i with the
// last one whose number in the sequence is a power of two, which finds every cycle (R. P. Brent, "An improved Monte
// Carlo factorization algorithm", BIT 20, 1980).
func (e *early) spins(i int64) bool {
	e.spun = e.spun || i == e.seen
	if e.came++; e.came&(e.came-1) == 0 {
		e.seen = i
	}
	return e.spun
}

// hold keeps record i until a deadline. The heap has room for as many as there may be records.
func (e *early) hold(i uint32, deadline time.Duration) {
	if e.held == nil {
		e.held = heapsched.New[Task]()
	}
	_, _ = e.held.Schedule(deadline, Task{int64(i)})
}

// expire stores a record that is due. ok reports whether there was one, and held whether it was held.
func (sh *shard) expire(instant time.Duration) (held, ok bool) {
	sh.clock = max(sh.clock, instant)
	if sh.held != nil && sh.held.Expire(instant, sh.one[:]) > 0 {
		return true, true
	}
	return false, sh.s.Expire(instant, sh.one[:]) > 0
}
