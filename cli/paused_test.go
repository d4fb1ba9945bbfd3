package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

// TestMain lets the program of the tests be a process that measures a block.
func TestMain(m *testing.M) {
	if _, ok := harness.Ordered(); ok || os.Getenv(programEnv) != "" {
		os.Exit(Program{processes: true}.run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// programEnv has the program of the tests be the command.
const programEnv = "SCHEDBENCH_TEST_PROGRAM"

// byProcesses runs a command line whose blocks are measured by processes.
func byProcesses(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	status := Program{processes: true}.run(t.Context(), args, &out, &err)
	return outcome{status, out.String(), err.String()}
}

func TestProcessesAreStoppedAndCatchUp(t *testing.T) {
	if !harness.CanPause() {
		t.Skip("no signals that stop")
	}
	got := byProcesses(t, strings.Fields("--quick --experiments pause --contestants hierwheel --tables --out "+t.TempDir())...)
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "stopped for half a second")
	require.Contains(t, got.out, "Every one of ")
	require.Contains(t, got.out, "fired once and not early")
}
