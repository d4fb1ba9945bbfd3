package cli

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

// TestMain lets the program of the tests be a process that is stopped.
func TestMain(m *testing.M) {
	if os.Getenv(pausedEnv) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestProcessesAreStoppedAndCatchUp(t *testing.T) {
	if !harness.CanPause() {
		t.Skip("no signals that stop")
	}
	got := bench(t, strings.Fields("--quick --experiments pause --contestants hierwheel --tables --out "+t.TempDir())...)
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "stopped for half a second")
	require.Contains(t, got.out, "Every one of ")
	require.Contains(t, got.out, "fired once and not early")
}

func TestNobodyElseIsStopped(t *testing.T) {
	got := bench(t, "paused", "nobody")
	require.Equal(t, exitUsage, got.status)
	require.Contains(t, got.err, `"nobody"`)
	require.NotContains(t, bench(t, "--help").out, "paused", "it is not for people")
}
