package harness

import (
	"time"

	"golang.org/x/sys/unix"
)

// usage is what the process has used up to now.
type usage struct {
	cpu      time.Duration
	switches int64 // context switches, voluntary and not
}

// readUsage returns the usage so far. ok is false where the system does not
// tell.
func readUsage() (u usage, ok bool) {
	var ts unix.Timespec
	var ru unix.Rusage
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil || unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return usage{}, false
	}
	return usage{cpu: time.Duration(ts.Nano()), switches: ru.Nvcsw + ru.Nivcsw}, true
}

// threadCPU returns the CPU time of the calling thread.
func threadCPU() (cpu time.Duration, ok bool) {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
