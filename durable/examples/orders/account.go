package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// closed is an order that a process has closed.
type closed struct {
	number, process int
	late            time.Duration
	attempt         int
	after           bool // the kill
}

// account is what the processes have said that they have done.
type account struct {
	mu        sync.Mutex // protects what follows
	processes int
	placed    map[int]bool
	paid      map[int]bool
	closed    []closed
	done      map[int]int // how often an order was closed
	killed    time.Time
}

func newAccount() *account {
	return &account{placed: map[int]bool{}, paid: map[int]bool{}, done: map[int]int{}}
}

func (a *account) newNumber() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.processes++
	return a.processes
}

// listen hears a process out. It tells when the process is ready, or that it has ended before.
func (a *account) listen(process int, out io.Reader, ready chan<- bool) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			ready <- true
		} else {
			a.hear(process, lines.Text())
		}
	}
	select {
	case ready <- false:
	default:
	}
}

// hear writes down what a process says.
func (a *account) hear(process int, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	what, rest, _ := strings.Cut(line, " ")
	c := closed{process: process, after: !a.killed.IsZero()}
	if _, err := fmt.Sscan(rest, &c.number); err != nil {
		return // no line of ours
	}
	switch what {
	case "placed":
		a.placed[c.number] = true
	case "paid":
		a.paid[c.number] = true
	case "closed":
		if _, err := fmt.Sscan(rest, &c.number, &c.late, &c.attempt); err == nil {
			a.closed = append(a.closed, c)
			a.done[c.number]++
		}
	}
}

func (a *account) count(what string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return map[string]int{"placed": len(a.placed), "paid": len(a.paid), "closed": len(a.closed)}[what]
}

// mark notes the instant of the kill.
func (a *account) mark() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.killed = time.Now()
}

func (a *account) sinceMark() time.Duration { return time.Since(a.killed) }

// of returns those of the orders closed that are wanted.
func (a *account) of(wanted func(closed) bool) (list []closed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.closed {
		if wanted(c) {
			list = append(list, c)
		}
	}
	return list
}

func (a *account) closedBy(p *process) int {
	return len(a.of(func(c closed) bool { return c.process == p.number }))
}

func (a *account) closedSince() int { return len(a.of(func(c closed) bool { return c.after })) }

// takenOver returns how many orders another worker had begun to close before.
func (a *account) takenOver() int {
	return len(a.of(func(c closed) bool { return c.after && c.attempt > 1 }))
}

// wait waits until all orders that were not paid are closed, but no longer than patience.
func (a *account) wait(patience time.Duration) {
	for end := time.Now().Add(patience); a.lost() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// lost returns how many orders were neither paid nor closed.
func (a *account) lost() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for number := range a.placed {
		if a.done[number] == 0 && !a.paid[number] {
			n++
		}
	}
	return n
}

// print prints how late orders were closed, and what must not have happened.
func (a *account) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%-22s %7s %9s %9s %9s\n", "orders closed", "number", "median", "99 %", "latest")
	row := func(name string, wanted func(closed) bool) {
		var late []time.Duration
		for _, c := range a.of(wanted) {
			late = append(late, c.late)
		}
		slices.Sort(late)
		if n := len(late); n > 0 {
			at := func(share float64) time.Duration { return late[int(share*float64(n-1))].Round(10 * time.Microsecond) }
			fmt.Fprintf(out, "%-22s %7d %9v %9v %9v\n", name, n, at(0.5), at(0.99), at(1))
		}
	}
	row("before the kill", func(c closed) bool { return !c.after })
	row("after it", func(c closed) bool { return c.after && c.attempt == 1 })
	row("after it, taken over", func(c closed) bool { return c.after && c.attempt > 1 })

	early, twice, paid := len(a.of(func(c closed) bool { return c.late < 0 })), 0, 0
	for number, times := range a.done {
		if times > 1 {
			twice++
		}
		if a.paid[number] {
			paid++
		}
	}
	lost := a.lost()
	fmt.Fprintf(out, "\nlost %d, closed early %d, closed though paid %d, closed twice %d\n", lost, early, paid, twice)
	if lost+early+paid > 0 {
		return errors.New("that must not happen")
	}
	return nil
}
