package rundata

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"schedbench/internal/lists"
	"schedbench/internal/machine"
)

const module = "schedbench"

// conditions are what figures depend on besides the plan: the program and the machine. What the system does not say is "".
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
	{"slowed-by", func() string { return slowedBy(buildSettings()) }},
}

const dateKey = "date"

// Today returns the day.
func Today() Param { return Param{dateKey, time.Now().UTC().Format(time.DateOnly)} }

// Environment describes the machine and the program. What the system does not say is left out.
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

func orUnknown(v string) string {
	if v == "" {
		return "unknown"
	}
	return fmt.Sprintf("%q", v)
}

// Quota returns how many processors the process may use by the noted environment, and whether that is limited.
func Quota(env map[string]string) (processors float64, limited bool) {
	return machine.ShareOf(env["cgroup-cpu-max"])
}

// modified marks a commit beside which there were changes in what a program is built from.
const modified = "-modified"

// commit returns the revision that the program was built from, "" if the toolchain has not noted it, as in a plain go run.
func commit() string {
	settings := buildSettings()
	revision := settings["vcs.revision"]
	revision = revision[:min(12, len(revision))]
	if settings["vcs.modified"] == "true" {
		revision += modified
	}
	return revision
}

// build is the same as long as the program runs.
var build = sync.OnceValue(findBuild)

// findBuild returns a text that distinguishes builds of one commit: a hash of the build settings. If the commit is
// unknown or modified, the hash includes the executable: it contains files unknown to git, too.
func findBuild() string {
	h, settings := sha256.New(), buildSettings()
	for _, key := range lists.Keys(settings) {
		if !strings.HasPrefix(key, "vcs") && key != "-trimpath" && key != "-ldflags" {
			fmt.Fprintf(h, "%s=%s\n", key, settings[key])
		}
	}
	if c := commit(); c == "" || strings.HasSuffix(c, modified) {
		path, _ := os.Executable()
		program, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		h.Write(program)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}

// slowing are the settings that make a build slow, with their names: sanitizers and coverage.
var slowing = []struct{ setting, name string }{
	{"-race", "race detector"}, {"-msan", "memory sanitizer"}, {"-asan", "address sanitizer"}, {"-cover", "coverage"},
}

// slowedBy names what makes a build with some settings slow, "" if nothing does.
func slowedBy(settings map[string]string) string {
	var found []string
	for _, s := range slowing {
		if settings[s.setting] == "true" {
			found = append(found, s.name)
		}
	}
	flags := strings.FieldsFunc(settings["-gcflags"], func(r rune) bool { return r == ' ' || r == '=' || r == '\'' || r == '"' })
	if slices.Contains(flags, "-N") || slices.Contains(flags, "-l") {
		found = append(found, "no optimization")
	}
	return strings.Join(found, ", ")
}

func buildSettings() map[string]string {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return settings
}
