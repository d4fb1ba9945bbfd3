package harness

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Environment describes the machine and the program, by configuration key.
// What the system does not tell is left out.
func Environment() []Param {
	env := []Param{
		{"goos", runtime.GOOS},
		{"goarch", runtime.GOARCH},
		{"go-version", runtime.Version()},
		{"gomaxprocs", fmt.Sprint(runtime.GOMAXPROCS(0))},
		{"cpu", field("/proc/cpuinfo", "model name")},
		{"cpus", fmt.Sprint(runtime.NumCPU())},
		{"kernel", line("/proc/sys/kernel/osrelease")},
		{"governor", line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
		{"cgroup-cpu-max", line("/sys/fs/cgroup/cpu.max")},
		{"clocksource", line("/sys/devices/system/clocksource/clocksource0/current_clocksource")},
		{"timer-slack-ns", line("/proc/self/timerslack_ns")},
		{"transparent-hugepage", line("/sys/kernel/mm/transparent_hugepage/enabled")},
		{"commit", commit()},
		{"date", time.Now().UTC().Format(time.DateOnly)},
	}
	var known []Param
	for _, p := range env {
		if p.Value != "" {
			known = append(known, p)
		}
	}
	return known
}

// load describes how busy the machine is, which is noted around each cell.
func load(when string) []Param {
	var p []Param
	if l := line("/proc/loadavg"); l != "" {
		p = append(p, Param{"load-" + when, strings.Join(strings.Fields(l)[:3], " ")})
	}
	if cpu := strings.Fields(line("/proc/stat")); len(cpu) > 8 {
		p = append(p, Param{"steal-ticks-" + when, cpu[8]})
	}
	return p
}

// commit returns the version control revision that the program was built from.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, modified string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "-modified"
			}
		}
	}
	if revision == "" {
		return ""
	}
	return revision + modified
}

// line returns the first line of a file, or "" if it cannot be read.
func line(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}

// field returns the value of a "key : value" line of a file, or "".
func field(path, key string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for l := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
