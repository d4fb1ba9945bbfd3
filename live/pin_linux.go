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
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) == nil {
		for cpu := len(all)*64 - 1; cpu >= 0; cpu-- {
			if all.IsSet(cpu) {
				one.Set(cpu)
				break
			}
		}
		if unix.SchedSetaffinity(0, &one) == nil {
			defer func() { _ = unix.SchedSetaffinity(0, &all) }() // it was allowed before
		}
	}
	f()
}
