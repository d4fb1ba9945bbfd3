package live

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// ReadUsageOf is ReadUsage for another process, with the context switches of the threads that it has now.
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

// LetIn returns how often the system has taken the processor from the calling thread for another one; 0 without Linux.
func LetIn() int64 {
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &ru) // no error is possible
	return ru.Nivcsw
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

// SystemClock returns the time since boot in nanoseconds, the same in all processes; 0 without Linux.
func SystemClock() int64 {
	now, _ := readClock(unix.CLOCK_MONOTONIC) // it is always there
	return int64(now)
}

// OnOneProcessor runs f on a thread that stays on one processor, the last that the process may use, unless the system
// refuses. A thread that moves to another processor finds cold caches there. Other threads may run anywhere.
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
