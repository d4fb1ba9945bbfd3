// Command metal says how far from the metal the Go is: it compiles small intrusive timing wheels in C, which folder c
// holds, has them and schedulers of this module do the same to the last timer, and prints the ratios. It needs a C
// compiler; without one it says so and exits with 0.
//
//	go run ./internal/metal                     hierwheel beside a hierarchical wheel in C
//	go run ./internal/metal --contestants hierwheel,roundswheel,heapsched
//
// What is compared is not the same: the price of a contract is meant to show. In C timers lie in the caller's own
// struct. Nothing is allocated or freed, and a pointer is all that names a timer. To cancel one that has gone, and
// whose memory is another's now, breaks the list. In Go an ID is refused once it is stale, memory grows and goes back,
// times are durations and are rounded to ticks, calls go through an interface, and nothing holds pointers for the
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
	From string `help:"Draw and judge again what an earlier run has measured into this folder." placeholder:"DIR" type:"existingdir"`
}

// Run measures, unless that was done before, draws, judges, and prints what comes out.
func (c *command) Run(ctx context.Context, w io.Writer, measure cli.Measure) error {
	data, dir := (*rundata.Data)(nil), c.From
	if dir != "" {
		var err error
		if data, err = rundata.Load(filepath.Join(dir, "data")); err != nil {
			return err
		}
	} else {
		m, done, err := c.measuring(ctx)
		defer done()
		if errors.Is(err, errNoCompiler) {
			_, err = fmt.Fprintf(w, "metal: %v: nothing is measured.\n", err)
			return err
		}
		if err != nil {
			return err
		}
		if data, dir, err = measure(m.plan(), c.Out, commandName); err != nil {
			return err
		}
	}
	return report.Judge(data, report.Options{Chapters: chapters(data)}).Write(w, dir)
}
