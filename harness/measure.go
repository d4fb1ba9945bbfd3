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
	"schedbench/internal/machine"
	"schedbench/internal/quantile"
	"schedbench/live"
)

// sets returns which of n participants of a cell are measured together, drawn at random.
func (s *Session) sets(c Cell, n int) [][]int {
	many := 1
	if c.Abreast > 0 {
		many = max((n+c.Abreast-1)/c.Abreast, 1)
	}
	all := s.Random(fmt.Sprint(c.Name, " sets ", s.First)).Perm(n)
	return slices.Collect(slices.Chunk(all, max((n+many-1)/many, 1)))
}

// launchBeside measures a cell whose participants have processes of their own, and puts what they measured into one
// file. A participant whose process died is missing in that.
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
	if c.Experiment != rundata.Idle { // an idle cell would measure the wake-ups of WatchStalls
		stalls, err := os.Create(filepath.Join(dir, stallsName))
		if err != nil {
			return err
		}
		defer stalls.Close()
		defer live.WatchStalls(stalls)()
	}
	start := time.Now()
	var died error
	for _, set := range s.sets(c, len(participants)) {
		err := p.start(ctx, lists.Each(set, func(i int) blocks.Order {
			own := o
			own.Dir, own.Name, own.Participant = dir, fmt.Sprintf("%03d", i), i+1
			return own
		})...)
		if err != nil && !errors.Is(err, blocks.ErrDied) {
			return err
		}
		died = errors.Join(died, err)
	}
	took := time.Since(start)
	file := rundata.File{Name: o.Name, First: o.Block, PerBlock: 1, Cells: []rundata.Measured{{Name: c.Name, Took: took}}}
	measured, err := rundata.LoadFiles(dir)
	if err != nil || len(measured) == 0 {
		return errors.Join(err, died)
	}
	for _, m := range measured {
		file.Env = slices.DeleteFunc(m.Env, func(d rundata.Param) bool { return d.Key == rundata.OthersKey }) // which were beside it
		file.Cells[0].Series = append(file.Cells[0].Series, m.Series()...)
	}
	file.Env = rundata.Set(file.Env, rundata.Took(took)) // and not one of them
	return errors.Join(file.Save(o.Dir), died)
}

// stallsName is the file in which the processes of a cell find when the machine stalled.
const stallsName = "stalls"

// start has processes measure at the same time, each by an order, and waits for their ends.
func (p *Plan) start(ctx context.Context, orders ...blocks.Order) error {
	results := make([]error, len(orders))
	var ready, all sync.WaitGroup
	ready.Add(len(orders))
	for i, o := range orders {
		child := blocks.NewProcess(p.Start(ctx, o))
		all.Go(func() {
			err := child.Start()
			if err == nil {
				_, _ = child.Out.ReadString('\n') // it is ready, or its end says why not
			}
			ready.Done()
			ready.Wait()
			if err == nil {
				_, _ = io.WriteString(child.In, "begin\n")
				err = child.Wait(ctx)
			}
			results[i] = err
		})
	}
	all.Wait()
	return blocks.Gravest(results)
}

// Obey does what an order asks for. A process beside others says on out that it is ready, and begins at the next line of in.
func Obey(ctx context.Context, p *Plan, o blocks.Order, in io.Reader, out io.Writer) error {
	if o.Plan != p.Fingerprint() {
		return fmt.Errorf("the order of %s is of another plan", o.Name)
	}
	cells := slices.DeleteFunc(p.Cells(), func(c Cell) bool { return !slices.Contains(o.Cells, c.Name) })
	if len(cells) != len(o.Cells) {
		return fmt.Errorf("the order of %s has cells that are not in the plan", o.Name)
	}
	return p.measure(ctx, o, cells, func() error {
		if _, err := io.WriteString(out, "ready\n"); err != nil {
			return err
		}
		_, err := bufio.NewReader(in).ReadString('\n')
		return err
	})
}

