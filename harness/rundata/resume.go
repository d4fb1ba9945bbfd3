package rundata

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Begun is a run of a plan that has not been finished.
type Begun struct {
	// Dir is the folder of its data.
	Dir string
	// Changed lists the conditions that have changed since it began: see the function Changed. If it has any, the run
	// cannot go on.
	Changed []string

	at time.Time // when it began
}

// Unfinished returns the unfinished runs of a plan, by its fingerprint, in the folders that match a pattern (see
// filepath.Glob), the latest first. It leaves out merged runs, and runs that another process is measuring.
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

// inUse reports whether a run is being measured into a folder.
func inUse(dir string) bool {
	release, err := Hold(dir)
	if err == nil {
		release()
	}
	return errors.Is(err, ErrInUse)
}

// CheckPlan returns ErrOtherPlan if dir holds a run of another plan than that with a fingerprint, or data and nothing
// that says of what run: they are not to be taken for those of a run that begins.
func CheckPlan(dir, plan string) error {
	env, err := LoadRun(dir)
	switch {
	case err == nil && Get(env, "plan") != plan:
		return fmt.Errorf("%w: %s was made by: %s", ErrOtherPlan, dir, Get(env, "command"))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if found, _ := BlockFiles(dir); len(found) > 0 {
		return fmt.Errorf("%w: %s has %s, and no %s that says of what plan", ErrOtherPlan, dir, filepath.Base(found[0]), RunName)
	}
	return nil
}

// SetAside makes room in dir for a run of the plan with a fingerprint. If dir holds one, finished or not, by
// another build or in another environment, SetAside moves the whole folder to one beside it. It returns the
// new path, "" if nothing moved, and what has changed (see Changed).
func SetAside(dir, plan string) (to string, changed []string, err error) {
	release, err := Hold(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	defer release()
	env, err := LoadRun(dir)
	if err != nil || Get(env, "plan") != plan {
		return "", nil, nil // which is for Run to say
	}
	if changed = Changed(env); len(changed) == 0 {
		return "", nil, nil
	}
	beside, err := NewFolder(filepath.Join(filepath.Dir(dir), "old"))
	if err != nil {
		return "", nil, err
	}
	to = filepath.Join(beside, filepath.Base(dir))
	return to, changed, os.Rename(dir, to)
}

// NewFolder makes a folder that was not there before, and those above it, and returns its path: the one given, or else
// with -2 after it, or -3 and so on. No other process gets the same one.
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

var (
	// ErrOtherPlan means that a folder holds a run of another plan.
	ErrOtherPlan = errors.New("the folder holds a run of another plan")
	// ErrOtherBuild means that a folder holds a run of the plan by another build or environment. SetAside makes room.
	ErrOtherBuild = errors.New("the folder holds a run by another build or in another environment")
	// ErrInUse means that another run is being measured into a folder.
	ErrInUse = errors.New("another run is being measured into the folder")
)
