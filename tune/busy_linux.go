package tune

import (
	"os"
	"strconv"
	"strings"
)

// userHertz is the unit of times in /proc/stat, which Linux keeps to on all
// machines.
const userHertz = 100

// readMachine returns the time of all processors since the start of the system.
func readMachine() (t machineTime, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t, false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return parseMachine(first)
}

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
