package rundata

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedbench/internal/lists"
)

// ErrUnlike means that runs do not go together.
var ErrUnlike = errors.New("these runs cannot be merged")

var (
	// alike are the keys whose values merged runs must share. worthwhile are the keys that Merge mentions if their
	// values differ.
	alike      = []string{"plan", "goos", "goarch", "cpu", "go-version", "gomaxprocs", "commit", "build"}
	worthwhile = []string{"kernel", "cpus", "governor", "cgroup-cpu-max"}
	// shownFor has what to show of runs that differ in a hash.
	shownFor = map[string]string{"plan": "command", "build": "date"}
)

// folder is what the folder of a run holds.
type folder struct {
	dir   string
	env   []Param
	parts []*File
}

// Merge writes the blocks of several runs of one plan as one run, into a folder that holds none. It returns the data of
// that run, and remarks on how the runs differ.
func Merge(out string, dirs ...string) (*Data, []string, error) {
	if len(dirs) < 2 {
		return nil, nil, fmt.Errorf("%w: there is %d, want two at least", ErrUnlike, len(dirs))
	}
	if _, err := os.Lstat(filepath.Join(out, RunName)); err == nil {
		return nil, nil, fmt.Errorf("%w: %s holds a run already, want a folder that holds none", ErrUnlike, out)
	}
	var runs []folder
	for _, dir := range dirs {
		run, err := read(dir)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnlike, err)
		}
		runs = append(runs, run)
	}
	said, err := agree(runs)
	if err != nil {
		return nil, nil, err
	}
	if err := union(out, runs); err != nil {
		return nil, nil, err
	}
	d, err := Load(out)
	return d, said, err
}

func read(dir string) (c folder, err error) {
	c.dir = dir
	if c.env, err = LoadRun(dir); err == nil {
		c.parts, err = LoadFiles(dir)
	}
	return c, err
}

// agree returns an error that names what keeps runs from being one, and what else they differ in.
func agree(runs []folder) (said []string, err error) {
	first := runs[0]
	for i, r := range runs[1:] {
		for _, key := range alike {
			if a, b := Get(first.env, key), Get(r.env, key); a != b {
				said := key
				if shown := shownFor[key]; Get(first.env, shown) != Get(r.env, shown) {
					a, b, said = Get(first.env, shown), Get(r.env, shown), key+" ("+shown+")"
				}
				return nil, fmt.Errorf("%w: they differ in %s: %s in %s, %s in %s", ErrUnlike, said, orUnknown(a), first.dir, orUnknown(b), r.dir)
			}
		}
		for _, before := range runs[:i+1] {
			if before.shares(r) {
				return nil, fmt.Errorf("%w: %s and %s hold the same measurements", ErrUnlike, before.dir, r.dir)
			}
		}
	}
	if Get(first.env, "commit") == "" {
		said = append(said, "the data do not say from which commit they are")
	}
	for _, key := range worthwhile {
		if values := valuesIn(runs, key); len(slices.Compact(slices.Clone(values))) > 1 {
			said = append(said, fmt.Sprintf("%s differs: %s", key, strings.Join(values, betweenRuns)))
		}
	}
	return said, nil
}

// measurements returns a text for each cell of each file. Equal texts are of one measurement: clocks never show the same
// twice.
func (c folder) measurements() (ids []string) {
	for _, p := range c.parts {
		for _, cell := range p.Cells {
			values := lists.Each(cell.Series, func(s *Series) map[string][]float64 { return s.Values })
			ids = append(ids, fmt.Sprint(cell.Name, cell.Took, values))
		}
	}
	return ids
}

func (c folder) shares(other folder) bool {
	theirs := other.measurements()
	return slices.ContainsFunc(c.measurements(), func(id string) bool { return slices.Contains(theirs, id) })
}

func union(out string, runs []folder) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	next, complete := 0, false
	for i, r := range runs {
		end := next
		for _, p := range r.parts {
			p.Name = fmt.Sprintf("run-%d-%s", i+1, p.Name)
			p.First += next
			for _, s := range p.Series() {
				end = max(end, next+slices.Max(s.Block)+1)
			}
			if err := p.Save(out); err != nil {
				return err
			}
		}
		next = end
		complete = complete || Get(r.env, CompleteKey) == "true"
	}
	return SaveRun(out, append(together(runs), Param{runsKey, strconv.Itoa(len(runs))}), complete)
}

