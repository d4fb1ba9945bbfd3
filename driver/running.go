package driver

import (
	"reflect"
	"runtime"
	"runtime/debug"
)

// Running decides where tasks run: Inline, Goroutine or Pool.
type Running interface {
	check() error
	runner(c *core) taskRunner
}

// taskRunner runs the tasks of one driver, each by way of runTask.
type taskRunner interface{ run(task Task) }

// Inline runs tasks on the worker, one after another. It costs least, and a
// slow task delays all that follow it.
type Inline struct{}

func (Inline) check() error              { return nil }
func (Inline) runner(c *core) taskRunner { return inline{c} }

type inline struct{ c *core }

func (r inline) run(task Task) { r.c.runTask(task.f) }

// Goroutine runs every task on a goroutine of its own. No task delays another,
// any number of them may run at once, and tasks of the same instant run in any
// order.
type Goroutine struct{}

func (Goroutine) check() error              { return nil }
func (Goroutine) runner(c *core) taskRunner { return goroutine{c} }

type goroutine struct{ c *core }

func (r goroutine) run(task Task) { go r.c.runTask(task.f) }

// runTask runs f, and outlives its panic. Every task runs through it, and it is
// never inlined, since insideTask looks for it on the stack.
//
//go:noinline
func (c *core) runTask(f func()) {
	defer c.leave()
	returned := false
	defer func() {
		if returned {
			return
		}
		if value := recover(); value != nil {
			c.panics.Add(1)
			c.reportPanic(value, debug.Stack())
		} else {
			c.exits.Add(1)
		}
	}()
	f()
	returned = true
}

// leave notes the end of the worker or of a task.
func (c *core) leave() {
	if c.active.Add(-1) == 0 {
		close(c.done)
	}
}

func (c *core) reportPanic(value any, stack []byte) {
	if c.onPanic != nil {
		c.onPanic(value, stack)
		return
	}
	c.log().Error("timer task panicked", "value", value, "stack", string(stack))
}

// insideTask reports whether its caller was called by a task of some driver:
// whether runTask is on the stack of this goroutine.
func insideTask() bool {
	name := runtime.FuncForPC(reflect.ValueOf((*core).runTask).Pointer()).Name()
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(pcs[:n])
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			if frame.Function == name {
				return true
			}
		}
	}
}
