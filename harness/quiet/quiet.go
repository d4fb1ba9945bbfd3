// Package quiet keeps the work of the runtime apart from what is measured: garbage collections, and what follows them.
package quiet

import "time"

const (
	// settledIn is how long no other thread must have been let in, and mostSettle how long Settle waits for that.
	settledIn  = time.Millisecond
	mostSettle = 20 * time.Millisecond
)

// Settle keeps the processor busy until no other thread has been let in for a millisecond, 20 ms at most. After a garbage
// collection the runtime's monitor (sysmon) wakes every 20 µs for some milliseconds. If that is on the same processor,
// operations take nearly twice as long. The monitor wakes less often while a goroutine is busy, not while all sleep.
func Settle() { settle(letIn) }

func settle(letIn func() int64) {
	start := time.Now()
	for since, last := start, letIn(); time.Since(since) < settledIn && time.Since(start) < mostSettle; {
		if n := letIn(); n != last {
			since, last = time.Now(), n
		}
	}
}
