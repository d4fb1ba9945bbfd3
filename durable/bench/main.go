// Command bench measures what it costs that timers outlive the process: package durable on SQLite and PostgreSQL, beside
// timers in memory, River on PostgreSQL and asynq on Redis. Each turn is a new process of this
// program. The process before it filled the store, and was killed.
package main

import (
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

const commandName = "durable" // the one command of this program, which need not be named

func main() {
	if os.Getenv(jobEnv) != "" {
		if err := obey(os.Stdin, os.Stdout); err != nil {
			fmt.Fprint(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) < 2 || os.Args[1] != commandName {
		os.Args = slices.Insert(os.Args, 1, commandName)
	}
	cli.Program{Commands: []cli.Command{{Name: commandName, Flags: &command{}, Help: "Measure what it costs that timers outlive the process."}}}.Main()
}

type command struct {
	sizes
	Out  string `help:"Folder for data, charts and report; by default a new one under results." placeholder:"DIR" type:"path"`
	From string `help:"Folder of an earlier run: draw and judge it again, measure nothing." placeholder:"DIR" type:"existingdir"`
}

// Run measures, or with --from loads what was measured, draws, judges, and prints what comes out.
func (c *command) Run(w io.Writer, measure cli.Measure) (err error) {
	data, dir := (*rundata.Data)(nil), c.From
	if dir != "" {
		data, err = rundata.Load(filepath.Join(dir, "data"))
	} else if m, wrong := c.measuring(os.Stderr); wrong != nil {
		err = errors.Join(wrong, m.servers.stopAll())
	} else {
		data, dir, err = measure(m.plan(), c.Out, commandName)
		err = errors.Join(err, m.servers.stopAll())
	}
	if err != nil {
		return err
	}
	return report.Judge(data, report.Options{Chapters: chapters()}).Write(w, dir)
}
