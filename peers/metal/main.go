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

	"schedbench/cli"
	"schedbench/harness/rundata"
)

const commandName = "metal" // the one command of this program, which need not be named

func main() {
	cli.Command{Name: commandName, Flags: &command{}, Help: "Measure schedulers in Go beside timing wheels in C."}.Main()
}

type command struct {
	sizes
	cli.Folders
}

// Run measures, or takes an earlier run, and shows what comes out.
func (c *command) Run(ctx context.Context, w io.Writer, measure cli.Measure) error {
	return c.Show(w, func() (*rundata.Data, string, error) {
		m, err := c.measuring(ctx)
		if errors.Is(err, errNoCompiler) {
			_, err = fmt.Fprintf(w, "metal: %v: nothing is measured.\n", err)
			return nil, "", err
		}
		defer os.RemoveAll(m.scratch)
		if err != nil {
			return nil, "", err
		}
		return measure(m.plan(), c.Out, commandName)
	}, chapters)
}
