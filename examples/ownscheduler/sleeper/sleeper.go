// Package sleeper is an example of a driver: a container/heap behind a mutex, and a goroutine that sleeps until the first timer
// is due and runs one function after another. It uses nothing of schedbench.
package sleeper

import (
	"container/heap"
	"errors"
	"sync"
	"time"
)

// ErrClosed means that the driver was closed.
var ErrClosed = errors.New("sleeper: closed")

// Driver runs functions later. Make one with New; end it with Close.
type Driver struct {
	wake chan struct{} // has room for one: the first timer is another
	done chan struct{}

	mu     sync.Mutex // protects what follows
	timers timers
	closed bool
}

// Timer is a function that runs later.
type Timer struct {
	d     *Driver
	at    time.Time
	f     func()
	index int // in the heap, or -1: it has begun or was stopped
}

// New returns a driver.
func New() *Driver {
	d := &Driver{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go d.run()
	return d
}

// AfterFunc runs f once delay has passed, by the goroutine of the driver.
func (d *Driver) AfterFunc(delay time.Duration, f func()) (*Timer, error) {
	t := &Timer{d: d, at: time.Now().Add(delay), f: f}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	heap.Push(&d.timers, t)
	if t.index == 0 {
		d.kick()
	}
	return t, nil
}

// Stop takes the function back, and reports whether it had not begun.
func (t *Timer) Stop() bool {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	if t.d.closed || t.index < 0 {
		return false
	}
	heap.Remove(&t.d.timers, t.index)
	return true
}

// Close drops what is pending, and waits for the goroutine. A function must not call it.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed, d.timers = true, nil
	d.kick()
	d.mu.Unlock()
	<-d.done
	return nil
}

// kick ends the sleep of the goroutine.
func (d *Driver) kick() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *Driver) run() {
	defer close(d.done)
	sleep := time.NewTimer(time.Hour)
	defer sleep.Stop()
	for {
		f, wait, closed := d.next()
		switch {
		case closed:
			return
		case f != nil:
			f()
			continue
		}
		sleep.Reset(wait)
		select {
		case <-sleep.C:
		case <-d.wake:
		}
	}
}

// next returns the function that is due, or how long to sleep.
func (d *Driver) next() (f func(), wait time.Duration, closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.timers) == 0 {
		return nil, time.Hour, d.closed
	}
	if wait = time.Until(d.timers[0].at); wait > 0 {
		return nil, wait, d.closed
	}
	return heap.Pop(&d.timers).(*Timer).f, 0, d.closed
}

// timers is a heap.Interface.
type timers []*Timer

func (h timers) Len() int           { return len(h) }
func (h timers) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h timers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timers) Push(t any) {
	t.(*Timer).index = len(*h)
	*h = append(*h, t.(*Timer))
}

func (h *timers) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	t.index, *h = -1, (*h)[:last]
	return t
}
