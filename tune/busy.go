package tune

import "fmt"

// mostBusy is the share of the machine that others may take while something is
// measured, before it is worth a word.
const mostBusy = 0.1

// others measures how busy the rest of the machine is.
type others struct {
	machine machineTime
	own     usage
	ok      bool
}

// machineTime is the time of all processors together, in seconds.
type machineTime struct{ busy, all float64 }

// watchOthers begins to measure.
func watchOthers() (o others) {
	o.machine, o.ok = readMachine()
	o.own = readUsage()
	return o
}

// share returns the share of all processors' time that other processes have taken
// since; 0 where the system does not tell.
func (o others) share() float64 {
	now, ok := readMachine()
	all := now.all - o.machine.all
	if !ok || !o.ok || all <= 0 {
		return 0
	}
	own := (readUsage().process - o.own.process).Seconds()
	return max(now.busy-o.machine.busy-own, 0) / all
}

// sayBusy returns what is to be said if others have taken so much of the machine
// while something was done, and "" if it is little.
func sayBusy(share float64, while string) string {
	if share <= mostBusy {
		return ""
	}
	return fmt.Sprintf("other processes took %.0f %% of the machine %s: its figures are of a busy machine, "+
		"and what is late may be so because of them", 100*share, while)
}
