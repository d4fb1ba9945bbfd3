package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/report"
	"schedbench/internal/report/text"
)

// Program is the command line with a program's own contestants and commands.
type Program struct {
	Contestants []harness.Contestant // they join those of the catalog in every command; their names must be new
	Commands    []Command            // they join those of this package; their names must be new

	processes bool   // processes of the program measure blocks
	rough     bool   // for tests, which measure and draw in less time: see harness.Plan
	called    string // how a user calls the program; "" is bench
}

// Command is a program's own command.
type Command struct {
	Name, Help string
	// Flags is a pointer to a struct with the flags and arguments, in the form of package kong, and a method Run that
	// returns an error. Run may take a context.Context, which ends when the program is interrupted, an io.Writer for its
	// output, and a Measure.
	Flags any
}

// Measure measures a plan as bench does. It prints the plan, resumes an earlier run, and writes into the folder out, or into
// a new one under results, named after kind. It returns the folder. A command named kind shows its data with --from.
type Measure func(plan *harness.Plan, out, kind string) (data *rundata.Data, dir string, err error)

// Main runs the command line of the process and ends the process.
func (p Program) Main() {
	p.processes, p.called = true, invocation(os.Args[0])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	os.Exit(p.run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Main runs a program that has this command only, and ends the process. Its users need not name the command.
func (c Command) Main() {
	if len(os.Args) < 2 || os.Args[1] != c.Name {
		os.Args = slices.Insert(os.Args, 1, c.Name)
	}
	Program{Commands: []Command{c}}.Main()
}

// Folders are flags of a command that measures cells of its own, and shows an earlier run again.
type Folders struct {
	Out  string `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From string `help:"Folder of an earlier run: draw and judge it again, measure nothing." placeholder:"DIR" type:"existingdir"`
}

// Show draws, judges and prints the run in From, or without From what measured returns. No data and no error show nothing.
func (f Folders) Show(w io.Writer, measured func() (*rundata.Data, string, error), chapters func(*rundata.Data) []report.Chapter) (err error) {
	data, dir := (*rundata.Data)(nil), f.From
	if dir == "" {
		data, dir, err = measured()
	} else {
		data, err = rundata.Load(filepath.Join(dir, dataDir))
	}
	if data == nil || err != nil {
		return err
	}
	return report.Judge(data, report.Options{Chapters: chapters(data)}).Write(w, dir)
}

// options adds the program's own commands to a command line, and binds their arguments.
func (p Program) options(con *console) []kong.Option {
	list := []kong.Option{
		kong.BindTo(con.ctx, (*context.Context)(nil)), kong.BindTo(con.out, (*io.Writer)(nil)),
		kong.Bind(Measure(func(plan *harness.Plan, out, kind string) (*rundata.Data, string, error) {
			return measure(con, plan, folder(out), kind, kind+" --from")
		})),
	}
	return append(list, lists.Each(p.Commands, func(c Command) kong.Option { return kong.DynamicCommand(c.Name, c.Help, "", c.Flags) })...)
}

// invocation returns how a user calls the program, by its first argument: "go run" builds in a folder go-build.
func invocation(arg string) string {
	if strings.Contains(arg, "go-build") {
		if info, ok := debug.ReadBuildInfo(); ok && strings.Contains(info.Path, "/") {
			return "go run " + info.Path
		}
		return "go run ."
	}
	return typed(arg)
}

// commandWriter writes commands as a user types them.
type commandWriter struct {
	w      io.Writer
	called string
}

func (c commandWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.w, text.Called(string(p), c.called))
	return len(p), err
}
