package cli

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/blocks"
)

// TestMain lets the program of the tests be a process that measures a block.
func TestMain(m *testing.M) {
	if _, ok := blocks.Ordered(); ok || os.Getenv(programEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(Program{processes: true, Contestants: []harness.Contestant{ownDriver("clockwork")}}.run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// programEnv has the program of the tests be the command.
const programEnv = "SCHEDBENCH_TEST_PROGRAM"

// byProcesses runs a command line whose blocks are measured by processes, and interrupts it when it
// writes text to its error output, if there is one.
func byProcesses(t *testing.T, text string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	err := &trap{text: text, spring: cancel}
	if text == "" {
		err.spring = func() {}
	}
	status := Program{processes: true}.run(ctx, args, &out, err)
	return outcome{status, out.String(), err.String()}
}

func TestProcessesAreStoppedAndCatchUp(t *testing.T) {
	if !blocks.CanSuspend() {
		t.Skip("no signals that stop")
	}
	got := byProcesses(t, "", strings.Fields("--quick --experiments pause --blocks 1 --contestants hierwheel --tables --out "+t.TempDir())...)
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "stopped for half a second")
	require.Contains(t, got.out, "Every one of ")
	require.Contains(t, got.out, "fired once and not early")
}
