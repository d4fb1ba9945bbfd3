package jvm

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"schedbench/live"
)

// usageOf returns what another process has used up to now: its CPU time to the nanosecond,
// and the context switches of the threads that it has.
func usageOf(pid int) (u live.Usage, ok bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(cpuClockOf(pid), &ts); err != nil {
		return u, false
	}
	u.CPU = time.Duration(ts.Nano())
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range threads {
		text, _ := os.ReadFile(path) // the thread may have ended
		for l := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(l, ":"); strings.HasSuffix(key, "voluntary_ctxt_switches") {
				n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				u.Switches += n
			}
		}
	}
	return u, len(threads) > 0
}

// cpuClockOf returns the clock of the CPU time of a process, as clock_getcpuclockid does.
func cpuClockOf(pid int) int32 {
	const scheduled = 2
	return int32(^pid<<3 | scheduled)
}
