package blocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Gravest returns the first error that is not that of a process that died, or else the first.
func Gravest(errs []error) (found error) {
	for _, err := range errs {
		if err != nil && (found == nil || errors.Is(found, ErrDied) && !errors.Is(err, ErrDied)) {
			found = err
		}
	}
	return found
}

// Waiting is a process that says when it is ready, and then waits for a line.
type Waiting struct {
	Child
	In  io.WriteCloser
	Out *bufio.Reader
}

// StartWaiting starts a process that waits.
func StartWaiting(cmd *exec.Cmd) (*Waiting, error) {
	w := &Waiting{Child: Child{Cmd: cmd}}
	w.prepare()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if w.In, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	w.Out = bufio.NewReader(out)
	return w, cmd.Start()
}

// Child is a process that obeys an order.
type Child struct {
	Cmd  *exec.Cmd
	said strings.Builder // on its standard error
}

// ErrDied means that a process ended without being asked to, and left nothing.
var ErrDied = errors.New("died")

// prepare has an interruption passed on to the process, which saves what it has.
func (c *Child) prepare() {
	c.Cmd.Stderr = &c.said
	c.Cmd.Cancel = func() error { return c.Cmd.Process.Signal(os.Interrupt) }
	c.Cmd.WaitDelay = 30 * time.Second
}

// Run starts the process and waits for its end.
func (c *Child) Run(ctx context.Context) error {
	c.prepare()
	return c.Outcome(ctx, c.Cmd.Run())
}

// Outcome returns what the end of the process means: an error of what it measured ends the
// run, as it does within one process; one that was killed, or that panicked, is errDied.
func (c *Child) Outcome(ctx context.Context, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return errors.New(strings.TrimPrefix(strings.TrimSpace(c.said.String()), "bench: "))
	}
	died := fmt.Errorf("%w: %w", ErrDied, err)
	if first, _, _ := strings.Cut(strings.TrimSpace(c.said.String()), "\n"); first != "" {
		died = fmt.Errorf("%w: %s", died, first)
	}
	return died
}
