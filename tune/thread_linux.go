package tune

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longRest is a sleep in which the thread gives its processor back to the Go
// runtime, which can then sleep too. In shorter ones it keeps it: handing it over
// wakes others, which is what the thread is there to avoid.
const longRest = awake

// sleepUntil sleeps until an instant since the thread began.
func (t *thread) sleepUntil(at time.Duration) {
	spec := unix.NsecToTimespec(t.zero + int64(at))
	long := at-t.now() > longRest
	for {
		var errno unix.Errno
		if long {
			_, _, errno = unix.Syscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
				uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
		} else {
			_, _, errno = unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
				uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
		}
		if errno != unix.EINTR { // the signal by which the runtime asks for a pause
			return
		}
	}
}

// systemClock returns the time on the clock that the thread sleeps by.
func systemClock() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // it is always there
	return ts.Nano()
}

// processTime returns the CPU time of the process.
func processTime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		return 0, ErrNoCPUTime
	}
	return time.Duration(ts.Nano()), nil
}

// threadTime returns the CPU time of the calling thread.
func threadTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // it is there if that of the process is
	return time.Duration(ts.Nano())
}
