package compare

import (
	"cmp"
	"fmt"
	"slices"

	"schedbench/harness/rundata"
)

// machine are the keys of what figures depend on besides the program, those that matter
// most first, and what they are called.
var machine = []struct{ key, name string }{
	{"cpu", "CPU"}, {"kernel", "kernel"}, {"go-version", "Go version"}, {"gomaxprocs", "GOMAXPROCS"},
	{"cpus", "number of CPUs"}, {"goos", "system"}, {"goarch", "architecture"},
	{"governor", "governor"}, {"cgroup-cpu-max", "limit of CPU time"}, {"slowed-by", "what slows the build"}, {"clocksource", "clock"},
	{"timer-slack-ns", "timer slack"}, {"transparent-hugepage", "huge pages"},
}

// Heading says, before all else, what differs of the machines and of Go. What one of them does not say is "unknown".
func Heading(old, new *rundata.Data) (lines []string) {
	for _, m := range machine {
		if a, b := cmp.Or(old.Env[m.key], "unknown"), cmp.Or(new.Env[m.key], "unknown"); a != b {
			lines = append(lines, fmt.Sprintf("%s differs: OLD %s, NEW %s", m.name, a, b))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, "These may be the causes of what is worse or better.")
	}
	return lines
}

// oneMachine reports whether two runs are of one machine, or of two that say the same of
// themselves, and of one version of Go.
func oneMachine(old, new *rundata.Data) bool {
	return !slices.ContainsFunc(machine[:7], func(m struct{ key, name string }) bool { return old.Env[m.key] != new.Env[m.key] })
}
