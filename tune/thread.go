package tune

import (
	"errors"
	"runtime"
	"runtime/debug"
	"time"
)

// ErrNoCPUTime means that the system does not tell how much CPU time a thread
// has used, so that nothing can be measured.
var ErrNoCPUTime = errors.New("the system does not tell the CPU time of a thread")

// thread plays a program's part on an operating system thread of its own. It
// sleeps without the Go runtime's help, so that its sleeping and waking neither
// wakes nor warms a driver's worker, and its own CPU time can be left out of
// account.
type thread struct {
	began time.Time // instant 0
	zero  int64     // the same on the system's clock, in nanoseconds
}

// now returns the time since the thread began.
func (t *thread) now() time.Duration { return time.Since(t.began) }

// onThread runs f on a thread of its own, with a processor of its own besides
// those that the program has anyway, and without garbage collections: what one
// costs is not what is looked for. It waits for f.
func onThread(f func(t *thread) error) error {
	if _, err := processTime(); err != nil {
		return err
	}
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	before := runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	defer runtime.GOMAXPROCS(before)
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		t := &thread{began: time.Now(), zero: systemClock()}
		done <- f(t)
	}()
	return <-done
}

// usage is what a process with a thread has used.
type usage struct{ process, thread time.Duration }

// readUsage returns what has been used up to now. Errors are those of
// processTime, which onThread has asked before.
func readUsage() (u usage) {
	u.process, _ = processTime()
	u.thread = threadTime()
	return u
}

// others returns the CPU time that all but the thread have used since u.
func (u usage) others() time.Duration {
	now := readUsage()
	return (now.process - u.process) - (now.thread - u.thread)
}
