package live

import "time"

// Usage is what the process has used up to now.
type Usage struct {
	CPU      time.Duration
	Switches int64 // context switches, voluntary and not
}

// OtherProcesses measures how busy the rest of the machine is.
type OtherProcesses struct {
	machine machineTime
	own     Usage
	ok      bool
}

// machineTime is the time of all processors together, in seconds.
type machineTime struct{ busy, all float64 }

// WatchOthers begins to measure how busy the rest of the machine is.
func WatchOthers() (o OtherProcesses) {
	o.machine, o.ok = readMachine()
	o.own, _ = ReadUsage()
	return o
}

// Share returns the share of all processors' time that other processes have taken
// since; 0 where the system does not tell.
func (o OtherProcesses) Share() float64 {
	now, ok := readMachine()
	all := now.all - o.machine.all
	if !ok || !o.ok || all <= 0 {
		return 0
	}
	used, _ := ReadUsage()
	own := (used.CPU - o.own.CPU).Seconds()
	return max(now.busy-o.machine.busy-own, 0) / all
}
