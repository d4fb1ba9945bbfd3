package revision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
)

// Sides are the names of the old and the new, as of their folders.
var Sides = [2]string{"old", "new"}

// Process is one of those that take turns.
type Process struct {
	// Pair is the pair that it is one of, and Side which of the two.
	Pair, Side int
	// Dir is the folder of its run.
	Dir string
}

// Turns is a measurement by processes that take turns.
type Turns struct {
	// Out is the folder for the runs of all processes, and Pairs how many pairs there are.
	Out   string
	Pairs int
	// About describes what is measured, a line for each thing. A folder with another text is refused.
	About string
	// Run measures one process into its folder.
	Run func(context.Context, Process) error
	// Progress is called for each process before it runs, with done behind it.
	Progress func(done, total int, p Process)
}

// processes lists the processes of all pairs. By turns the old or the new one comes first, which favours neither.
func (t Turns) processes() (list []Process) {
	for pair := range t.Pairs {
		for i := range Sides {
			side := (i + pair) % len(Sides)
			list = append(list, Process{pair, side, filepath.Join(t.Out, fmt.Sprintf("%s-%d", Sides[side], pair+1))})
		}
	}
	return list
}

// Dirs returns the folders of the runs of a side, pair by pair.
func (t Turns) Dirs(side int) []string {
	own := lists.Only(t.processes(), func(p Process) bool { return p.Side == side })
	return lists.Each(own, func(p Process) string { return p.Dir })
}

// ErrOther means that a folder holds something else.
var ErrOther = errors.New("the folder holds something else")

const aboutName = "about.txt"

// Measure runs the processes that the folder does not hold yet, and returns what those of each side have measured, pair
// by pair. One that was interrupted is measured anew. data says where in the folder of a run its measurements are.
func (t Turns) Measure(ctx context.Context, data string) (found [2][]*rundata.Data, err error) {
	if err := t.open(); err != nil {
		return found, err
	}
	list := t.processes()
	for i, p := range list {
		from := filepath.Join(p.Dir, data)
		d, err := rundata.Load(from)
		if err != nil || !d.Complete {
			t.Progress(i, len(list), p)
			if err := os.RemoveAll(p.Dir); err != nil {
				return found, err
			}
			if err := t.Run(ctx, p); err != nil {
				return found, err
			}
			if d, err = rundata.Load(from); err != nil {
				return found, fmt.Errorf("what %s has measured cannot be read: %w", Sides[p.Side], err)
			}
		}
		found[p.Side] = append(found[p.Side], d)
	}
	return found, nil
}

// open checks that the folder is of the same measurement, or of none yet. It makes a folder that is not there.
func (t Turns) open() error {
	if err := Check(t.Out); err != nil {
		return err
	}
	path := filepath.Join(t.Out, aboutName)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(t.Out, 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(t.About), 0o644)
	case err == nil && string(text) != t.About:
		return fmt.Errorf("%w: %s says\n%sthis comparison is\n%s", ErrOther, path, text, strings.TrimSuffix(t.About, "\n"))
	}
	return err
}

// Check returns ErrOther if a folder holds something else than a measurement.
func Check(out string) error {
	inside, _ := os.ReadDir(out)
	if len(inside) > 0 && !slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return e.Name() == aboutName }) {
		return fmt.Errorf("%w: there is no %s in %s", ErrOther, aboutName, out)
	}
	return nil
}

// Command returns what runs builds, each with the arguments and --out. Their output is in a file beside the folder.
func Command(builds [2]Build, args []string) func(context.Context, Process) error {
	return func(ctx context.Context, p Process) error {
		log, err := os.Create(p.Dir + ".log")
		if err != nil {
			return err
		}
		defer log.Close()
		b := builds[p.Side]
		cmd := exec.CommandContext(ctx, b.Path, slices.Concat(args, []string{"--out", p.Dir})...)
		cmd.Stdout, cmd.Stderr = log, log
		if err := blocks.NewProcess(cmd).Run(ctx); err != nil {
			return cmp.Or(ctx.Err(), fmt.Errorf("%s: %w", b.Commit, err))
		}
		return nil
	}
}
