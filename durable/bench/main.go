// Command bench measures what it costs that timers outlive the process: package durable on SQLite and PostgreSQL, beside
// timers in memory, River on PostgreSQL and asynq on Redis. Each turn is a new process of this
// program. The process before it filled the store, and was killed.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

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
	cli.Command{Name: commandName, Flags: &command{}, Help: "Measure what it costs that timers outlive the process."}.Main()
}

type command struct {
	sizes
	cli.Folders
}

// Run measures, or takes an earlier run, and shows what comes out.
func (c *command) Run(w io.Writer, measure cli.Measure) error {
	return c.Show(w, func() (data *rundata.Data, dir string, err error) {
		m, err := c.measuring(os.Stderr)
		if err == nil {
			data, dir, err = measure(m.plan(), c.Out, commandName)
		}
		return data, dir, errors.Join(err, m.servers.stopAll())
	}, func(*rundata.Data) []report.Chapter { return chapters() })
}
