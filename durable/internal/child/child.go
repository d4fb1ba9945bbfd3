// Package child starts the program that runs again, as a process that may be killed, and hears what it says.
package child

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
)

// Process is the program under another name.
type Process struct {
	*exec.Cmd
	in    io.Closer
	heard chan struct{} // closed when it has said all
}

// Start starts the program with arguments, and returns when it says "ready". Another goroutine calls hear with each other line.
func Start(hear func(line string), args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{Cmd: exec.Command(self, args...), heard: make(chan struct{})}
	p.Stderr = os.Stderr
	in, inErr := p.StdinPipe()
	out, outErr := p.StdoutPipe()
	if err := errors.Join(inErr, outErr, p.Cmd.Start()); err != nil {
		return nil, err
	}
	p.in = in
	ready := make(chan bool, 2)
	go func() {
		defer close(p.heard)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == "ready" {
				ready <- true
			} else {
				hear(lines.Text())
			}
		}
		ready <- false
	}()
	if !<-ready {
		p.Kill()
		return nil, errors.New("the worker did not start")
	}
	return p, nil
}

// Kill ends the process as a failure would, and returns when it has been heard out.
func (p *Process) Kill() {
	_ = p.Process.Kill()
	_ = p.End()
}

// End waits until the process ends.
func (p *Process) End() error {
	<-p.heard
	return p.Wait()
}

// Stop closes the standard input of the process, which is to end then, and waits for its end.
func (p *Process) Stop() error {
	return errors.Join(p.in.Close(), p.End())
}
