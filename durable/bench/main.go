// Command bench measures what it costs that timers outlive the process: package durable on SQLite and
// PostgreSQL, beside timers in memory, River on PostgreSQL, asynq on Redis, and a table that is polled.
//
// The cells are harness.Outside, and what the data come to is said by package report. Each turn is a
// process of its own: this program, started again with a job. What it finds in its store, another
// process has put there, which was killed then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"schedbench/cli"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/report"
)

// commandName is the one command of this program, which need not be named.
const commandName = "durable"

func main() {
	if os.Getenv(jobEnv) != "" {
		if err := obey(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) < 2 || os.Args[1] != commandName {
		os.Args = slices.Insert(os.Args, 1, commandName)
	}
	cli.Program{Commands: []cli.Command{{Name: commandName, Flags: &flags{}, Help: "Measure what it costs that timers outlive the process."}}}.Main()
}

// flags are those of the command.
type flags struct {
	Contestants []string        `help:"Contestants; by default all whose servers are here." placeholder:"NAME"`
	Held        []int           `help:"How many timers are held while calls are made; by default 1000 to 1000000." placeholder:"N"`
	LiveHeld    int             `help:"How many are held while others fire or nothing is due; by default 100000." placeholder:"N"`
	Rates       []int           `help:"How many timers a second fire; by default 100 and 2000." placeholder:"N"`
	Load        time.Duration   `help:"For how long they arrive; by default a second." placeholder:"DURATION"`
	Intervals   []time.Duration `help:"Intervals of polls; by default 10ms to 5s." placeholder:"DURATION"`
	Only        []string        `help:"Only some experiments: calls, idle, live, poll." enum:"calls,idle,live,poll" placeholder:"NAME"`
	Blocks      int             `help:"Blocks of each cell; by default 5." placeholder:"N"`
	Quick       bool            `help:"Tiny sizes, to see that all works; the figures say little."`
	Scratch     string          `help:"Folder on the disk that is measured; by default that of the system for temporary files." placeholder:"DIR" type:"existingdir"`
	Seed        uint64          `help:"Seed of all randomness." default:"1"`
	Out         string          `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From        string          `help:"Draw and judge again what an earlier run has measured into this folder." placeholder:"DIR" type:"existingdir"`
	SVG         bool            `help:"Also draw the charts as SVG."`
}

// config returns how much is to be measured.
func (f *flags) config() (config, error) {
	c := usual()
	if f.Quick {
		c = quick()
	}
	or(&c.Held, f.Held, len(f.Held) > 0)
	or(&c.Rates, f.Rates, len(f.Rates) > 0)
	or(&c.Intervals, f.Intervals, len(f.Intervals) > 0)
	or(&c.LiveHeld, f.LiveHeld, f.LiveHeld != 0)
	or(&c.Load, f.Load, f.Load != 0)
	or(&c.Blocks, f.Blocks, f.Blocks != 0)
	c.Seed, c.Scratch = f.Seed, f.Scratch
	only := func(name string) bool { return len(f.Only) == 0 || slices.Contains(f.Only, name) }
	or(&c.Held, nil, !only("calls"))
	or(&c.Intervals, nil, !only("poll"))
	or(&c.Idle, 0, !only("idle") && !only("poll"))
	c.NoIdle, c.NoLive = !only("idle"), !only("live")
	if len(f.Contestants) > 0 {
		c.Contestants = nil
	}
	for _, name := range f.Contestants {
		found, ok := find(name)
		if !ok {
			return c, fmt.Errorf("--contestants %s, want some of %s", name, words.List(names(contestants())))
		}
		c.Contestants = append(c.Contestants, found)
	}
	return c, c.check()
}

// or sets a value if there is another.
func or[T any](to *T, value T, given bool) {
	if given {
		*to = value
	}
}

// names lists contestants.
func names(all []contestant) (list []string) {
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}

// Validate says what is wrong with the flags.
func (f *flags) Validate() error {
	_, err := f.config()
	return err
}

// Run measures, unless that was done before, draws, judges, and prints what comes out.
func (f *flags) Run(ctx context.Context, w io.Writer, measure cli.Measure) (err error) {
	data, dir := (*harness.Data)(nil), f.From
	if dir != "" {
		data, err = harness.Load(filepath.Join(dir, "data"))
	} else {
		data, dir, err = f.measure(ctx, measure)
	}
	if err != nil {
		return err
	}
	opt := report.Options{SVG: f.SVG, Questions: questions()}
	if _, err := report.Charts(data, filepath.Join(dir, "charts"), opt); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "report.txt"))
	if err != nil {
		return err
	}
	if err := errors.Join(tell(io.MultiWriter(w, file), data, opt), file.Close()); err != nil {
		return err
	}
	return report.WrongAnswers(data)
}

// tell writes tables and sentences.
func tell(w io.Writer, data *harness.Data, opt report.Options) error {
	if err := report.Tables(w, data, opt); err != nil {
		return err
	}
	for _, line := range report.Verdict(data, opt).Lines {
		if _, err := fmt.Fprintln(w, "-", line); err != nil {
			return err
		}
	}
	return nil
}

// measure starts the servers, measures, and stops them.
func (f *flags) measure(ctx context.Context, measure cli.Measure) (data *harness.Data, dir string, err error) {
	c, err := f.config()
	if err != nil {
		return nil, "", err
	}
	m := &measuring{config: c}
	var missing []string
	if m.servers, missing, err = startServers(ctx, m.needed()); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, m.servers.stop()) }()
	for _, line := range missing {
		fmt.Fprintln(os.Stderr, "bench:", line)
	}
	m.leaveOut()
	return measure(m.plan(), f.Out, commandName)
}