const betweenRuns = " | "

// OfRuns returns the value of each of several merged runs, or the one value that they share.
func OfRuns(value string) []string { return strings.Split(value, betweenRuns) }

// together returns the description of several runs: what they share once, and what differs run by run.
func together(runs []folder) (env []Param) {
	for _, r := range runs {
		for _, p := range r.env {
			if slices.Contains([]string{CompleteKey, runsKey}, p.Key) || slices.ContainsFunc(env, func(have Param) bool { return have.Key == p.Key }) {
				continue
			}
			values := valuesIn(runs, p.Key)
			if len(slices.Compact(slices.Clone(values))) == 1 {
				values = values[:1]
			}
			env = append(env, Param{p.Key, strings.Join(values, betweenRuns)})
		}
	}
	return env
}

// valuesIn returns the values of a key. A run that was merged before may have several.
func valuesIn(runs []folder, key string) (values []string) {
	for _, r := range runs {
		values = append(values, OfRuns(cmp.Or(Get(r.env, key), "unknown"))...)
	}
	return values
}

const runsKey = "runs" // of a merged run: how many folders it is of

// Begun is a run of a plan that has not been finished.
type Begun struct {
	Dir     string   // the folder of its data
	Changed []string // conditions that have changed since it began (see Changed). With any, the run cannot go on

	at time.Time // when it began
}

// Unfinished returns the unfinished runs of a plan, by its fingerprint, in the folders that match a pattern of
// filepath.Glob, the latest first. It leaves out merged runs, and runs that another process is measuring.
func Unfinished(pattern, plan string) (found []Begun) {
	paths, _ := filepath.Glob(filepath.Join(pattern, RunName)) // a bad pattern matches nothing
	for _, path := range paths {
		dir := filepath.Dir(path)
		env, err := LoadRun(dir)
		if err != nil || Get(env, "plan") != plan || Get(env, CompleteKey) == "true" || Get(env, runsKey) != "" || inUse(dir) {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			found = append(found, Begun{dir, Changed(env), info.ModTime()})
		}
	}
	slices.SortStableFunc(found, func(a, b Begun) int { return b.at.Compare(a.at) })
	return found
}

func inUse(dir string) bool {
	release, err := Hold(dir)
	if err == nil {
		release()
	}
	return errors.Is(err, ErrInUse)
}

// CheckPlan returns the description of the run in dir, nil if there is none. The error is ErrOtherPlan if dir holds a run of
// another plan than that with a fingerprint, or data of no known run. It is ErrOtherBuild if another build measured the
// run, or in another environment: see Changed.
func CheckPlan(dir, plan string) ([]Param, error) {
	env, err := LoadRun(dir)
	if errors.Is(err, ErrNoData) {
		if found, _ := blockFiles(dir); len(found) > 0 {
			return nil, fmt.Errorf("%w: %s has %s, and no %s that says of what plan", ErrOtherPlan, dir, filepath.Base(found[0]), RunName)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if Get(env, "plan") != plan {
		return nil, fmt.Errorf("%w: %s was made by: %s", ErrOtherPlan, dir, Get(env, "command"))
	}
	if changed := Changed(env); len(changed) > 0 {
		return nil, fmt.Errorf("%w: in %s %s", ErrOtherBuild, dir, strings.Join(changed, ", "))
	}
	return env, nil
}

// NewFolder makes a folder that was not there before, and those above it, and returns its path: the one given, or with -2
// after it, or -3 and so on. No other process gets the same one.
func NewFolder(path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	for name, n := path, 2; ; name, n = fmt.Sprintf("%s-%d", path, n), n+1 {
		if err := os.Mkdir(name, 0o755); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// These keep a run out of a folder.
var (
	ErrOtherPlan  = errors.New("the folder holds a run of another plan")
	ErrOtherBuild = errors.New("the folder holds a run by another build or in another environment")
	ErrInUse      = errors.New("another run is being measured into the folder")
)
