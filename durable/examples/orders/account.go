package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"schedbench/internal/lists"
)

// event is what a worker says that became of an order.
type event struct {
	what    string // placed, paid or closed
	number  int
	late    time.Duration // of an order that was closed, as the attempt is
	attempt int
	by      int  // number of the worker
	after   bool // the kill
}

// account is what the workers have said.
type account struct {
	mu     sync.Mutex // protects what follows
	events []event
	killed time.Time
}

// hear writes down what a worker says.
func (a *account) hear(worker int, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := event{by: worker, after: !a.killed.IsZero()}
	if n, _ := fmt.Sscan(line, &e.what, &e.number, &e.late, &e.attempt); n > 1 {
		a.events = append(a.events, e)
	}
}

func (a *account) mark() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.killed = time.Now()
}

// of returns the events of a kind that are wanted.
func (a *account) of(what string, wanted func(event) bool) []event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return lists.Only(a.events, func(e event) bool { return e.what == what && wanted(e) })
}

func all(event) bool         { return true }
func before(e event) bool    { return !e.after }
func after(e event) bool     { return e.after }
func takenOver(e event) bool { return e.after && e.attempt > 1 } // another worker had begun to close it

// times returns how often each order was placed, paid or closed.
func (a *account) times(what string) map[int]int {
	count := map[int]int{}
	for _, e := range a.of(what, all) {
		count[e.number]++
	}
	return count
}

// wait waits until all orders that were not paid are closed, but no longer than patience.
func (a *account) wait(patience time.Duration) {
	for end := time.Now().Add(patience); a.lost() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// lost returns how many orders were neither paid nor closed.
func (a *account) lost() (n int) {
	paid, closed := a.times("paid"), a.times("closed")
	for number := range a.times("placed") {
		if paid[number]+closed[number] == 0 {
			n++
		}
	}
	return n
}

// print prints how late orders were closed, and what must not have happened.
func (a *account) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%-22s %7s %9s %9s %9s\n", "orders closed", "number", "median", "99 %", "latest")
	row := func(name string, wanted func(event) bool) {
		late := lists.Each(a.of("closed", wanted), func(e event) time.Duration { return e.late })
		slices.Sort(late)
		if n := len(late); n > 0 {
			at := func(share float64) time.Duration { return late[int(share*float64(n-1))].Round(10 * time.Microsecond) }
			fmt.Fprintf(out, "%-22s %7d %9v %9v %9v\n", name, n, at(0.5), at(0.99), at(1))
		}
	}
	row("before the kill", before)
	row("after it", func(e event) bool { return after(e) && !takenOver(e) })
	row("after it, taken over", takenOver)

	early, twice, though, lost := len(a.of("closed", func(e event) bool { return e.late < 0 })), 0, 0, a.lost()
	paid := a.times("paid")
	for number, times := range a.times("closed") {
		if times > 1 {
			twice++
		}
		though += paid[number]
	}
	fmt.Fprintf(out, "\nlost %d, closed early %d, closed though paid %d, closed twice %d\n", lost, early, though, twice)
	if lost+early+though > 0 {
		return errors.New("that must not happen")
	}
	return nil
}
