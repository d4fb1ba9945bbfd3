package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// ErrOtherPlan means that a folder holds a run of another plan.
var ErrOtherPlan = errors.New("the folder holds a run of another plan")

// Progress is told of every cell before it runs, with done cells behind it.
// skipped says that the cell had been measured before.
type Progress func(done, total int, cell Cell, skipped bool)

// Run measures the cells of a plan that dir does not hold yet and returns all
// that it then holds. It writes each cell to dir when it is complete; if ctx
// ends, what is complete stays, and a later Run of the same plan goes on from
// there. notes are added to the description of the run.
func Run(ctx context.Context, p *Plan, dir string, notes []Param, progress Progress) (*Data, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	cells := p.Cells()
	if len(cells) == 0 {
		return nil, errors.New("the plan has no cell: nothing to measure")
	}
	env, err := openRun(dir, p, cells, notes)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		_, err := loadCell(dir, c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		progress(i, len(cells), c, err == nil)
		if err == nil {
			continue
		}
		if err := runCell(ctx, p, c, dir, env); err != nil {
			return nil, err
		}
	}
	if err := saveRun(dir, env, len(cells), true); err != nil {
		return nil, err
	}
	return Load(dir)
}

// runCell measures a cell and saves it.
func runCell(ctx context.Context, p *Plan, c Cell, dir string, env []Param) error {
	before := load("before")
	series, err := c.run(&session{ctx: ctx, plan: p})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return saveCell(dir, c.Name, slices.Concat(env, before, load("after")), series)
}

// openRun makes dir ready for the cells of a plan and returns the description
// of the run: of the one that began it, if it is resumed.
func openRun(dir string, p *Plan, cells []Cell, notes []Param) ([]Param, error) {
	plan := p.fingerprint()
	order := each(cells, func(c Cell) string { return c.Name })
	env, err := loadRun(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := refuseStray(dir, order); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		env = slices.Concat(Environment(), notes, []Param{{"seed", fmt.Sprint(p.Seed)}, {"blocks", fmt.Sprint(p.Blocks)}, {"rounds", fmt.Sprint(p.Rounds)},
			{"plan", plan}, {"order", strings.Join(order, " ")}})
		return env, saveRun(dir, env, len(cells), false)
	case err != nil:
		return nil, err
	case valueOf(env, "plan") != plan:
		return nil, fmt.Errorf("%w: %s was made by: %s", ErrOtherPlan, dir, valueOf(env, "command"))
	}
	return slices.DeleteFunc(env, func(p Param) bool { return p.Key == cellsKey || p.Key == completeKey }), nil
}

// refuseStray returns an error if dir holds a cell and nothing that tells of what
// run: it is not to be taken for one of the run that begins.
func refuseStray(dir string, cells []string) error {
	for _, name := range cells {
		if _, err := os.Lstat(filepath.Join(dir, name+benchExt)); err == nil {
			return fmt.Errorf("%w: %s has %s, and no %s that says of what plan", ErrOtherPlan, dir, name+benchExt, runName)
		}
	}
	return nil
}

// Unfinished returns the latest of the folders that match a pattern (see
// filepath.Glob) and hold an unfinished run of the plan, or "".
func Unfinished(pattern string, p *Plan) string {
	paths, _ := filepath.Glob(filepath.Join(pattern, runName)) // a bad pattern matches nothing
	var latest string
	var at time.Time
	for _, path := range paths {
		dir := filepath.Dir(path)
		env, err := loadRun(dir)
		if err != nil || valueOf(env, "plan") != p.fingerprint() || valueOf(env, completeKey) == "true" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			latest, at = dir, info.ModTime()
		}
	}
	return latest
}

// Environment describes the machine and the program, by configuration key.
// What the system does not tell is left out.
func Environment() []Param {
	env := []Param{
		{"goos", runtime.GOOS},
		{"goarch", runtime.GOARCH},
		{"pkg", "schedbench"},
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
	return slices.DeleteFunc(env, func(p Param) bool { return p.Value == "" })
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
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision = revision[:min(12, len(revision))]; revision != "" && settings["vcs.modified"] == "true" {
		revision += "-modified"
	}
	return revision
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
