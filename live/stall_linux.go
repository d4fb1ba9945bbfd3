package live

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// WatchStalls has a thread on each processor that the process may use wake every millisecond, until stop is called. It
// writes a line whenever a thread is 2 ms late or more. That takes about 1 % of each processor.
func WatchStalls(w io.Writer) (stop func()) {
	var cpus unix.CPUSet
	if unix.SchedGetaffinity(0, &cpus) != nil {
		return func() {}
	}
	var ended atomic.Bool
	var threads sync.WaitGroup
	var writing sync.Mutex
	for cpu := range len(cpus) * 64 {
		if !cpus.IsSet(cpu) {
			continue
		}
		threads.Go(func() {
			runtime.LockOSThread() // for good: the thread ends with its goroutine
			var one unix.CPUSet
			one.Set(cpu)
			if unix.SchedSetaffinity(0, &one) != nil {
				return
			}
			watchStalls(&ended, func(s Stall) {
				writing.Lock()
				defer writing.Unlock()
				_, _ = fmt.Fprintf(w, "%d %d\n", s.From, s.To)
			})
		})
	}
	return func() { ended.Store(true); threads.Wait() }
}

// watchStalls sleeps again and again, and calls found with each stall.
func watchStalls(ended *atomic.Bool, found func(Stall)) {
	for next := alarm(SystemClock()); !ended.Load(); {
		until := unix.NsecToTimespec(int64(next))
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil) == unix.EINTR {
		}
		if s, stalled := next.woke(SystemClock()); stalled {
			found(s)
		}
	}
}

// SystemClock returns the time since the machine booted, in nanoseconds. It is the same in all processes, and 0 on
// systems other than Linux.
func SystemClock() int64 {
	now, _ := readClock(unix.CLOCK_MONOTONIC) // it is always there
	return int64(now)
}
