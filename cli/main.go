// Package cli is the command bench as a function. Another program calls Main with its own schedulers, and measures them
// beside all others. Without a command bench measures, draws charts and judges: about three minutes.
//
// # From outside
//
// This module cannot be fetched from an address yet. The go.mod of another module has the path of a checkout:
//
//	require schedbench v0.0.0
//	replace schedbench => ../schedbench
//
// Its contestants have new names. List, run, replay and plot show them beside all others. Verify checks those that have
// New, and tune --explain measures them beside its candidates. The folder examples/ownscheduler is such a program.
//
// # Exit status
//
// It exits with 0 on success, 1 on failure, 2 if the command line or a file that it names is wrong, and
// 130 if it was interrupted. Compare exits with 0 if nothing is worse, 1 if something is,
// 3 if that is unclear, and 2 if there is nothing that can be compared.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/workload"
	"schedbench/workload/trace"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

type cli struct {
	Run       runCmd       `cmd:"" default:"withargs" help:"Measure, draw charts, and print the card. This is the default."`
	Replay    replayCmd    `cmd:"" help:"Replay profiles and traces in virtual time, and check the answers; with --live on the real clock, too."`
	Trace     traceCmd     `cmd:"" help:"Show what traces of timers contain, and convert them."`
	Workloads workloadsCmd `cmd:"" help:"List and describe the workload profiles."`
	List      listCmd      `cmd:"" help:"List contestants, experiments, operations and delay distributions."`
	Plot      plotCmd      `cmd:"" help:"Judge an earlier run again, and draw it."`
	Open      openCmd      `cmd:"" help:"Open the page of a run, report.html, in a browser."`
	Compare   compareCmd   `cmd:"" help:"Compare two runs, or a revision with the working tree: better, the same, worse or unclear."`
	Merge     mergeCmd     `cmd:"" help:"Merge runs of one plan, of several processes or machines of one kind, into one run."`
	Tune      tuneCmd      `cmd:"" help:"Choose the scheduler, the tick and the slots for a workload and its requirements, by measuring."`
	Verify    verifyCmd    `cmd:"" help:"Check every scheduler against the rules of its contract."`
}

// console has the outputs of a command, and how the program was called.
type console struct {
	Program
	ctx      context.Context
	out, err io.Writer
	args     []string
}

// Main runs the command line of the process, with contestants that have new names, and ends the process.
func Main(contestants ...harness.Contestant) { Program{Contestants: contestants}.Main() }

// run executes a command line and returns the exit status.
func (p Program) run(ctx context.Context, args []string, out, errOut io.Writer) (status int) {
	status = -1
	con := &console{p, ctx, out, errOut, args}
	saying := commandWriter{errOut, p.called}
	parser, err := parserOf(&cli{}, commandWriter{out, p.called}, saying, func(code int) { status = code }, p.options(con)...)
	if err == nil {
		err = checkOwn(p.Contestants)
	}
	if err != nil {
		return exitStatus(err, saying)
	}
	command, err := parser.Parse(args)
	if status >= 0 { // --help
		return status
	}
	if err == nil {
		err = cmp.Or(checkLists(command), checkEffects(command))
	}
	if err != nil {
		help := asked(command, err)
		if within, unknown := unknownCommand(parser.Model.Node, args); unknown != nil {
			help, err = within.FullPath(), unknown
		}
		fmt.Fprintf(saying, "bench: %s\nRun \"%s --help\" for usage.\n", plainly.Replace(signed.ReplaceAllString(err.Error(), "$1, want a value that does not begin with -")), help)
		return exitUsage
	}
	return exitStatus(command.Run(con), saying)
}

// plainly replaces messages of the parser by words of users.
var plainly = strings.NewReplacer(
	` value but got "EOL" (<EOL>)`, ", but nothing follows",
	" value but got ", " but got ",
	`missing value, expecting "<arg>,..."`, "no value follows",
	"a valid 64 bit int ", "a whole number ",
	"expected a float but", "expected a number but",
	"a valid 64 bit uint ", "a whole number of at least 0 ",
	`must be one of "",`, "must be ",
	`expected "<files> ..."`, "no file: name a trace",
	"[<dir>]: ", "",
	`expected "<out>"`, "no file to write: name it after the trace",
	`expected "<in> <out>"`, "no files: name a trace, and a file to write",
	`expected "<workload> ..."`, `no workload: name a profile ("bench workloads" lists them) or a trace`,
)

