package live

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadUsage returns the usage so far. ok is false where the system does not say.
func ReadUsage() (u Usage, ok bool) {
	cpu, err := readClock(unix.CLOCK_PROCESS_CPUTIME_ID)
	var ru unix.Rusage
	if err != nil || unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return Usage{}, false
	}
	return Usage{CPU: cpu, Switches: ru.Nvcsw + ru.Nivcsw}, true
}

func childrenCPU() time.Duration {
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_CHILDREN, &ru) // no error is possible
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// ReadUsageOf returns what another process has used up to now, with the context switches of the
// threads that it has. ok is false where the system does not say.
func ReadUsageOf(pid int) (u Usage, ok bool) {
	const scheduled = 2
	cpu, err := readClock(int32(^pid<<3 | scheduled)) // of its CPU time, as clock_getcpuclockid does
	if err != nil {
		return u, false
	}
	u.CPU = cpu
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

// ThreadCPU returns the CPU time of the calling thread. ok is false where the system does not say.
func ThreadCPU() (cpu time.Duration, ok bool) {
	cpu, err := readClock(unix.CLOCK_THREAD_CPUTIME_ID)
	return cpu, err == nil
}

func readClock(id int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}

// threadsSleep reports whether a thread can sleep by the system's clock instead of package time's. In a bubble of
// testing/synctest, whose years are others, it cannot.
func threadsSleep() bool {
	now, err := readClock(unix.CLOCK_REALTIME)
	_, metered := ThreadCPU()
	return err == nil && metered && time.Since(time.Unix(0, int64(now))).Abs() < time.Hour
}

// sleepThread has the thread sleep until an instant of SystemClock. It keeps its processor, except while the Go runtime
// asks for a pause, for instance to collect garbage.
func sleepThread(at int64) {
	spec := unix.NsecToTimespec(at)
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
			uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
		if errno != unix.EINTR { // the signal by which the runtime asks
			return
		}
		runtime.Gosched()
	}
}
