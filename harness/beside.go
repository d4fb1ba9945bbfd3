package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// beside says that the participants of a cell are measured at the same time, each in a process of
// its own. What they do takes little of the machine, so that they do not disturb each other, and
// what the machine does meanwhile is the same for all.
type beside struct {
	// abreast is how many there are at a time; 0 is all of them.
	abreast int
	// blocks is how many blocks each process measures.
	blocks int
}

// sets returns which of n participants are measured together, drawn at random.
func (b beside) sets(s *session, cell string, n int) [][]int {
	if b.abreast <= 0 {
		b.abreast = n
	}
	many := max((n+b.abreast-1)/b.abreast, 1)
	all := s.random(fmt.Sprint(cell, " sets ", s.first)).Perm(n)
	return slices.Collect(slices.Chunk(all, max((n+many-1)/many, 1)))
}

// launchBeside measures a cell whose participants have processes of their own, and puts what they
// measured into one file. A participant whose process died is missing in that.
func (p *Plan) launchBeside(ctx context.Context, o Order, c Cell) error {
	s := newSession(ctx, p, o.Block)
	participants, err := c.of(s)
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
	for _, set := range c.beside.sets(s, c.Name, len(participants)) {
		err := p.launchSet(ctx, o, dir, set)
		if err != nil && !errors.Is(err, errDied) {
			return err
		}
		died = errors.Join(died, err)
	}
	took := time.Since(start)
	file := blockFile{name: o.Name, first: o.Block, perBlock: 1, cells: []measured{{name: c.Name, took: took}}}
	for i := range participants {
		if found, err := loadPart(filepath.Join(dir, fmt.Sprint(i)+benchExt)); err == nil { // else its process died
			file.env = slices.DeleteFunc(found.env, func(d Param) bool { return d.Key == othersKey }) // which were beside it
			file.cells[0].series = append(file.cells[0].series, found.series()...)
		}
	}
	if len(file.cells[0].series) == 0 {
		return died
	}
	file.env = set(file.env, Param{tookKey, took.Round(time.Millisecond).String()}) // and not one of them
	return errors.Join(file.save(o.Dir), died)
}

// launchSet has the processes of a set of participants measure at the same time.
func (p *Plan) launchSet(ctx context.Context, o Order, dir string, set []int) error {
	var errs []error
	var running []*waiting
	for _, i := range set {
		own := o
		own.Dir, own.Name, own.Participant = dir, fmt.Sprint(i), i+1
		w, err := startWaiting(p.Start(ctx, own))
		if errs = append(errs, err); err == nil {
			running = append(running, w)
		}
	}
	for _, w := range running {
		_, _ = w.out.ReadString('\n') // it is ready, or its end says why not
	}
	results := make([]error, len(running))
	var all sync.WaitGroup
	for i, w := range running {
		all.Go(func() {
			_, _ = io.WriteString(w.in, "begin\n")
			_, _ = io.Copy(io.Discard, w.out)
			results[i] = w.outcome(ctx, w.cmd.Wait())
		})
	}
	all.Wait()
	return gravest(append(errs, results...))
}

// gravest returns the first error that is not that of a process that died, or else the first.
func gravest(errs []error) (found error) {
	for _, err := range errs {
		if err != nil && (found == nil || errors.Is(found, errDied) && !errors.Is(err, errDied)) {
			found = err
		}
	}
	return found
}

// waiting is a process that says when it is ready, and then waits for a line.
type waiting struct {
	child
	in  io.WriteCloser
	out *bufio.Reader
}

// startWaiting starts a process that waits.
func startWaiting(cmd *exec.Cmd) (*waiting, error) {
	w := &waiting{child: child{cmd: cmd}}
	w.prepare()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, cmd.Start()
}
