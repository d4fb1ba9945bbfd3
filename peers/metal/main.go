// Command metal compares schedulers in Go with small intrusive timing wheels in C. It compiles the C of folder c, has both do
// the same to the last timer, and prints the ratios. Without a C compiler it says so and exits with 0.
//
//	go run ./metal                     hierwheel beside a hierarchical wheel in C
//	go run ./metal --contestants hierwheel,roundswheel,heapsched
//
// The ratio is the price of a contract. In C timers lie in the caller's own struct: nothing is allocated or freed, a pointer
// names a timer, and to cancel a timer whose memory is another's now breaks the list. In Go a stale ID is refused, memory
// grows and goes back, durations are rounded to ticks, calls go through an interface, and nothing holds pointers for the
// collector. The C is compiled for the processor at hand, Go for all of its kind.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"schedbench/cli"
	"schedbench/harness/rundata"
	"schedbench/internal/report"
)

const commandName = "metal" // the one command of this program, which need not be named

func main() {
	if len(os.Args) < 2 || os.Args[1] != commandName {
		os.Args = slices.Insert(os.Args, 1, commandName)
	}
	cli.Program{Commands: []cli.Command{{Name: commandName, Flags: &command{}, Help: "Measure schedulers in Go beside timing wheels in C."}}}.Main()
}

type command struct {
	sizes
	Out  string `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From string `help:"Folder of an earlier run: draw and judge it again, measure nothing." placeholder:"DIR" type:"existingdir"`
}

// Run measures, or with --from loads what was measured, draws, judges, and prints what comes out.
func (c *command) Run(ctx context.Context, w io.Writer, measure cli.Measure) (err error) {
	data, dir := (*rundata.Data)(nil), c.From
	if dir != "" {
		data, err = rundata.Load(filepath.Join(dir, "data"))
	} else if m, wrong := c.measuring(ctx); errors.Is(wrong, errNoCompiler) {
		_, err = fmt.Fprintf(w, "metal: %v: nothing is measured.\n", wrong)
		return err
	} else {
		defer os.RemoveAll(m.scratch)
		if err = wrong; err == nil {
			data, dir, err = measure(m.plan(), c.Out, commandName)
		}
	}
	if err != nil {
		return err
	}
	return report.Judge(data, report.Options{Chapters: chapters(data)}).Write(w, dir)
}
