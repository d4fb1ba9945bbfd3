package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
	"schedbench/internal/compare"
	"schedbench/internal/compare/revision"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/words"
)

// revFlags are those of a comparison of a revision with the working tree.
type revFlags struct {
	Rev       string `help:"Compare the working tree of this checkout with a revision of it: both are built and measured, in processes that take turns." placeholder:"REV" group:"With --rev"`
	Pairs     int    `help:"How many pairs of processes, 10 by default. Each pair is one block." placeholder:"N" group:"With --rev"`
	Out       folder `help:"Folder for the runs of the processes; one that holds some of them goes on. By default a new one under results." placeholder:"DIR" group:"With --rev"`
	planFlags `group:"With --rev, what each process measures: by default costs with 1k and 100k pending"`
}

// fewPairs is the number of pairs that makes a difference of 10 % significant in most cells with 1k pending.
const fewPairs = 10

// ofProcess sets what a process measures by default: little, since there are many processes.
func (f *revFlags) ofProcess() {
	if len(f.Experiments) == 0 {
		f.Experiments = []string{strings.ToLower(rundata.Cost)}
	}
	if len(f.Pending) == 0 && !f.Quick && !f.Full && f.planFlags.noEffect("pending") == "" {
		f.Pending = []number{1_000, 100_000}
	}
	if f.Blocks == nil && f.Budget == 0 {
		f.Blocks = new(2)
	}
	if f.Pairs == 0 {
		f.Pairs = fewPairs
	}
}

var errSameProgram = errors.New("the same program")

// measured measures a revision and the working tree, and compares them.
func (c *compareCmd) measured(con *console, terms compare.Terms) error {
	if len(con.Contestants) > 0 {
		return errors.New("--rev builds the command bench of this module, which does not know the contestants of this program")
	}
	found, lines, err := c.measureBoth(con, &terms)
	switch {
	case errors.Is(err, errSameProgram):
		_, err := fmt.Fprintf(c.beside(con), "%s and the working tree are the same program: nothing to measure.\n", c.Rev)
		if c.JSON {
			err = errors.Join(err, (&compare.Result{Margin: terms.Margin, OneMachine: true}).WriteJSON(con.out))
		}
		return err
	case con.ctx.Err() != nil:
		kept := "interrupted"
		if c.Out != "" {
			kept = fmt.Sprintf("interrupted: what was measured is kept in %s; the same command with --out %s goes on from there", c.Out, c.Out)
		}
		return interruption(kept)
	case errors.Is(err, revision.ErrOther):
		return fmt.Errorf("--out: %w\nrepeat its flags and code, or choose another folder", err)
	case err != nil:
		return err
	}
	result, err := compare.Processes(found[0], found[1], terms)
	if err != nil {
		return fmt.Errorf("%w: %s and the working tree have no series in common%s", err, c.Rev, c.matching())
	}
	answer := c.write(con.out, append(lines, compare.Heading(found[0][0], found[1][0])...), result)
	if !c.JSON && !c.Tables {
		(&text.Page{W: con.out}).Labelled("NEXT", fmt.Sprintf(
			"The same command with --out %s --tables prints all series; with --pairs %d instead of --tables it adds %s.",
			c.Out, 2*c.Pairs, words.Many(c.Pairs, "pair")))
	}
	return answer
}

