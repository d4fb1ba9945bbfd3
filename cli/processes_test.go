package cli

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
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

// TestARunByProcessesIsInterruptedAndGoesOn has blocks by a process each, and participants beside each
// other.
func TestARunByProcessesIsInterruptedAndGoesOn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("idle cells need Linux")
	}
	dir := t.TempDir()
	args := strings.Fields("--quick --experiments cost,idle --pending 10 --ops pair --ticks 1ms --contestants hierwheel,time.AfterFunc --out " + dir)
	first := byProcesses(t, "idle-10: 1 cell", args...)
	require.Equal(t, exitInterrupted, first.status, first.err)
	require.Contains(t, first.err, "interrupted: 1 block is kept in "+dir)

	done := byProcesses(t, "", args...)
	require.Equal(t, 0, done.status, done.err)
	require.Contains(t, done.out, "ALL OF IT")
	require.NotContains(t, done.err, "block-00: ")
	require.Contains(t, done.err, "idle-10: 1 cell")
	require.Contains(t, done.err, "block-01: 1 cell")
	d, err := rundata.Load(filepath.Join(dir, dataDir))
	require.NoError(t, err)
	require.True(t, d.Complete)
	require.Empty(t, d.Lost)
	require.NotEmpty(t, d.Select(rundata.Cost))
	require.NotEmpty(t, d.Select(rundata.Idle, "impl="+rundata.ProcessControl))
	for _, s := range d.Series {
		require.Equal(t, []int{0, 1}, slices.Compact(slices.Clone(s.Block)), s.Name())
	}
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