// signed matches the parser's refusal of a value that looks like a flag.
var signed = regexp.MustCompile(`expected .* but got ("[^"]*") \(short flag\).*`)

// parserOf returns a parser that reads a command line into c. It also has further commands.
func parserOf(c *cli, out, errOut io.Writer, exit func(int), further ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(further,
		kong.Name("bench"),
		kong.Description("Measures timer schedulers on this machine, draws charts, and says which scheduler and which tick to take."),
		kong.Writers(out, errOut),
		kong.Exit(exit),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(duration)),
		kong.Vars{"experiments": experimentNames(), "delays": strings.Join(experiments.Delays(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)...)
}

// asked returns the command whose help explains a command line, which may be wrong. It is "bench" if the line names none.
func asked(parsed *kong.Context, err error) string {
	if wrong, is := errors.AsType[*kong.ParseError](err); is {
		parsed = wrong.Context
	}
	if parsed == nil || parsed.Selected() == nil {
		return "bench"
	}
	return parsed.Selected().FullPath()
}

// unknownCommand returns an error if a word of a command line is no command of the node before it, and that node.
func unknownCommand(within *kong.Node, args []string) (*kong.Node, error) {
	for _, word := range args {
		if len(within.Children) == 0 || strings.HasPrefix(word, "-") {
			break
		}
		names := lists.Each(within.Children, func(n *kong.Node) string { return n.Name })
		i := slices.Index(names, word)
		if i < 0 {
			return within, check.Unknown("command", word, names)
		}
		within = within.Children[i]
	}
	return within, nil
}

// checkLists refuses an empty list, such as --pending= of a variable that is not set: it would measure everything.
func checkLists(command *kong.Context) error {
	for _, p := range command.Path {
		if f := p.Flag; f != nil && f.IsSlice() && f.Target.Len() == 0 {
			return fmt.Errorf("--%s is empty, want %s", f.Name, f.FormatPlaceHolder())
		}
	}
	return nil
}

// checkOwn returns an error with all faults of the program's own contestants, such as a name that is taken.
func checkOwn(own []harness.Contestant) error {
	if len(own) == 0 {
		return nil
	}
	err := harness.CheckContestants(own)
	for _, c := range own {
		if taken(c.Name) {
			err = errors.Join(err, fmt.Errorf("contestant name %q, want another: this module has one of that name", c.Name))
		}
	}
	if err != nil {
		return fmt.Errorf("the contestants that this program gives to cli.Main: %w", err)
	}
	return nil
}

// taken reports whether the catalog has a name, ignoring capitals.
func taken(name string) bool {
	return slices.ContainsFunc(catalog.All(), func(c harness.Contestant) bool { return strings.EqualFold(name, c.Name) }) ||
		slices.ContainsFunc(catalog.Systems(), func(s catalog.System) bool { return strings.EqualFold(name, s.Name) })
}

// errUsage marks errors of the user.
var errUsage = errors.New("")

// usageError returns err as an error of the user.
func usageError(err error) error { return fmt.Errorf("%w%w", errUsage, err) }

// absent makes the error of a missing file a usage error.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError(err)
	}
	return err
}

// interruption is the error of a command that was interrupted. It is context.Canceled, in words of its own.
type interruption string

func (i interruption) Error() string { return string(i) }

// Is makes it context.Canceled for errors.Is.
func (i interruption) Is(target error) bool { return target == context.Canceled }

// answered is the exit status of a command that has printed its answer.
type answered int

func (a answered) Error() string { return fmt.Sprintf("exit status %d", int(a)) }

// exitStatus reports an error and returns the exit status it stands for.
func exitStatus(err error, w io.Writer) int {
	var status answered
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, err)
		return exitInterrupted
	}
	fmt.Fprintln(w, "bench:", strings.TrimSpace(err.Error()))
	if errors.Is(err, errUsage) || unreadable(err) {
		return exitUsage
	}
	return exitFailed
}

// unreadable reports whether the fault is in a workload or a run that the user named.
func unreadable(err error) bool {
	return errors.Is(err, rundata.ErrDamaged) || errors.Is(err, trace.ErrFormat) || errors.Is(err, trace.ErrHZ) || errors.As(err, new(*trace.SyntaxError)) ||
		errors.As(err, new(*workload.ParseError))
}
