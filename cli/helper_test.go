package cli

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"schedbench/harness/blocks"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// outcome is what a command line came to.
type outcome struct {
	status   int
	out, err string
}

func (o outcome) ends(t *testing.T, status int) outcome {
	t.Helper()
	require.Equal(t, status, o.status, "%s%s", o.out, o.err)
	return o
}

func (o outcome) has(t *testing.T, text string, others []string) outcome {
	t.Helper()
	for _, other := range others {
		require.Contains(t, text, other)
	}
	return o
}

// says looks for texts in what a command line printed, and complains in its errors.
func (o outcome) says(t *testing.T, texts ...string) outcome {
	t.Helper()
	return o.has(t, o.out, texts)
}

func (o outcome) complains(t *testing.T, texts ...string) outcome {
	t.Helper()
	return o.has(t, o.err, texts)
}

// lacks fails the test if a command line wrote one of some texts.
func (o outcome) lacks(t *testing.T, texts ...string) outcome {
	t.Helper()
	for _, text := range texts {
		require.NotContains(t, o.out+o.err, text)
	}
	return o
}

// refused fails the test unless a command line was wrong, and unless its error has some texts.
func (o outcome) refused(t *testing.T, texts ...string) {
	t.Helper()
	o.ends(t, exitUsage).complains(t, texts...)
}

func loaded(t *testing.T, dir string) *rundata.Data {
	t.Helper()
	return must.Get(rundata.Load(filepath.Join(dir, dataDir)))(t)
}

// put writes a file into a folder that it makes, and returns its path.
func put(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	return put(t, filepath.Join(t.TempDir(), name), text)
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

func isEmpty(t *testing.T) {
	t.Helper()
	require.Empty(t, must.Get(os.ReadDir("."))(t), "nothing is written")
}

func bench(t *testing.T, args ...string) outcome {
	t.Helper()
	return byProgram(t, Program{}, "", args...)
}

// benchUntil runs a command line and interrupts it when it writes text to its error output, which ends it.
func benchUntil(t *testing.T, text string, args ...string) outcome {
	t.Helper()
	return byProgram(t, Program{}, text, args...).ends(t, exitInterrupted)
}

// byProcesses is the command with a process for each block.
var byProcesses = Program{processes: true}

// byProgram is benchUntil for a program. Without a text it goes on to its end.
func byProgram(t *testing.T, p Program, text string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.rough = true
	var out bytes.Buffer
	err := &trap{text: text, spring: cancel}
	status := p.run(ctx, args, &out, err)
	return outcome{status, out.String(), err.String()}
}

// trap calls spring when a text is written to it, if there is any.
type trap struct {
	bytes.Buffer
	text   string
	spring func()
}

func (w *trap) Write(p []byte) (int, error) {
	if w.text != "" && strings.Contains(string(p), w.text) {
		w.spring()
	}
	return w.Buffer.Write(p)
}

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
