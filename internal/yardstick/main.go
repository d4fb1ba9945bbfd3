// Command yardstick says how far from the metal the Go is: it compiles small intrusive
// timing wheels in C, which folder c holds, has them and schedulers of this module do the
// same to the last timer, in fresh processes that take turns, and prints the ratios. It
// needs a C compiler; without one it says so and exits with 0.
//
//	go run ./internal/yardstick                     hierwheel beside a hierarchical wheel in C
//	go run ./internal/yardstick --contestants hierwheel,roundswheel,heapsched
//	go run ./internal/yardstick --publish results   writes yardstick.bench and a section of README.md there
//
// What is compared is not the same: the price of a contract is meant to show. In C timers
// lie in the caller's own struct. Nothing is allocated or freed, and a pointer is all that
// names a timer. To cancel one that has gone, and whose memory is another's now,
// breaks the list. In Go an ID is refused once it is stale, memory grows and goes back,
// times are durations and are rounded to ticks, calls go through an interface, and nothing
// holds pointers for the collector. The C is compiled for the processor at hand, Go for all
// of its kind.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// yardstickCLI is the command line.
type yardstickCLI struct {
	Measure measureCmd `cmd:"" default:"withargs" help:"Measure Go beside C. This is the default."`
	Play    playCmd    `cmd:"" hidden:"" help:"Be the process that does an exercise in Go."`
}

// terminal is where a command writes to.
type terminal struct {
	ctx      context.Context
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errUsage wraps what is wrong with a command line.
var errUsage = errors.New("wrong usage")

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) (status int) {
	status = -1
	parser := must(kong.New(&yardstickCLI{},
		kong.Name("yardstick"),
		kong.Description("Says how many times as long schedulers in Go take as timing wheels in C."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { status = code }),
	))
	command, err := parser.Parse(args)
	switch {
	case status >= 0: // --help
		return status
	case err != nil:
		err = fmt.Errorf("%w: %w", errUsage, err)
	default:
		err = command.Run(&terminal{ctx, out, errOut})
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNoCompiler):
		fmt.Fprintf(out, "yardstick: %v: nothing is measured.\n", err)
		return 0
	}
	fmt.Fprintf(errOut, "yardstick: %v\n", err)
	switch {
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}
