package cli

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/schedulers"
)

// ownContestant is a scheduler of a program that calls Main.
func ownContestant(name string) harness.Contestant {
	return harness.Contestant{
		Name: name, Family: "a heap of the program", About: "made elsewhere",
		New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
	}
}

// withOwn runs a command line of a program with contestants of its own.
func withOwn(t *testing.T, own []harness.Contestant, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	status := run(t.Context(), args, &out, &err, own...)
	return outcome{status, out.String(), err.String()}
}

func TestAContestantOfTheProgramTakesPart(t *testing.T) {
	own := []harness.Contestant{ownContestant("mine")}
	got := withOwn(t, own, "list")
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "a heap of the program")

	got = withOwn(t, own, "verify", "--ops", "1000", "--contestants", "mine")
	require.Equal(t, 0, got.status, got.err)
	require.Regexp(t, `mine: \d+ rules kept, 0 broken`, got.out)

	dir := filepath.Join(t.TempDir(), "run")
	got = withOwn(t, own, "--quick", "--experiments", "cost", "--pending", "10", "--ops", "pair", "--tables", "--out", dir)
	require.Equal(t, 0, got.status, got.err)
	require.Regexp(t, `(?m)^ +pair +mine +10 `, got.out, "it has a row in the table")

	got = withOwn(t, own, "replay", "sub-ms", "--for", "100ms", "--contestants", "mine,hierwheel", "--out", filepath.Join(t.TempDir(), "replay"))
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "mine")

	require.Equal(t, exitUsage, bench(t, "--contestants", "mine").status, "other programs do not have it")
}

func TestAContestantOfTheProgramNeedsANameOfItsOwn(t *testing.T) {
	for _, own := range [][]harness.Contestant{
		{ownContestant("heapsched")}, {ownContestant("netty")}, {ownContestant("mine"), ownContestant("mine")},
	} {
		got := withOwn(t, own, "list")
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "want a name of its own")
	}
}
