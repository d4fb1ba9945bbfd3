package driver

import (
	"log/slog"
	"reflect"
	"runtime"
	"runtime/debug"
)

// Running decides where tasks run: Inline or Goroutine.
type Running interface {
	// run runs f, a task that has begun, by way of runTask.
	run(d *Driver, f func())
}

// Inline runs tasks on the worker, one after another. It costs least, and a
// slow task delays all that follow it.
type Inline struct{}

func (Inline) run(d *Driver, f func()) { runTask(d, f) }

// Goroutine runs every task on a goroutine of its own. No task delays another,
// any number of them may run at once, and tasks of the same instant run in any
// order.
type Goroutine struct{}

func (Goroutine) run(d *Driver, f func()) { go runTask(d, f) }

// runTask runs f, and outlives its panic. Every task runs through it, and it is
// never inlined, since insideTask looks for it on the stack.
//
//go:noinline
func runTask(d *Driver, f func()) {
	defer d.leave()
	returned := false
	defer func() {
		if returned {
			return
		}
		if value := recover(); value != nil {
			d.count(&d.stats.Panics)
			d.onPanic(value, debug.Stack())
		} else {
			d.count(&d.stats.Exits)
		}
	}()
	f()
	returned = true
}

// leave notes the end of the worker or of a task.
func (d *Driver) leave() {
	if d.live.Add(-1) == 0 {
		close(d.done)
	}
}

func (d *Driver) count(n *uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*n++
}

func logPanic(value any, stack []byte) {
	slog.Error("timer task panicked", "value", value, "stack", string(stack))
}

// insideTask reports whether its caller was called by a task of some driver:
// whether runTask is on the stack of this goroutine.
func insideTask() bool {
	name := runtime.FuncForPC(reflect.ValueOf(runTask).Pointer()).Name()
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
