package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// Step is what a run does next.
type Step struct {
	Name   string        // of the block
	Cells  []string      // that it measures
	Blocks int           // so far
	Left   time.Duration // the expected time of all that is left
	Lost   string        // why the step before left nothing, if its process died
}

// Progress is called before each step of a run.
type Progress func(Step)

// Run measures the blocks of a plan that dir does not hold yet, and returns all that dir then holds. It writes each block
// when it is complete. If ctx ends, complete blocks stay, and a later Run of the same plan, build and environment goes on:
// measurements of two builds are never mixed. A process that dies loses its block. notes are added to the description of
// the run. progress may be nil.
func Run(ctx context.Context, p *Plan, dir string, notes []rundata.Param, progress Progress) (*rundata.Data, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	cells := p.Cells()
	if len(cells) == 0 {
		return nil, errors.New("the plan has no cell: nothing to measure")
	}
	dir, err := filepath.Abs(dir) // processes may have another working directory
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, err
	}
	release, err := rundata.Hold(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	env, err := openRun(dir, p, cells, notes)
	if err != nil {
		return nil, err
	}
	parts, err := rundata.LoadFiles(dir)
	if err != nil {
		return nil, err
	}
	r := &run{dir: dir, env: env, progress: progress, schedule: newSchedule(p, cells)}
	for _, have := range parts {
		r.learn(have)
		r.spent += rundata.SystemLoadOf(have.Env).Took
	}
	if err := r.measure(ctx); err != nil {
		return nil, err
	}
	if err := rundata.SaveRun(dir, r.env, true); err != nil {
		return nil, err
	}
	return rundata.Load(dir)
}

type run struct {
	dir      string
	env      []rundata.Param
	progress Progress
	schedule
	died int // processes in a row
}

// MostDied is how many processes may die in a row before a run gives up.
const MostDied = 3

// measure measures one block after another until none is left.
func (r *run) measure(ctx context.Context) error {
	lost := ""
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells, left := r.next()
		if len(cells) == 0 {
			return nil
		}
		o := r.order(cells)
		if r.progress != nil {
			r.progress(Step{Name: o.Name, Cells: o.Cells, Blocks: r.files, Left: left, Lost: lost})
		}
		start := time.Now()
		err := r.plan.launch(ctx, o, cells)
		r.spent += time.Since(start)
		lost = ""
		if errors.Is(err, blocks.ErrDied) {
			lost = fmt.Sprintf("%s: %v", o.Name, err)
			if err := r.lose(lost); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
		found, err := rundata.LoadFile(filepath.Join(o.Dir, o.Name+rundata.BenchExt))
		if err == nil {
			r.died = 0
			r.learn(found)
		} else if lost == "" {
			return err
		}
	}
}

// lose notes that the process of a block died. It returns an error if too many have.
func (r *run) lose(what string) error {
	r.env = append(r.env, rundata.Param{Key: rundata.LostKey, Value: what})
	if err := rundata.SaveRun(r.dir, r.env, false); err != nil {
		return err
	}
	if r.died++; r.died == MostDied {
		return fmt.Errorf("%d processes in a row: %s", MostDied, what)
	}
	return nil
}

func (r *run) gaveUp() map[string][]string {
	names := map[string][]string{}
	for _, c := range r.cells {
		for _, m := range c.measured {
			for _, s := range m.Series {
				if impl := s.Get("impl"); s.State() == rundata.GaveUp && !slices.Contains(names[c.Name], impl) {
					names[c.Name] = append(names[c.Name], impl)
				}
			}
		}
	}
	return names
}

// order returns the order for one cell that is measured beside others, or for a block with a number that no other has.
func (r *run) order(cells []Cell) blocks.Order {
	o := blocks.Order{Plan: r.plan.Fingerprint(), Dir: r.dir, Env: r.env, Steady: map[string]time.Duration{}, GaveUp: r.gaveUp(),
		Cells: lists.Each(cells, func(c Cell) string { return c.Name })}
	for _, w := range r.plan.Profiles {
		o.Steady[w.Name] = w.Steady
	}
	if cells[0].ParallelBlocks > 0 {
		o.Block = r.cell(cells[0].Name).blocks
		o.Name = cells[0].Name
		if o.Block > 0 {
			o.Name = fmt.Sprintf("%s-%d", o.Name, o.Block)
		}
		return o
	}
	o.Block = r.block
	o.Name = fmt.Sprintf("block-%02d", o.Block)
	return o
}

// openRun makes dir ready for the blocks of a plan. It returns the description of the run that was begun first.
func openRun(dir string, p *Plan, cells []Cell, notes []rundata.Param) ([]rundata.Param, error) {
	plan := p.Fingerprint()
	env, err := rundata.CheckPlan(dir, plan)
	if err != nil || env != nil {
		return slices.DeleteFunc(env, func(p rundata.Param) bool { return p.Key == rundata.CompleteKey }), err
	}
	order := lists.Each(cells, func(c Cell) string { return c.Name })
	env = slices.Concat(rundata.Environment(), notes, p.notes(), []rundata.Param{{Key: "seed", Value: fmt.Sprint(p.Seed)}, {Key: "blocks", Value: fmt.Sprint(p.Blocks)}, {Key: "rounds", Value: fmt.Sprint(p.Rounds)},
		{Key: "plan", Value: plan}, {Key: "order", Value: strings.Join(order, " ")}})
	if p.Blocks == 0 {
		env = rundata.Set(env, rundata.Param{Key: "budget", Value: p.Budget.String()})
	}
	return env, rundata.SaveRun(dir, env, false)
}
