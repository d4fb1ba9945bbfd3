package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"schedbench/internal/machine"
)

// Usage is what the process has used up to now.
type Usage struct {
	CPU      time.Duration
	Switches int64 // context switches, voluntary and not
}

// machineTime is that of all processors, in seconds since the start of the system.
type machineTime struct{ busy, all float64 }

// ownCPU is the CPU time of this process and of processes that it has started and that have ended.
func ownCPU() time.Duration {
	used, _ := ReadUsage()
	return used.CPU + childrenCPU()
}

// WatchOthers begins to measure how busy the rest of the machine is. share returns the share of all processors' time that
// other processes have taken since; 0 where the system is silent.
func WatchOthers() (share func() float64) {
	before, known := readMachine()
	own := ownCPU()
	return func() float64 {
		now, ok := readMachine()
		all := now.all - before.all
		if !ok || !known || all <= 0 {
			return 0
		}
		return max(now.busy-before.busy-(ownCPU()-own).Seconds(), 0) / all
	}
}

// userHertz is the unit of times in /proc/stat, the same on all machines with Linux.
const userHertz = 100

func readMachine() (t machineTime, ok bool) { return parseMachine(machine.Line("/proc/stat")) }

// parseMachine reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; and those of
// guests, which user and nice include.
func parseMachine(line string) (t machineTime, ok bool) {
	const idle, iowait, counted = 3, 4, 8
	fields := strings.Fields(line)
	if len(fields) <= counted || fields[0] != "cpu" {
		return t, false
	}
	for i, f := range fields[1 : counted+1] {
		ticks, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return machineTime{}, false
		}
		seconds := float64(ticks) / userHertz
		t.all += seconds
		if i != idle && i != iowait {
			t.busy += seconds
		}
	}
	return t, true
}

// Stall is a time in which a thread that only slept did not run when it should have: others had its processor, or the
// machine stood still. The instants are those of SystemClock.
type Stall struct{ From, To int64 }

const (
	// stallEvery is how often a thread wakes, and leastStall how late it is in a stall.
	stallEvery = time.Millisecond
	leastStall = 2 * time.Millisecond
)

// alarm is when a thread is to wake next, on SystemClock.
type alarm int64

// woke notes when the thread woke, and returns the stall if it was late.
func (a *alarm) woke(now int64) (s Stall, stalled bool) {
	s = Stall{int64(*a), now}
	if stalled = s.To-s.From >= int64(leastStall); stalled {
		*a = alarm(now)
	}
	*a += alarm(stallEvery)
	return s, stalled
}

// StallsIn reads what WatchStalls wrote into a file, nothing without the file. What is not a whole line yet is left out.
func StallsIn(path string) (all []Stall, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for l := range strings.Lines(string(text)) {
		var s Stall
		if !strings.HasSuffix(l, "\n") {
			break
		}
		if _, err := fmt.Sscan(l, &s.From, &s.To); err != nil {
			return nil, fmt.Errorf("stalls: %q: %w", l, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Calm returns which timers of the outcome did not fire during a stall of a processor or just after, when held-up timers
// catch up. The stalls decide, not how late a timer was. All timers count if fewer than half would, or if the outcome
// has no instant of the system's clock.
func (o *Outcome) Calm(stalls []Stall) (calm func(Firing) bool, heldUp int) {
	calm = func(f Firing) bool {
		at := o.Began + int64(f.At)
		for _, s := range stalls {
			if s.From <= at && at <= s.To+int64(stallEvery) {
				return false
			}
		}
		return true
	}
	for _, f := range o.Firings {
		if !calm(f) {
			heldUp++
		}
	}
	if o.Began == 0 || 2*heldUp > len(o.Firings) {
		return func(Firing) bool { return true }, 0
	}
	return calm, heldUp
}

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
	// longSleep is the shortest sleep that begins as a goroutine's. Its end, ownSleep, is longer than most oversleep.
	longSleep = 20 * time.Millisecond
	ownSleep  = 2 * time.Millisecond
)

// SleepUntil sleeps until an instant. On a thread of its own a long sleep begins as a goroutine's: the Go runtime can
// rest too. The thread itself sleeps through the end, and through short sleeps. It keeps its processor meanwhile:
// handing it over would wake others.
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
// only slept would come some 50 µs late, more than the lateness which it is to measure. Spinning keeps a processor busy,
// but disturbs no other thread, as timers of the Go runtime would.
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

// OthersCPU is the CPU time of the process without the clock's thread, 0 if unknown. Call it on that thread.
func (c *Clock) OthersCPU() time.Duration {
	u, _ := ReadUsage()
	return u.CPU - c.OwnCPU()
}

// OthersCPUSince returns how much OthersCPU has grown since it was before, at least 0: its two clocks are read one after the
// other.
func (c *Clock) OthersCPUSince(before time.Duration) time.Duration {
	return max(c.OthersCPU()-before, 0)
}

// WithoutGC collects garbage, and runs f without collections: f is not charged for any.
func WithoutGC(f func()) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
}
