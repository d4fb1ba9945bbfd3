// Command bench measures what it costs that timers outlive the process: package durable on SQLite and
// PostgreSQL, beside timers in memory, River on PostgreSQL, asynq on Redis, and a table that is polled.
//
// The cells are harness.Outside, and package report says what the data come to. Each turn is a process of its
// own: this program, started again with a job. What it finds in its store another process has put there, which
// was killed then.
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
	"schedbench/harness"
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
	cli.Program{Commands: []cli.Command{{Name: commandName, Flags: &command{}, Help: "Measure what it costs that timers outlive the process."}}}.Main()
}

// command is that of this program.
type command struct {
	sizes
	Out  string `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From string `help:"Draw and judge again what an earlier run has measured into this folder." placeholder:"DIR" type:"existingdir"`
	SVG  bool   `help:"Also draw the charts as SVG."`
}

// Run measures, unless that was done before, draws, judges, and prints what comes out.
func (c *command) Run(ctx context.Context, w io.Writer, measure cli.Measure) (err error) {
	data, dir := (*harness.Data)(nil), c.From
	if dir != "" {
		data, err = harness.Load(filepath.Join(dir, "data"))
	} else {
		data, dir, err = c.measure(ctx, measure)
	}
	if err != nil {
		return err
	}
	opt := report.Options{SVG: c.SVG, Questions: questions()}
	if _, err := report.Charts(data, filepath.Join(dir, "charts"), opt); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "report.txt"))
	if err != nil {
		return err
	}
	w = io.MultiWriter(w, file)
	err = report.Tables(w, data, opt)
	for _, line := range report.Verdict(data, opt).Lines {
		fmt.Fprintln(w, "-", line)
	}
	return errors.Join(err, file.Close(), report.WrongAnswers(data))
}

// measure starts the servers, measures, and stops them.
func (c *command) measure(ctx context.Context, measure cli.Measure) (data *harness.Data, dir string, err error) {
	m, err := c.measuring(ctx, os.Stderr)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, m.servers.stopAll()) }()
	return measure(m.plan(), c.Out, commandName)
}
