package driver

import (
	"fmt"
	"iter"
	"time"

	"schedbench/internal/store"
	"schedbench/schedulers"
)

// movable is what a shard asks of its scheduler.
type movable interface {
	schedulers.Scheduler[Task]
	schedulers.Resetter
	schedulers.Valuer[Task]
	schedulers.Ranger[Task]
}

// movableOf returns s, or if it cannot do all that, one around it that can.
func movableOf(s schedulers.Scheduler[Task]) movable {
	if m, ok := s.(movable); ok {
		return m
	}
	return &indirect{s, store.New[[1]uint32, redirect]()}
}

// indirect makes any scheduler movable. The IDs that it gives out are its own, and
// lead to those of the scheduler, which change when a timer is reset. The tasks in the
// scheduler say which ID they belong to. It costs 40 bytes a timer and a second look
// at memory for each operation.
//
// It hides no fault of the scheduler: what comes out a second time, or though it was
// cancelled, runs.
type indirect struct {
	schedulers.Scheduler[Task]
	cells store.Store[[1]uint32, redirect]
}

// redirect is where an ID leads to.
type redirect struct {
	id   schedulers.ID // in the scheduler
	task Task
}

func (in *indirect) Schedule(deadline time.Duration, task Task) (schedulers.ID, error) {
	i, c := in.cells.Alloc()
	if c == nil {
		return 0, fmt.Errorf("driver: %w: %d", schedulers.ErrFull, in.cells.Used())
	}
	id := schedulers.MakeID(i, c.Gen)
	to, err := in.Scheduler.Schedule(deadline, Task{task.f, int64(id)})
	if err != nil {
		in.cells.Free(i, c)
		return 0, err
	}
	*in.cells.Val(i) = redirect{to, task}
	return id, nil
}

// find returns where id leads to, or nil if it is not pending.
func (in *indirect) find(id schedulers.ID) *redirect {
	if in.cells.Find(id.Cell(), id.Generation()) == nil {
		return nil
	}
	return in.cells.Val(id.Cell())
}

// end returns the task of id, which is not pending any more.
func (in *indirect) end(id schedulers.ID) Task {
	at := in.cells.Val(id.Cell())
	task := at.task
	*at = redirect{}
	in.cells.Free(id.Cell(), in.cells.Cell(id.Cell()))
	return task
}

func (in *indirect) Cancel(id schedulers.ID) bool {
	at := in.find(id)
	if at == nil || !in.Scheduler.Cancel(at.id) {
		return false
	}
	in.end(id)
	return true
}

// Reset takes the new place before it gives up the old one, since the scheduler may
// refuse.
func (in *indirect) Reset(id schedulers.ID, deadline time.Duration) (bool, error) {
	at := in.find(id)
	if at == nil {
		return false, nil
	}
	to, err := in.Scheduler.Schedule(deadline, Task{at.task.f, int64(id)})
	if err == nil {
		in.Scheduler.Cancel(at.id)
		at.id = to
	}
	return true, err
}

func (in *indirect) Expire(now time.Duration, due []Task) int {
	n := in.Scheduler.Expire(now, due)
	for i := range due[:n] {
		if id := schedulers.ID(due[i].n); in.find(id) != nil {
			due[i] = in.end(id)
		} else {
			due[i].n = 0
		}
	}
	return n
}

func (in *indirect) Value(id schedulers.ID) *Task {
	if at := in.find(id); at != nil {
		return &at.task
	}
	return nil
}

func (in *indirect) All() iter.Seq2[schedulers.ID, Task] {
	return func(yield func(schedulers.ID, Task) bool) {
		for i, c := range in.cells.All() {
			if !yield(schedulers.MakeID(i, c.Gen), in.cells.Val(i).task) {
				return
			}
		}
	}
}
