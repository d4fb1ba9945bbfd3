package live

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Clock is the clock of a player: the time since it was made, sleep, and the CPU time of the player. On a thread of its
// own (see OnThread) it sleeps by a system call, and knows its CPU time. Elsewhere it sleeps as any goroutine does, and
// its CPU time is part of the program's.
type Clock struct {
	began time.Time // instant 0
	zero  int64     // the same on the system's clock, in nanoseconds
	own   bool      // it has a thread of its own
}

// OnThread runs f on a thread of its own, with one processor more than the program has, and waits for it. It simply
// calls f where threads cannot do that: on systems other than Linux, and where package time does not follow the
// system's clock, as in a bubble of testing/synctest.
func OnThread(f func(*Clock) error) (err error) {
	if !threadsSleep() {
		return f(&Clock{began: time.Now()})
	}
	before := runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	defer runtime.GOMAXPROCS(before)
	var thread sync.WaitGroup
	thread.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err = f(&Clock{began: time.Now(), zero: SystemClock(), own: true})
	})
	thread.Wait()
	return err
}

// Now returns the time since the clock was made.
func (c *Clock) Now() time.Duration { return time.Since(c.began) }

const (
	// longSleep is the shortest sleep that begins as a goroutine's. ownSleep is the end of it: longer than a goroutine
	// oversleeps, mostly.
	longSleep = 20 * time.Millisecond
	ownSleep  = 2 * time.Millisecond
)

// SleepUntil sleeps until an instant. On a thread of its own a long sleep begins as a goroutine's: the Go runtime can
// rest too, as in a program that has nothing to do. The end of it, and short sleeps, are the thread's own. In these it
// keeps its processor, since handing that over would wake others.
func (c *Clock) SleepUntil(at time.Duration) {
	if !c.own {
		time.Sleep(at - c.Now())
		return
	}
	if long := at - c.Now() - ownSleep; long > longSleep {
		time.Sleep(long)
	}
	sleepThread(c.zero + int64(at))
}

// spinFor is the end of a sleep that the thread spins through: longer than a thread oversleeps, mostly.
const spinFor = 200 * time.Microsecond

// SpinUntil is SleepUntil for a player that must be on time. On a thread of its own it wakes early, and spins: a thread that
// only slept would come some 50 µs late, more than the lateness which it is to measure. Spinning keeps a processor busy, but
// disturbs no other thread, as timers of the Go runtime would. Without a thread of its own SpinUntil only sleeps.
func (c *Clock) SpinUntil(at time.Duration) {
	if !c.own {
		c.SleepUntil(at)
		return
	}
	if at-c.Now() > spinFor {
		c.SleepUntil(at - spinFor)
	}
	for c.Now() < at {
	}
}

// OwnCPU returns the CPU time of the clock's thread, and 0 if it has none. Call it on that thread.
func (c *Clock) OwnCPU() time.Duration {
	if !c.own {
		return 0
	}
	cpu, _ := ThreadCPU()
	return cpu
}

// OthersCPU returns the CPU time of the process without the clock's thread, and 0 where the system does not say. Call
// it on that thread.
func (c *Clock) OthersCPU() time.Duration {
	u, _ := ReadUsage()
	return u.CPU - c.OwnCPU()
}

// OthersCPUSince returns how much OthersCPU has grown since it was before. Its two clocks are read one after the other:
// where the others do next to nothing the difference may come out below 0, and then it is 0.
func (c *Clock) OthersCPUSince(before time.Duration) time.Duration {
	return max(c.OthersCPU()-before, 0)
}

// WithoutGC runs f after a garbage collection and without one of its own, if f is not to be charged with them.
func WithoutGC(f func()) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
}
