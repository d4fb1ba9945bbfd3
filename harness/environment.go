package harness

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"time"
)

// module is what the module of this package is called.
const module = "schedbench"

// conditions are what figures depend on besides the plan, by the key under which it is
// noted: the program and the machine. What the system does not tell is "".
var conditions = []struct {
	key  string
	read func() string
}{
	{"goos", func() string { return runtime.GOOS }},
	{"goarch", func() string { return runtime.GOARCH }},
	{"pkg", func() string { return module }},
	{"go-version", runtime.Version},
	{"gomaxprocs", func() string { return fmt.Sprint(runtime.GOMAXPROCS(0)) }},
	{"cpu", func() string { return field("/proc/cpuinfo", "model name") }},
	{"cpus", func() string { return fmt.Sprint(runtime.NumCPU()) }},
	{"kernel", func() string { return line("/proc/sys/kernel/osrelease") }},
	{"governor", func() string { return line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") }},
	{"cgroup-cpu-max", func() string { return quota("/proc/self/cgroup", "/sys/fs/cgroup") }},
	{"clocksource", func() string { return line("/sys/devices/system/clocksource/clocksource0/current_clocksource") }},
	{"timer-slack-ns", func() string { return line("/proc/self/timerslack_ns") }},
	{"transparent-hugepage", func() string { return line("/sys/kernel/mm/transparent_hugepage/enabled") }},
	{"commit", commit},
	{"build", build},
	{"slowed-by", slowedBy},
}

// dateKey is the key of the day on which something was measured.
const dateKey = "date"

// today returns the day.
func today() Param { return Param{dateKey, time.Now().UTC().Format(time.DateOnly)} }

// Environment describes the machine and the program, by configuration key.
// What the system does not tell is left out.
func Environment() (env []Param) {
	for _, c := range conditions {
		if v := c.read(); v != "" {
			env = append(env, Param{c.key, v})
		}
	}
	return append(env, today())
}

// Conditions returns of what describes a machine and a program that on which figures
// depend, by key: all but the date.
func Conditions(env []Param) map[string]string {
	kept := map[string]string{}
	for _, c := range conditions {
		if v := valueOf(env, c.key); v != "" {
			kept[c.key] = v
		}
	}
	return kept
}

// Changed says which conditions are others than they were, each as "kernel was 6.1 and is
// 6.2".
func Changed(was, is map[string]string) (said []string) {
	either := maps.Clone(is)
	maps.Copy(either, was)
	for _, key := range sortedKeys(either) {
		if was[key] != is[key] {
			said = append(said, fmt.Sprintf("%s was %s and is %s", key, orUnknown(was[key]), orUnknown(is[key])))
		}
	}
	return said
}

// orUnknown quotes a value that the system told.
func orUnknown(v string) string {
	if v == "" {
		return "unknown"
	}
	return fmt.Sprintf("%q", v)
}

// line returns the first line of a file, or "" if it cannot be read.
func line(path string) string {
	text, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// field returns the value of a "key : value" line of a file, or "".
func field(path, key string) string {
	text, _ := os.ReadFile(path)
	for l := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
