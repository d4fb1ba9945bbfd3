package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/live"
)

// sets returns which of n participants are measured together, drawn at random.
func (b Beside) sets(s *Session, cell string, n int) [][]int {
	if b.abreast <= 0 {
		b.abreast = n
	}
	many := max((n+b.abreast-1)/b.abreast, 1)
	all := s.Random(fmt.Sprint(cell, " sets ", s.First)).Perm(n)
	return slices.Collect(slices.Chunk(all, max((n+many-1)/many, 1)))
}

// launchBeside measures a cell whose participants have processes of their own, and puts what they
// measured into one file. A participant whose process died is missing in that.
func (p *Plan) launchBeside(ctx context.Context, o blocks.Order, c Cell) error {
	s := NewSession(ctx, p, o.Block)
	participants, err := c.Make(s)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.Dir, "beside-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	var died error
	for _, set := range c.Beside.sets(s, c.Name, len(participants)) {
		err := p.launchSet(ctx, o, dir, set)
		if err != nil && !errors.Is(err, blocks.ErrDied) {
			return err
		}
		died = errors.Join(died, err)
	}
	took := time.Since(start)
	file := rundata.File{Name: o.Name, First: o.Block, PerBlock: 1, Cells: []rundata.Measured{{Name: c.Name, Took: took}}}
	for i := range participants {
		if found, err := rundata.LoadFile(filepath.Join(dir, fmt.Sprint(i)+rundata.BenchExt)); err == nil { // else its process died
			file.Env = slices.DeleteFunc(found.Env, func(d rundata.Param) bool { return d.Key == rundata.OthersKey }) // which were beside it
			file.Cells[0].Series = append(file.Cells[0].Series, found.Series()...)
		}
	}
	if len(file.Cells[0].Series) == 0 {
		return died
	}
	file.Env = rundata.Set(file.Env, rundata.Took(took, 0, 0)[0]) // and not one of them
	return errors.Join(file.Save(o.Dir), died)
}

// launchSet has the processes of a set of participants measure at the same time.
func (p *Plan) launchSet(ctx context.Context, o blocks.Order, dir string, set []int) error {
	var errs []error
	var running []*blocks.Process
	for _, i := range set {
		own := o
		own.Dir, own.Name, own.Participant = dir, fmt.Sprint(i), i+1
		child := blocks.NewProcess(p.Start(ctx, own))
		err := child.Start()
		if errs = append(errs, err); err == nil {
			running = append(running, child)
		}
	}
	for _, w := range running {
		_, _ = w.Out.ReadString('\n') // it is ready, or its end says why not
	}
	results := make([]error, len(running))
	var all sync.WaitGroup
	for i, w := range running {
		all.Go(func() {
			_, _ = io.WriteString(w.In, "begin\n")
			_, _ = io.Copy(io.Discard, w.Out)
			results[i] = w.Wait(ctx)
		})
	}
	all.Wait()
	return blocks.Gravest(append(errs, results...))
}

// Obey does what an order asks for. Processes that are measured beside others say on out when they are
// ready, and begin at the next line of in.
func Obey(ctx context.Context, p *Plan, o blocks.Order, in io.Reader, out io.Writer) error {
	if o.Contestant != "" {
		return p.helper(o, out)
	}
	if o.Plan != p.Fingerprint() {
		return fmt.Errorf("the order of %s is of another plan", o.Name)
	}
	var cells []Cell
	for _, c := range p.Cells() {
		if slices.Contains(o.Cells, c.Name) {
			cells = append(cells, c)
		}
	}
	if len(cells) != len(o.Cells) {
		return fmt.Errorf("the order of %s has cells that the plan has not", o.Name)
	}
	ready := func() error {
		if _, err := io.WriteString(out, blocks.ReadyLine); err != nil {
			return err
		}
		_, err := bufio.NewReader(in).ReadString('\n')
		return err
	}
	return p.measure(ctx, o, cells, ready)
}

// helper does what a process does that a turn of an experiment starts.
func (p *Plan) helper(o blocks.Order, out io.Writer) error {
	of := slices.IndexFunc(p.Known, func(e Experiment) bool { return e.Name == o.Experiment && e.Helper != nil })
	i := slices.Index(p.names(), o.Contestant)
	if of < 0 || i < 0 {
		return fmt.Errorf("there is no contestant %q, or no process of %q", o.Contestant, o.Experiment)
	}
	return p.Known[of].Helper(out, p.Contestants[i])
}

// leastMemory is how much memory a process touches at least: a heap with garbage grows to several
// times what is pending before it is collected.
const leastMemory = 64 << 20

// memory returns how many bytes a process touches before it measures cells.
func (p *Plan) memory(cells []Cell) int {
	most := lists.Most(cells, func(c Cell) int { return int(c.Memory) })
	if p.Rough {
		return max(leastMemory/64, most)
	}
	return max(leastMemory, most)
}

// measure measures cells of a block and saves them. If ctx ends, those that are complete are saved.
func (p *Plan) measure(ctx context.Context, o blocks.Order, cells []Cell, ready func() error) error {
	before, start, busy := rundata.LoadNow("before"), time.Now(), live.WatchOthers()
	s := NewSession(ctx, p, o.Block)
	s.participant, s.ready, s.GaveUp, s.mostLost = o.Participant-1, ready, o.GaveUp, o.MostLost
	s.FirstTouch = blocks.FaultIn(p.memory(cells))
	file := rundata.File{Name: o.Name, First: o.Block}
	var err error
	for _, c := range cells {
		began := time.Now()
		var series []*rundata.Series
		if series, err = c.Measure(s); err != nil {
			err = fmt.Errorf("%s: %w", c.Name, err)
			break
		}
		if c.Beside != nil {
			file.PerBlock = 1
		}
		file.Cells = append(file.Cells, rundata.Measured{Name: c.Name, Took: time.Since(began), Series: series})
	}
	interrupted := ctx.Err() != nil
	if len(file.Cells) == 0 || err != nil && !interrupted {
		return err
	}
	file.Env = slices.Concat(rundata.Set(o.Env, rundata.Today()), before, rundata.LoadNow("after"), rundata.OthersSince(busy), rundata.Took(time.Since(start), s.used.Kept, s.used.Lost))
	return errors.Join(file.Save(o.Dir), ctx.Err())
}

// launch has a process obey an order, or does so in this process if the plan starts none.
func (p *Plan) launch(ctx context.Context, o blocks.Order, cells []Cell) error {
	if p.Start == nil {
		return p.measure(ctx, o, cells, func() error { return nil })
	}
	return blocks.NewProcess(p.Start(ctx, o)).Run(ctx)
}