// measureBoth returns the measurements of pairs of processes, and remarks. It adds the untouched schedulers to the terms.
func (c *compareCmd) measureBoth(con *console, terms *compare.Terms) (found [2][]*rundata.Data, said []string, err error) {
	c.ofProcess()
	if _, err := c.plan(nil); err != nil { // before anything is built
		return found, nil, err
	}
	if err := revision.Check(string(c.Out)); err != nil {
		return found, nil, err
	}
	checkout, err := revision.Find(con.ctx, ".", c.Rev)
	if err != nil {
		return found, nil, err
	}
	if len(checkout.Changed) == 0 {
		return found, nil, errSameProgram
	}
	into, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return found, nil, err
	}
	defer os.RemoveAll(into)
	fmt.Fprintf(con.err, "building %s and the working tree\n", c.Rev)
	builds, err := checkout.BuildBoth(con.ctx, into)
	if err != nil {
		return found, nil, err
	}
	if builds[0].Identity == builds[1].Identity {
		return found, nil, errSameProgram
	}
	if said, err = unchanged(con.ctx, checkout, terms); err != nil {
		return found, nil, err
	}
	if c.Out == "" {
		dir, err := newFolder("compare")
		if err != nil {
			return found, nil, err
		}
		c.Out = folder(dir)
	}
	turns, err := c.turns(con, builds)
	if err != nil {
		return found, nil, err
	}
	progress := newProgress(con.err)
	begun, before := time.Now(), -1 // before: processes that an earlier command measured
	turns.Progress = func(done, total int, p revision.Process) {
		name := fmt.Sprintf("pair %d, %s", p.Pair+1, sides[p.Side])
		if before < 0 {
			begun, before = time.Now(), done
		} else {
			name += fmt.Sprintf(", %v to go", round(time.Since(begun)/time.Duration(done-before)*time.Duration(total-done)))
		}
		progress.step(name, done, total)
	}
	found, err = turns.Measure(con.ctx, dataDir)
	progress.end()
	if err != nil {
		return found, nil, err
	}
	return found, append(said, mergeSides(turns)...), nil
}

// unchanged adds to the terms the contestants that no changed file touches, and says whether what measures differs.
func unchanged(ctx context.Context, checkout revision.Checkout, terms *compare.Terms) (said []string, err error) {
	same, err := checkout.Untouched(ctx, catalog.Schedulers())
	if err != nil {
		return nil, err
	}
	if len(checkout.In("catalog")) == 0 { // it has container/heap
		same = append(same, catalog.ContainerHeap)
	}
	terms.Untouched = func(impl string) bool { return slices.Contains(same, impl) }
	if measuring := checkout.Measuring(); len(measuring) > 0 {
		said = append(said, fmt.Sprintf("What measures differs too (%s): a cell of one name may not hold the same.", words.Few(3, measuring)))
	}
	return said, nil
}

// turns returns the measurement of two builds, and prints its plan. It uses flags that both builds know.
func (c *compareCmd) turns(con *console, builds [2]revision.Build) (t revision.Turns, err error) {
	known, err := builds[0].Flags(con.ctx) // the working tree has those of this program
	if err != nil {
		return t, err
	}
	args := append(c.args(), "--data-only") // charts take longer than the measurements
	for _, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); !slices.Contains(known, name) {
			return t, fmt.Errorf("%s does not know %s, which both are to be measured with", c.Rev, name)
		}
	}
	about := fmt.Sprintf("old: %s, %s\nnew: %s, %s\neach: bench %s\n",
		builds[0].Commit, builds[0].Identity, builds[1].Commit, builds[1].Identity, strings.Join(args, " "))
	fmt.Fprintf(c.beside(con), "OLD is %s (%s), NEW the working tree: %s of processes; their runs go to %s\n",
		c.Rev, builds[0].Commit[:min(12, len(builds[0].Commit))], words.Many(c.Pairs, "pair"), c.Out)
	return revision.Turns{Out: string(c.Out), Pairs: c.Pairs, About: about, Run: revision.Command(builds, args)}, nil
}

// mergeSides merges the processes of each side into one run, or says why they cannot be merged.
func mergeSides(turns revision.Turns) (said []string) {
	for i, side := range revision.Sides {
		parts := lists.Each(turns.Dirs(i), func(dir string) string { return filepath.Join(dir, dataDir) })
		all := filepath.Join(turns.Out, side)
		if err := os.RemoveAll(all); err != nil || len(parts) < 2 { // the old one is of fewer processes
			continue
		}
		if _, _, err := rundata.Merge(filepath.Join(all, dataDir), parts...); err != nil {
			said = append(said, fmt.Sprintf("The processes of %s stay apart: %v.", sides[i], err))
		}
	}
	return said
}

// args returns the flags of a plan that are set, and always the seed, as a command line has them.
func (f *planFlags) args() (args []string) {
	for field, value := range reflect.ValueOf(*f).Fields() {
		unset := value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0
		if !field.IsExported() || field.Tag.Get("kong") == "-" || unset && field.Name != "Seed" {
			continue
		}
		arg := "--" + strings.ToLower(field.Name)
		if value.Kind() != reflect.Bool {
			arg += "=" + shown(value)
		}
		args = append(args, arg)
	}
	return args
}
