package tune

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sleepUntil sleeps until an instant since the thread began. Long sleeps begin as
// those of a goroutine, so that the Go runtime can rest too, as it does in a program
// that has nothing to do; the end of them, and short sleeps, are the thread's own,
// in which it keeps its processor, since handing that over would wake others.
func (t *thread) sleepUntil(at time.Duration) {
	if long := at - t.now() - ownRest; long > longRest {
		time.Sleep(long)
	}
	spec := unix.NsecToTimespec(t.zero + int64(at))
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
			uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
		if errno != unix.EINTR { // the signal by which the runtime asks for a pause
			return
		}
	}
}

const (
	// longRest is how long a sleep is, at least, that is a long one.
	longRest = 20 * time.Millisecond
	// ownRest is the end of one: longer than a goroutine oversleeps, mostly.
	ownRest = 2 * time.Millisecond
)

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
