package live

import (
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
