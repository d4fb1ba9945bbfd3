package harness

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// onOneProcessor runs f by a thread that stays on one processor, the last of those that the process
// may use: one that moves between processors finds its caches cold. The other threads of the process
// stay where they are. If the system does not allow it, f runs as it would.
func onOneProcessor(f func()) {
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
