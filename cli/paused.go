package cli

import (
	"context"
	"os"
	"os/exec"

	"schedbench/catalog"
	"schedbench/harness"
)

// pausedCmd is the process that the pause experiment stops.
type pausedCmd struct {
	Contestant string `arg:""`
}

// Run runs the contestant's timers and writes what became of them.
func (c *pausedCmd) Run(con *console) error {
	found, err := catalog.Find([]string{c.Contestant}, con.own...)
	if err != nil {
		return usageError(err)
	}
	return harness.RunPaused(con.out, found[0])
}

// pausedEnv marks the processes that are started to be stopped, so that the
// program of the tests knows that it is one.
const pausedEnv = "SCHEDBENCH_PAUSED"

// pausedChild makes the command of a process that runs pausedCmd.
func pausedChild(ctx context.Context, contestant string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, "paused", contestant)
	cmd.Env = append(os.Environ(), pausedEnv+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}
