package cli

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"testing"

	"schedbench/harness/blocks"
)

// TestMain lets the program of the tests be a process that measures a block.
func TestMain(m *testing.M) {
	if _, ok := blocks.Ordered(); ok || os.Getenv(programEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(Program{processes: true, rough: true, Contestants: ownContestants()}.run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// programEnv has the program of the tests be the command.
const programEnv = "SCHEDBENCH_TEST_PROGRAM"

func TestProcessesAreStoppedAndCatchUp(t *testing.T) {
	if !blocks.CanSuspend() {
		t.Skip("no signals that stop")
	}
	got := byProgram(t, byProcesses, "", strings.Fields("--quick --experiments pause --blocks 1 --contestants hierwheel --tables --out "+t.TempDir())...).ends(t, 0)
	got.says(t, "stopped for half a second", "every one of ", "fired once and not early")
}
