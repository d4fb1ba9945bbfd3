package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness"
)

// asYardstick has the program of the tests be the command: processes in Go run the
// program that starts them.
const asYardstick = "YARDSTICK_OF_TESTS"

func TestMain(m *testing.M) {
	if os.Getenv(asYardstick) != "" {
		main()
	}
	status := m.Run()
	if dir, _ := inC(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

// inC compiles the programs in C, once, and returns their folder.
var inC = sync.OnceValues(func() (dir string, err error) {
	cc, err := findCompiler(os.Getenv("CC"), exec.LookPath)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "yardstick"); err != nil {
		return "", err
	}
	return dir, cc.build(context.Background(), dir)
})

// compiled returns the folder of the programs in C, or skips the test.
func compiled(t *testing.T) string {
	t.Helper()
	dir, err := inC()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return dir
}

// named returns contestants.
func named(t *testing.T, names ...string) []harness.Contestant {
	t.Helper()
	who, err := contestants(names)
	require.NoError(t, err)
	return who
}

// played does an exercise in this process.
func played(t *testing.T, c harness.Contestant, x exercise) shown {
	t.Helper()
	s, err := c.New(geometry)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, play(x, s, &out))
	all, err := parse(&out)
	require.NoError(t, err)
	return all
}

// outcome runs the command.
func outcome(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e strings.Builder
	status = run(t.Context(), args, &o, &e)
	return status, o.String(), e.String()
}
