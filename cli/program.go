package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"schedbench/harness"
)

// Program is the command line with what a program has of its own.
type Program struct {
	// Contestants take part in every command beside those of the catalog, under names that
	// none of these has.
	Contestants []harness.Contestant
	// Commands stand beside those of this package, under names that none of these has.
	Commands []Command
}

// Command is a command of a program's own.
type Command struct {
	Name, Help string
	// Flags is a pointer to a struct with the flags and arguments, in the form of package
	// kong, and a method Run that may take a context.Context, which ends when the program
	// is interrupted, and an io.Writer for what it prints, and returns an error.
	Flags any
}

// Main runs the command line of the process and ends the process.
func (p Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	os.Exit(p.run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options adds the program's own commands to a command line, and binds what they take.
func (p Program) options(ctx context.Context, out io.Writer) []kong.Option {
	list := []kong.Option{kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(out, (*io.Writer)(nil))}
	for _, c := range p.Commands {
		list = append(list, kong.DynamicCommand(c.Name, c.Help, "", c.Flags))
	}
	return list
}
