package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type ownCommand struct {
	Times int `default:"1"`
	Out   string
}

func (c *ownCommand) Run(ctx context.Context, w io.Writer, measure Measure) error {
	fmt.Fprint(w, "asked ", c.Times, " times")
	if c.Out == "" {
		return ctx.Err()
	}
	plan, err := (&planFlags{Quick: true, Experiments: []string{"cost"}, Ops: []string{"pair"}, Contestants: []string{"heapsched"}, Pending: []number{100}}).plan(nil)
	if err != nil {
		return err
	}
	_, dir, err := measure(plan, c.Out, "ask")
	fmt.Fprint(w, "measured into ", dir)
	return err
}

func TestAProgramHasCommandsOfItsOwn(t *testing.T) {
	p := Program{Commands: []Command{{Name: "ask", Help: "Ask.", Flags: &ownCommand{}}}}
	var out, errOut bytes.Buffer
	require.Zero(t, p.run(t.Context(), []string{"ask", "--times", "3"}, &out, &errOut), errOut.String())
	require.Equal(t, "asked 3 times", out.String())

	out.Reset()
	dir := t.TempDir()
	require.Zero(t, p.run(t.Context(), []string{"ask", "--out", dir}, &out, &errOut), errOut.String())
	require.Contains(t, out.String(), "measured into "+dir)
	require.FileExists(t, filepath.Join(dir, dataDir, "run.bench"))

	out.Reset()
	require.Zero(t, p.run(t.Context(), []string{"--help"}, &out, &errOut))
	require.Contains(t, out.String(), "Ask.")
	require.Contains(t, out.String(), "verify")

	ended, end := context.WithCancel(t.Context())
	end()
	require.Equal(t, exitInterrupted, p.run(ended, []string{"ask"}, &out, &errOut))
	errOut.Reset()
	dir = t.TempDir()
	require.Equal(t, exitInterrupted, p.run(ended, []string{"ask", "--out", dir}, &out, &errOut))
	require.Contains(t, errOut.String(), `"bench ask --from `+dir+`" shows what there is`)
}
