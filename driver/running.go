package driver

import (
	"fmt"
	"runtime/debug"
)

// Running decides where tasks run: Inline, Goroutine or Pool.
type Running interface {
	check() error
	// start returns the function that runs the tasks of one driver, each through runTask.
	start(c *core) func(taskRun)
}

// Inline runs tasks on the worker, one after another. It costs least, and a slow task delays all that follow it.
type Inline struct{}

func (Inline) check() error { return nil }

func (Inline) start(c *core) func(taskRun) { return func(task taskRun) { c.runTask(task.f) } }

// Goroutine runs every task on a goroutine of its own. No task delays another, any number may run at once, and tasks of
// the same instant run in any order.
type Goroutine struct{}

func (Goroutine) check() error { return nil }

func (Goroutine) start(c *core) func(taskRun) { return func(task taskRun) { go c.runTask(task.f) } }

// runTask runs f. It survives a panic if there is a handler.
func (c *core) runTask(f func()) {
	defer c.leave()
	if c.onPanic != nil {
		defer func() {
			if value := recover(); value != nil {
				c.panics.Add(1)
				c.onPanic(c, value, debug.Stack())
			}
		}()
	}
	f()
}

// logPanic is the handler of WithPanicsLogged.
func (c *core) logPanic(value any, stack []byte) {
	c.log().Error("timer task panicked", "value", value, "stack", string(stack))
}

// leave notes the end of the worker or of a task.
func (c *core) leave() { c.leaveAs(1) }

// workerUnit is how much the worker counts in active: more than there may be tasks.
const workerUnit = 1 << 40

func (c *core) leaveAs(units int64) {
	if c.active.Add(-units) == 0 {
		close(c.done)
	}
}

// Pool runs tasks on a fixed number of goroutines, behind a bounded queue. The goroutines start as they are needed and
// end with the driver. A task in the queue has begun: Stop does not reach it, and Close waits for it.
type Pool struct {
	// Workers is the number of goroutines, at least 1.
	Workers int
	// Queue is how many tasks may wait for one, at least 0.
	Queue int
	// Full says what happens to a task when the queue is full.
	Full FullPolicy
}

// FullPolicy says what becomes of a task for which a Pool has no room.
type FullPolicy uint8

const (
	// WaitForRoom lets the driver's worker wait for a free goroutine, which delays everything that comes due meanwhile.
	WaitForRoom FullPolicy = iota
	// RunInline lets the driver's worker run the task itself.
	RunInline
	// Drop drops the task, counts it in Stats.Rejected and writes a warning to the logger. A task that repeats is run
	// inline instead: dropped, it would not repeat.
	Drop
)

func (p Pool) check() error {
	const most = 1 << 16
	switch {
	case p.Workers < 1 || p.Workers > most:
		return fmt.Errorf("%w: pool of %d goroutines, want 1 to %d", ErrOption, p.Workers, most)
	case p.Queue < 0 || p.Queue > 1<<30:
		return fmt.Errorf("%w: pool with a queue of %d, want 0 to %d", ErrOption, p.Queue, 1<<30)
	case p.Full > Drop:
		return fmt.Errorf("%w: policy %d for a full pool, want WaitForRoom, RunInline or Drop", ErrOption, p.Full)
	}
	return nil
}

func (p Pool) start(c *core) func(taskRun) {
	return (&pool{Pool: p, c: c, queue: make(chan func(), p.Queue)}).run
}

// pool is the Pool of one driver. Only the driver's worker calls run.
type pool struct {
	Pool
	c       *core
	queue   chan func()
	started int // goroutines
}

func (p *pool) run(task taskRun) {
	if p.started < p.Workers {
		p.started++
		go p.serve(task.f)
		return
	}
	select {
	case p.queue <- task.f:
		return
	default: // there is no room
	}
	switch {
	case p.Full == WaitForRoom:
		p.queue <- task.f
	case p.Full == RunInline || task.repeats():
		p.c.runTask(task.f)
	default:
		defer p.c.leave() // even if the logger ends the goroutine
		p.c.rejected.Add(1)
		p.c.log().Warn("timer task dropped, the pool is full", "goroutines", p.Workers, "queue", p.Queue)
	}
}

// serve runs f, if it is not nil, and then tasks of the queue, until the driver is closed and no task is left. If a
// task ends the goroutine by runtime.Goexit, another goroutine takes over.
func (p *pool) serve(f func()) {
	finished := false
	defer func() {
		if !finished {
			go p.serve(nil)
		}
	}()
	if f != nil {
		p.c.runTask(f)
	}
	for !finished {
		select {
		case f := <-p.queue:
			p.c.runTask(f)
		case <-p.c.done:
			finished = true
		}
	}
}
