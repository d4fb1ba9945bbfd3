package live

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"schedbench/internal/machine"
)

// Usage is what the process has used up to now.
type Usage struct {
	CPU      time.Duration
	Switches int64 // context switches, voluntary and not
}

// OtherProcesses measures how busy the rest of the machine is.
type OtherProcesses struct {
	machine machineTime
	own     time.Duration
	ok      bool
}

// machineTime is the time of all processors together, in seconds.
type machineTime struct{ busy, all float64 }

// WatchOthers begins to measure how busy the rest of the machine is.
func WatchOthers() (o OtherProcesses) {
	o.machine, o.ok = readMachine()
	o.own = ownCPU()
	return o
}

// ownCPU is the CPU time of this process and of processes that it has started and that have ended.
func ownCPU() time.Duration {
	used, _ := ReadUsage()
	return used.CPU + childrenCPU()
}

// Share returns the share of all processors' time that other processes have taken since; 0 where the system is silent.
func (o OtherProcesses) Share() float64 {
	now, ok := readMachine()
	all := now.all - o.machine.all
	if !ok || !o.ok || all <= 0 {
		return 0
	}
	return max(now.busy-o.machine.busy-(ownCPU()-o.own).Seconds(), 0) / all
}

// userHertz is the unit of times in /proc/stat, the same on all machines with Linux.
const userHertz = 100

// readMachine returns the time of all processors since the start of the system, where that has /proc/stat.
func readMachine() (t machineTime, ok bool) { return parseMachine(machine.Line("/proc/stat")) }

// parseMachine reads the first line of /proc/stat: user, nice, system, idle, iowait,
// irq, softirq, steal; and those of guests, which user and nice include.
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

// ReadStalls reads what WatchStalls wrote. What is not a whole line yet is left out.
func ReadStalls(r io.Reader) (all []Stall, err error) {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return all, nil
		}
		var s Stall
		if err == nil {
			_, err = fmt.Sscanf(line, "%d %d\n", &s.From, &s.To)
		}
		if err != nil {
			return nil, fmt.Errorf("stalls: %q: %w", line, err)
		}
		all = append(all, s)
	}
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
