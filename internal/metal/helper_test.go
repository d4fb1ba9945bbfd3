package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
	"schedbench/internal/must"
)

// asMetal has the program of the tests be the command: it starts itself for each block.
const asMetal = "METAL_OF_TESTS"

func TestMain(m *testing.M) {
	if os.Getenv(asMetal) != "" {
		main()
	}
	status := m.Run()
	if dir, _ := programs(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

// programs compiles the programs in C, once, and returns their folder.
var programs = sync.OnceValues(func() (dir string, err error) {
	cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "metal"); err != nil {
		return "", err
	}
	return dir, cc.build(context.Background(), dir)
})

// compiled returns the folder of the programs in C, or skips the test.
func compiled(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return dir
}

// named returns contestants.
func named(t *testing.T, names ...string) []harness.Contestant {
	t.Helper()
	return must.Get(contestants(names))(t)
}

// played does an exercise with a player.
func played(t *testing.T, p player, x exercise) shown {
	t.Helper()
	return must.Get(p.do(t.Context(), x))(t)
}
