package rundata

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"schedbench/internal/machine"
)

const module = "schedbench"

// conditions are what figures depend on besides the plan, by the key under which it is
// noted: the program and the machine. What the system does not say is "".
var conditions = []struct {
	key  string
	read func() string
}{
	{"goos", func() string { return runtime.GOOS }},
	{"goarch", func() string { return runtime.GOARCH }},
	{"pkg", func() string { return module }},
	{"go-version", runtime.Version},
	{"gomaxprocs", func() string { return fmt.Sprint(runtime.GOMAXPROCS(0)) }},
	{"cpu", func() string { return machine.Field("/proc/cpuinfo", "model name") }},
	{"cpus", func() string { return fmt.Sprint(runtime.NumCPU()) }},
	{"kernel", func() string { return machine.Line("/proc/sys/kernel/osrelease") }},
	{"governor", func() string { return machine.Line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") }},
	{"cgroup-cpu-max", func() string { return machine.Quota("/proc/self/cgroup", "/sys/fs/cgroup") }},
	{"clocksource", func() string { return machine.Line("/sys/devices/system/clocksource/clocksource0/current_clocksource") }},
	{"timer-slack-ns", func() string { return machine.Line("/proc/self/timerslack_ns") }},
	{"transparent-hugepage", func() string { return machine.Line("/sys/kernel/mm/transparent_hugepage/enabled") }},
	{"commit", commit},
	{"build", build},
	{"slowed-by", slowedBy},
}

// dateKey is the key of the day on which something was measured.
const dateKey = "date"

// Today returns the day.
func Today() Param { return Param{dateKey, time.Now().UTC().Format(time.DateOnly)} }

// Environment describes the machine and the program, by configuration key. What the system does not say is left out.
func Environment() (env []Param) {
	for _, c := range conditions {
		if v := c.read(); v != "" {
			env = append(env, Param{c.key, v})
		}
	}
	return append(env, Today())
}

// Changed lists the conditions that have changed since a run was described, each as "kernel was 6.1 and is 6.2".
func Changed(described []Param) (said []string) {
	for _, c := range conditions {
		if was, is := Get(described, c.key), c.read(); was != is {
			said = append(said, fmt.Sprintf("%s was %s and is %s", c.key, orUnknown(was), orUnknown(is)))
		}
	}
	slices.Sort(said)
	return said
}

// orUnknown quotes a value that the system gave.
func orUnknown(v string) string {
	if v == "" {
		return "unknown"
	}
	return fmt.Sprintf("%q", v)
}

// Quota returns how many processors the process may use in all, by what was noted of the
// environment, and whether that is limited.
func Quota(env map[string]string) (processors float64, limited bool) {
	return machine.ShareOf(env["cgroup-cpu-max"])
}
