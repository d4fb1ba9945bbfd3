package compare

import (
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

// Change is something that two measurements were made with, and that differs.
type Change struct{ Name, Old, New string }

// Changes returns what differs of the machines and of Go. What one of them does not say
// is "unknown".
func Changes(old, new *rundata.Data) (changes []Change) {
	said := func(d *rundata.Data, key string) string {
		if v := d.Env[key]; v != "" {
			return v
		}
		return "unknown"
	}
	for _, m := range machine {
		if a, b := said(old, m.key), said(new, m.key); a != b {
			changes = append(changes, Change{m.name, a, b})
		}
	}
	return changes
}

// oneMachine reports whether two runs are of one machine, or of two that say the same of
// themselves, and of one version of Go.
func oneMachine(old, new *rundata.Data) bool {
	main := machine[:7]
	return !slices.ContainsFunc(main, func(m struct{ key, name string }) bool { return old.Env[m.key] != new.Env[m.key] })
}
