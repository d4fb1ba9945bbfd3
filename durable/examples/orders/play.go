package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"schedbench/durable"
	"schedbench/durable/internal/pgserver"
)

// restart has a process killed that keeps its timers in a file, and another go on with the file.
func restart(p plan, out io.Writer) error {
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "orders.db")
	a := new(account)
	flags := []string{"-orders", fmt.Sprint(p.orders), "-within", p.within.String()}
	first, err := start(a, append(flags, path, "place")...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "placed    %d orders, %d of them paid: each stored with its timer in one file\n", len(a.times("placed")), len(a.times("paid")))
	time.Sleep(p.killAt())
	first.kill()
	fmt.Fprintf(out, "killed    the process with kill -9, after %v and %d closed orders\n", p.killAt(), len(a.of("closed", before)))
	a.mark()

	second, err := start(a, append(flags, path)...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ready     a new process with the same file, %v later\n", time.Since(a.killed).Round(10*time.Millisecond))
	a.wait(p.within + patience)
	if err := second.stop(); err != nil {
		return err
	}
	return a.print(out)
}

// workers has one of two processes killed that share the timers of a server.
func workers(p plan, out io.Writer) error {
	url := p.url
	if url == "" {
		s, err := pgserver.Start("")
		if err != nil {
			return fmt.Errorf("no server of PostgreSQL (install it, or give -url): %w", err)
		}
		defer s.Stop()
		url = s.URL("postgres")
	}
	a := new(account)
	var both [2]*process
	var err error
	for i := range both {
		if both[i], err = start(a, url); err != nil {
			return err
		}
		defer both[i].kill() // if something fails on the way
	}
	fmt.Fprintf(out, "ready     two workers at the server %s\n", url)
	ctx := context.Background()
	timers, err := durable.Open(ctx, url, durable.Options{}) // without a handler: runs nothing
	if err != nil {
		return err
	}
	orders, err := openBook("pgx", url)
	if err != nil {
		return err
	}
	defer orders.Close()
	begin := time.Now()
	if err := place(ctx, timers, orders, p, func(words ...any) { a.hear(nil, fmt.Sprintln(words...)) }); err != nil {
		return err
	}
	fmt.Fprintf(out, "placed    %d orders, %d of them paid\n", len(a.times("placed")), len(a.times("paid")))
	time.Sleep(time.Until(begin.Add(p.killAt())))
	both[0].kill()
	byFirst := len(a.of("closed", func(e event) bool { return e.by == both[0] }))
	fmt.Fprintf(out, "killed    worker 1 with kill -9, after %v; it had closed %d, the other %d\n",
		p.killAt(), byFirst, len(a.of("closed", before))-byFirst)
	a.mark()
	a.wait(p.within + patience)
	fmt.Fprintf(out, "went on   worker 2 closed %d more, %d of which worker 1 had begun to close\n", len(a.of("closed", after)), len(a.of("closed", takenOver)))
	if err := errors.Join(both[1].stop(), timers.Close(ctx)); err != nil {
		return err
	}
	return a.print(out)
}

const patience = 30 * time.Second // for orders to be closed beyond the last one's time

// process is this program under another name.
type process struct {
	cmd   *exec.Cmd
	in    io.Closer
	heard chan struct{} // closed when it has said all
}

// start starts a process and returns once it is ready.
func start(a *account, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, append([]string{"worker"}, args...)...), heard: make(chan struct{})}
	p.cmd.Stderr = os.Stderr
	in, inErr := p.cmd.StdinPipe()
	out, outErr := p.cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, p.cmd.Start()); err != nil {
		return nil, err
	}
	p.in = in
	ready := make(chan bool, 2)
	go func() {
		a.listen(p, out, ready)
		close(p.heard)
	}()
	if !<-ready {
		p.kill()
		return nil, errors.New("the worker did not start")
	}
	return p, nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.heard
	_ = p.cmd.Wait()
}

// stop asks a process to end, and waits until it has.
func (p *process) stop() error {
	err := p.in.Close()
	<-p.heard
	return errors.Join(err, p.cmd.Wait())
}
