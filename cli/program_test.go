package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

type ownCommand struct {
	Times int `default:"1"`
}

func (c *ownCommand) Run(ctx context.Context, w io.Writer) error {
	fmt.Fprint(w, "asked ", c.Times, " times")
	return ctx.Err()
}

func TestAProgramHasCommandsOfItsOwn(t *testing.T) {
	p := Program{Commands: []Command{{Name: "ask", Help: "Ask.", Flags: &ownCommand{}}}}
	var out, errOut bytes.Buffer
	require.Zero(t, p.run(t.Context(), []string{"ask", "--times", "3"}, &out, &errOut), errOut.String())
	require.Equal(t, "asked 3 times", out.String())

	out.Reset()
	require.Zero(t, p.run(t.Context(), []string{"--help"}, &out, &errOut))
	require.Contains(t, out.String(), "Ask.")
	require.Contains(t, out.String(), "verify")

	ended, end := context.WithCancel(t.Context())
	end()
	require.Equal(t, exitInterrupted, p.run(ended, []string{"ask"}, &out, &errOut))
}