// leastMemory is how much memory a process touches at least: a heap grows to several times what is pending.
const leastMemory = 64 << 20

func (p *Plan) memory(cells []Cell) int {
	least := leastMemory
	if p.Rough {
		least /= 64
	}
	return max(least, lists.Most(cells, func(c Cell) int { return int(c.Memory) }))
}

// within returns how many bytes to touch, and AtOnce of the session (0 is the usual limit). left is the available
// memory. If the populations would take more than half of left, participants build them one after another.
func within(bytes int, left float64) (touch, atOnce int) {
	if 2*float64(bytes) > left {
		return min(bytes, leastMemory), lessAtOnce
	}
	return bytes, 0
}

// measure measures cells of a block and saves them. If ctx ends, those that are complete are saved. ready: see
// Session.
func (p *Plan) measure(ctx context.Context, o blocks.Order, cells []Cell, ready func() error) error {
	around := rundata.WatchMachine()
	s := NewSession(ctx, p, o.Block)
	s.participant, s.ready, s.GaveUp = o.Participant, ready, o.GaveUp
	s.stalls = filepath.Join(o.Dir, stallsName)
	memory := p.memory(cells)
	if left, limited := machine.Available(); limited {
		memory, s.AtOnce = within(memory, left)
	}
	s.FirstTouch = blocks.FaultIn(memory)
	file := rundata.File{Name: o.Name, First: o.Block}
	var err error
	for _, c := range cells {
		began := time.Now()
		var series []*rundata.Series
		if series, err = c.Measure(s); err != nil {
			err = fmt.Errorf("%s: %w", c.Name, err)
			break
		}
		if c.ParallelBlocks > 0 {
			file.PerBlock = 1
		}
		file.Cells = append(file.Cells, rundata.Measured{Name: c.Name, Took: time.Since(began), Series: series})
	}
	interrupted := ctx.Err() != nil
	if len(file.Cells) == 0 || err != nil && !interrupted {
		return err
	}
	file.Env = slices.Concat(rundata.Set(o.Env, rundata.Today()), around())
	return errors.Join(file.Save(o.Dir), ctx.Err())
}

// launch has cells measured by an order: by processes, or in this one if the plan starts none.
func (p *Plan) launch(ctx context.Context, o blocks.Order, cells []Cell) error {
	switch {
	case p.Start == nil:
		return p.measure(ctx, o, cells, nil)
	case cells[0].ParallelBlocks > 0:
		return p.launchBeside(ctx, o, cells[0])
	}
	return p.start(ctx, o)
}

// AddOutcome returns the figures of a round's timers and adds their lateness to the series. counts reports which timers
// count for lateness; nil counts all. Early timers always count. AddOutcome sets aside the timers that fired during a
// stall, and returns their number as HeldUp.
func (s *Session) AddOutcome(series *rundata.Series, out *live.Outcome, counts func(timer int32) bool) (rundata.Values, error) {
	stalls, err := live.StallsIn(s.stalls)
	if err != nil {
		return nil, err
	}
	calm, heldUp := out.Calm(stalls)
	values := rundata.Values{
		rundata.Fired: float64(out.Fired), rundata.Early: float64(out.Early), rundata.Lost: float64(out.Lost), rundata.Doubled: float64(out.Doubled),
		rundata.HeldUp: float64(heldUp),
	}
	if series.Late == nil {
		series.Late, series.Early = rundata.NewHistogram(), rundata.NewHistogram()
	}
	round := rundata.NewHistogram()
	for _, f := range out.Firings {
		switch late := f.Late(); {
		case late < 0:
			rundata.Record(series.Early, -late)
		case (counts == nil || counts(f.Timer)) && calm(f):
			rundata.Record(round, late)
		}
	}
	series.Late.Merge(round)
	for unit, share := range map[string]float64{rundata.P50Late: 0.5, rundata.P90Late: 0.9, rundata.P99Late: 0.99, rundata.MaxLate: 1} {
		values[unit] = float64(quantile.Of(round, share))
	}
	return values, nil
}
