package live

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// OnOneProcessor runs f on a thread that stays on one processor, the last that the process may use. A thread
// that moves to another processor finds cold caches there. Other threads may run anywhere. If the system
// refuses, f runs on any processor.
func OnOneProcessor(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer stayOn(0)()
	f()
}

// MoveTo moves the calling thread to one of the processors that it may use, counted from the last. It may leave it again. A
// system may leave two busy threads on one processor for seconds, with another idle.
func MoveTo(i int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	stayOn(i)()
}

// stayOn keeps the calling thread on one of the processors that it may use, counted from the last. The returned function ends that.
func stayOn(i int) (end func()) {
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) == nil && i < all.Count() {
		for cpu := len(all)*64 - 1; cpu >= 0; cpu-- {
			if !all.IsSet(cpu) {
				continue
			}
			if i--; i < 0 {
				one.Set(cpu)
				break
			}
		}
		if unix.SchedSetaffinity(0, &one) == nil {
			return func() { _ = unix.SchedSetaffinity(0, &all) } // it was allowed before
		}
	}
	return func() {}
}
