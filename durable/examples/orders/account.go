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

	"schedbench/internal/lists"
)

// closed is an order that a process has closed.
type closed struct {
	number  int
	by      *process
	late    time.Duration
	attempt int
	after   bool // the kill
}

// account is what the processes have said that they have done.
type account struct {
	mu     sync.Mutex // protects what follows
	placed map[int]bool
	paid   map[int]bool
	closed []closed
	done   map[int]int // how often an order was closed
	killed time.Time
}

func newAccount() *account {
	return &account{placed: map[int]bool{}, paid: map[int]bool{}, done: map[int]int{}}
}

// listen hears a process out. It tells when the process is ready, and that it has ended. ready has room for both.
func (a *account) listen(p *process, out io.Reader, ready chan<- bool) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			ready <- true
		} else {
			a.hear(p, lines.Text())
		}
	}
	ready <- false
}

// hear writes down what a process says.
func (a *account) hear(p *process, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	what, rest, _ := strings.Cut(line, " ")
	c := closed{by: p, after: !a.killed.IsZero()}
	n, _ := fmt.Sscan(rest, &c.number, &c.late, &c.attempt)
	switch {
	case what == "placed" && n == 1:
		a.placed[c.number] = true
	case what == "paid" && n == 1:
		a.paid[c.number] = true
	case what == "closed" && n == 3:
		a.closed = append(a.closed, c)
		a.done[c.number]++
	}
}

func (a *account) orders() (placed, paid int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.placed), len(a.paid)
}

func (a *account) mark() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.killed = time.Now()
}

func (a *account) of(wanted func(closed) bool) []closed {
	a.mu.Lock()
	defer a.mu.Unlock()
	return lists.Only(a.closed, wanted)
}

func before(c closed) bool    { return !c.after }
func after(c closed) bool     { return c.after }
func takenOver(c closed) bool { return c.after && c.attempt > 1 } // another worker had begun to close it

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
		late := lists.Each(a.of(wanted), func(c closed) time.Duration { return c.late })
		slices.Sort(late)
		if n := len(late); n > 0 {
			at := func(share float64) time.Duration { return late[int(share*float64(n-1))].Round(10 * time.Microsecond) }
			fmt.Fprintf(out, "%-22s %7d %9v %9v %9v\n", name, n, at(0.5), at(0.99), at(1))
		}
	}
	row("before the kill", before)
	row("after it", func(c closed) bool { return after(c) && !takenOver(c) })
	row("after it, taken over", takenOver)

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
