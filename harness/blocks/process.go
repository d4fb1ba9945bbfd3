package blocks

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Process is a process that measures: a block, another build, or a program in another language. Its standard error says
// why it failed.
type Process struct {
	Cmd *exec.Cmd
	// In and Out are its standard input and output, after Start.
	In  io.WriteCloser
	Out *bufio.Reader

	said bytes.Buffer
}

// ErrDied means that a process ended without being asked to, and left nothing.
var ErrDied = errors.New("died")

// patience is how long a process has to save what it has, when it is interrupted.
const patience = 30 * time.Second

// NewProcess returns a process that runs a command. It passes interruptions on, and keeps the command's standard error.
func NewProcess(cmd *exec.Cmd) *Process {
	p := &Process{Cmd: cmd}
	var errOut io.Writer = &p.said
	if cmd.Stderr != nil {
		errOut = io.MultiWriter(cmd.Stderr, errOut)
	}
	cmd.Stderr, cmd.WaitDelay = errOut, patience
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return p
}

// Run starts the process, and waits for its end: see Wait.
func (p *Process) Run(ctx context.Context) error { return p.outcome(ctx, p.Cmd.Run()) }

// Start starts the process with In and Out, for a conversation that ends with Wait.
func (p *Process) Start() (err error) {
	if p.In, err = p.Cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.Cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.Out = bufio.NewReaderSize(out, 1<<16)
	return p.Cmd.Start()
}

// Wait waits for the end of a started process. The error is that of ctx, or the last lines of standard error after exit
// status 1, or else ErrDied.
func (p *Process) Wait(ctx context.Context) error { return p.outcome(ctx, p.Cmd.Wait()) }

func (p *Process) outcome(ctx context.Context, err error) error {
	const few = 10 // lines
	lines := strings.Split(strings.TrimSpace(p.said.String()), "\n")
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 1 && lines[0] != "":
		return errors.New(strings.TrimPrefix(strings.Join(lines[max(0, len(lines)-few):], "\n"), "bench: "))
	case lines[0] != "":
		return fmt.Errorf("%w: %w: %s", ErrDied, err, lines[0])
	}
	return fmt.Errorf("%w: %w", ErrDied, err)
}

// Gravest returns the first error that is not that of a process that died, or else the first.
func Gravest(errs []error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, ErrDied) {
			return err
		}
	}
	return cmp.Or(errs...)
}

const pageSize = 4096

// FaultIn touches so many bytes of memory, which the runtime keeps for later measurements. It returns the time of the
// first touch of a page, in nanoseconds, 0 if there is nothing to touch.
func FaultIn(bytes int) (perPage float64) {
	if bytes < pageSize {
		return 0
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	memory := make([]byte, bytes)
	start := time.Now()
	for i := 0; i < len(memory); i += pageSize {
		memory[i] = 1
	}
	took := time.Since(start)
	runtime.KeepAlive(memory)
	memory = nil
	runtime.GC()
	return float64(took.Nanoseconds()) / float64(bytes/pageSize)
}
