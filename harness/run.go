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

	"schedbench/live"
)

var (
	// ErrOtherPlan means that a folder holds a run of another plan.
	ErrOtherPlan = errors.New("the folder holds a run of another plan")
	// ErrOtherBuild means that a folder holds a run of the same plan by another build of
	// the program or in another environment. SetAside makes room.
	ErrOtherBuild = errors.New("the folder holds a run by another build or in another environment")
	// ErrInUse means that another run is being measured into a folder.
	ErrInUse = errors.New("another run is being measured into the folder")
)

// Progress is told of every cell before it runs, with done cells behind it.
// skipped says that the cell had been measured before.
type Progress func(done, total int, cell Cell, skipped bool)

// Run measures the cells of a plan that dir does not hold yet and returns all
// that it then holds. It writes each cell to dir when it is complete; if ctx
// ends, what is complete stays, and a later Run of the same plan, by the same build
// in the same environment, goes on from there: what two builds measured is never
// mixed. notes are added to the description of the run. progress may be nil.
func Run(ctx context.Context, p *Plan, dir string, notes []Param, progress Progress) (*Data, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	cells := p.Cells()
	if len(cells) == 0 {
		return nil, errors.New("the plan has no cell: nothing to measure")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err := hold(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	env, err := openRun(dir, p, cells, notes)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		_, err := loadCell(dir, c.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if progress != nil {
			progress(i, len(cells), c, err == nil)
		}
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

// runCell measures a cell and saves it, with the day on which that was.
func runCell(ctx context.Context, p *Plan, c Cell, dir string, env []Param) error {
	before, start, busy := load("before"), time.Now(), live.WatchOthers()
	series, err := c.run(&session{ctx: ctx, plan: p})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	took := Param{tookKey, time.Since(start).Round(time.Millisecond).String()}
	env = slices.Concat(set(env, today()), before, load("after"), others(busy), []Param{took})
	return saveCell(dir, c.Name, env, series)
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
		env = slices.Concat(Environment(), notes, p.notes(), []Param{{"seed", fmt.Sprint(p.Seed)}, {"blocks", fmt.Sprint(p.Blocks)}, {"rounds", fmt.Sprint(p.Rounds)},
			{"plan", plan}, {"order", strings.Join(order, " ")}})
		return env, saveRun(dir, env, len(cells), false)
	case err != nil:
		return nil, err
	case valueOf(env, "plan") != plan:
		return nil, fmt.Errorf("%w: %s was made by: %s", ErrOtherPlan, dir, valueOf(env, "command"))
	}
	if changed := Changed(Conditions(env), Conditions(Environment())); len(changed) > 0 {
		return nil, fmt.Errorf("%w: in %s %s", ErrOtherBuild, dir, strings.Join(changed, ", "))
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
