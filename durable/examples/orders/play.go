package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"schedbench/durable"
	"schedbench/durable/internal/child"
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
	first, err := start(a, 1, append(flags, path, "place")...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "placed    %d orders, %d of them paid: each stored with its timer in one file\n", len(a.times("placed")), len(a.times("paid")))
	time.Sleep(p.killAt())
	first.Kill()
	fmt.Fprintf(out, "killed    the process with kill -9, after %v and %d closed orders\n", p.killAt(), len(a.of("closed", before)))
	a.mark()

	second, err := start(a, 2, append(flags, path)...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ready     a new process with the same file, %v later\n", time.Since(a.killed).Round(10*time.Millisecond))
	a.wait(p.within + patience)
	if err := second.Stop(); err != nil {
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
	var both [2]*child.Process
	var err error
	for i := range both {
		if both[i], err = start(a, i+1, url); err != nil {
			return err
		}
		defer both[i].Kill() // if something fails on the way
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
	fmt.Fprintf(out, "placed    %d orders, %d of them paid\n", len(a.times("placed")), len(a.times("paid")))
	time.Sleep(time.Until(begin.Add(p.killAt())))
	both[0].Kill()
	byFirst := len(a.of("closed", func(e event) bool { return e.by == 1 }))
	fmt.Fprintf(out, "killed    worker 1 with kill -9, after %v; it had closed %d, the other %d\n",
		p.killAt(), byFirst, len(a.of("closed", before))-byFirst)
	a.mark()
	a.wait(p.within + patience)
	fmt.Fprintf(out, "went on   worker 2 closed %d more, %d of which worker 1 had begun to close\n", len(a.of("closed", after)), len(a.of("closed", takenOver)))
	if err := errors.Join(both[1].Stop(), timers.Close(ctx)); err != nil {
		return err
	}
	return a.print(out)
}

const patience = 30 * time.Second // for orders to be closed beyond the last one's time

// start starts this program as a worker, whose lines the account hears by its number, and returns when it is ready.
func start(a *account, number int, args ...string) (*child.Process, error) {
	return child.Start(func(line string) { a.hear(number, line) }, append([]string{"worker"}, args...)...)
}
