package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		measured, err := hasCell(dir, c.Name)
		if err != nil {
			return nil, err
		}
		progress(i, len(cells), c, measured)
		if measured {
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
	return saveCell(dir, c.Name, append(append(env[:len(env):len(env)], before...), load("after")...), series)
}

// openRun makes dir ready for the cells of a plan and returns the description
// of the run: of the one that began it, if it is resumed.
func openRun(dir string, p *Plan, cells []Cell, notes []Param) ([]Param, error) {
	plan := p.fingerprint()
	var order []string
	for _, c := range cells {
		order = append(order, c.Name)
	}
	env, err := loadRun(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := refuseStray(dir, order); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		env = append(append(Environment(), notes...),
			Param{"seed", fmt.Sprint(p.Seed)}, Param{"rounds", fmt.Sprint(p.Rounds)},
			Param{"plan", plan}, Param{"order", strings.Join(order, " ")})
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

// hasCell reports whether dir holds a cell, and that it can be read.
func hasCell(dir, name string) (bool, error) {
	_, err := loadCell(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
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
