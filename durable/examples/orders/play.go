package main

import (
	"context"
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
	a := newAccount()
	flags := []string{"-orders", fmt.Sprint(p.orders), "-within", p.within.String()}
	first, err := start(a, "shop", append(flags, path, "open")...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "placed    %d orders, %d of them paid: each stored with its timer in one file\n", a.count("placed"), a.count("paid"))
	time.Sleep(p.killAt())
	first.kill()
	fmt.Fprintf(out, "killed    the process with kill -9, after %v and %d closed orders\n", p.killAt(), a.count("closed"))
	a.mark()

	second, err := start(a, "shop", append(flags, path)...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ready     a new process with the same file, %v later\n", a.sinceMark().Round(10*time.Millisecond))
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
	a := newAccount()
	var both [2]*process
	for i := range both {
		p, err := start(a, "worker", url)
		if err != nil {
			return err
		}
		both[i] = p
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
	if err := place(ctx, timers, orders, p, func(words ...any) { a.hear(0, fmt.Sprintln(words...)) }); err != nil {
		return err
	}
	fmt.Fprintf(out, "placed    %d orders, %d of them paid\n", a.count("placed"), a.count("paid"))
	time.Sleep(time.Until(begin.Add(p.killAt())))
	both[0].kill()
	fmt.Fprintf(out, "killed    worker 1 with kill -9, after %v; it had closed %d, the other %d\n",
		p.killAt(), a.closedBy(both[0]), a.closedBy(both[1]))
	a.mark()
	a.wait(p.within + patience)
	fmt.Fprintf(out, "went on   worker 2 closed %d more, %d of which worker 1 had begun to close\n", a.closedSince(), a.takenOver())
	if err := both[1].stop(); err != nil {
		return err
	}
	if err := timers.Close(ctx); err != nil {
		return err
	}
	return a.print(out)
}

// patience is how long to wait for orders to be closed beyond the last one's time.
const patience = 30 * time.Second

// process is this program under another name.
type process struct {
	number int
	cmd    *exec.Cmd
	in     io.Closer
	heard  chan struct{} // closed when it has said all
}

// start starts a process and returns once it is ready.
func start(a *account, name string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{number: a.newNumber(), cmd: exec.Command(self, append([]string{name}, args...)...), heard: make(chan struct{})}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		a.listen(p.number, out, ready)
		close(p.heard)
	}()
	if !<-ready {
		p.kill()
		return nil, fmt.Errorf("%s did not start", name)
	}
	return p, nil
}

// kill ends a process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.heard
	_ = p.cmd.Wait()
}

// stop asks a process to end, and waits until it has.
func (p *process) stop() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	<-p.heard
	return p.cmd.Wait()
}
