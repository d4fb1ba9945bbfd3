package rundata

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// commit and build are the same as long as the program runs.
var commit, build = sync.OnceValue(findCommit), sync.OnceValue(findBuild)

// findCommit returns the revision that the program was built from. In what go run and go test build, where none is noted,
// it asks git.
func findCommit() string {
	settings := buildSettings()
	if revision := settings["vcs.revision"]; revision != "" {
		return shortened(revision, settings["vcs.modified"] == "true")
	}
	info, noted := debug.ReadBuildInfo()
	program, err := os.Executable()
	_, file, _, ok := runtime.Caller(0)
	if err != nil || !strings.Contains(filepath.ToSlash(program), "/go-build") || // an older program, of other sources
		!noted || !isOurs(info.Main.Path) || !ok || !filepath.IsAbs(file) { // a program of others, or one without paths
		return ""
	}
	return commitOf(filepath.Join(filepath.Dir(file), "..", ".."))
}

// isOurs reports whether a module is this one, or one of those that lie beside it in the same checkout.
func isOurs(main string) bool { return main == module || strings.HasPrefix(main, module+"/") }

func shortened(revision string, changed bool) string {
	revision = revision[:min(12, len(revision))]
	if changed {
		revision += modified
	}
	return revision
}

// commitOf returns the commit that is checked out in the folder of this module, and "" if the folder is no checkout of
// the module. Files that no program is built from may change, such as results during a run.
func commitOf(root string) string {
	if machine.Line(filepath.Join(root, "go.mod")) != "module "+module {
		return ""
	}
	head, ok := git(root, "rev-parse", "--show-prefix", "HEAD")
	prefix, revision, _ := strings.Cut(head, "\n")
	if !ok || prefix != "" { // the folder is one in a checkout of something else
		return ""
	}
	changes, ok := git(root, "status", "--porcelain", "--", "*.go", "*.toml", "go.mod", "go.sum")
	if !ok {
		return ""
	}
	return shortened(strings.TrimSpace(revision), changes != "")
}

// git returns the output of git in a folder, and its success. Other repositories' variables have no effect.
func git(dir string, args ...string) (string, bool) {
	cmd := exec.Command("git", append([]string{"--no-optional-locks", "-C", dir}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	out, err := cmd.Output()
	return string(out), err == nil
}

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
		path, err := os.Executable()
		program, unread := os.ReadFile(path)
		if err != nil || unread != nil {
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
