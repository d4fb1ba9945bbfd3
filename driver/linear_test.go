package driver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// timerCall is what is done with one timer: an input of the model. The output is whether it
// was done.
type timerCall struct {
	timer int
	kind  string // make, stop, reset, fire, close
}

// timerModel says what one timer is, seen from outside: something that is made
// once and taken once, by whoever comes first of its task, Stop, Reset and Close.
// Each call happens at one instant between its call and its return; that of the
// task between its deadline and its beginning. Timers are independent, so each
// has a history of its own.
var timerModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byTimer := make(map[int][]porcupine.Operation)
		for _, op := range history {
			timer := op.Input.(timerCall).timer
			byTimer[timer] = append(byTimer[timer], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range byTimer {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return "absent" },
	Step: func(state, input, output any) (bool, any) {
		kind, done := input.(timerCall).kind, output.(bool)
		switch {
		case kind == "make":
			return state == "absent", "pending"
		case done:
			return state == "pending", kind
		}
		return state != "pending" && state != "absent", state
	},
}

// Every history of a live driver, with goroutines that stop and reset each
// other's timers while they fire, is one that the model allows.
func TestLinearizable(t *testing.T) {
	for _, s := range subjects() {
		switch s.name {
		case "heapsched", "hierwheel", "heapsched-sharded", "hierwheel-sharded", "heapsched-queued", "hierwheel-queued":
		default:
			continue
		}
		for _, mode := range []driver.Running{driver.Inline{}, driver.Goroutine{}} {
			t.Run(fmt.Sprintf("%s/%T", s.name, mode), func(t *testing.T) {
				done := make(map[timerCall]int)
				for range 4 {
					r := &historyRecorder{began: time.Now()}
					r.record(s.start(t, driver.WithRunning(mode)), 1000)
					require.NoError(t, r.check(done))
				}
				for _, kind := range []string{"fire", "stop", "reset"} {
					require.NotZero(t, done[timerCall{kind: kind}], "%s: %v", kind, done)
				}
			})
		}
	}
}

// The model forbids what must not happen, so the test above can fail.
func TestLinearizableModel(t *testing.T) {
	op := func(kind string, call, end int64, done bool) porcupine.Operation {
		return porcupine.Operation{Input: timerCall{0, kind}, Call: call, Return: end, Output: done}
	}
	made := op("make", 0, 10, true)
	for name, history := range map[string][]porcupine.Operation{
		"fired and stopped":                 {made, op("fire", 15, 30, true), op("stop", 20, 25, true)},
		"fired twice":                       {made, op("fire", 15, 30, true), op("fire", 15, 40, true)},
		"stopped and reset":                 {made, op("stop", 20, 30, true), op("reset", 20, 30, true)},
		"fired and returned by Close":       {made, op("fire", 20, 30, true), op("close", 20, 30, true)},
		"not stopped, though long not due":  {made, op("stop", 20, 30, false), op("fire", 40, 50, true)},
		"fired after it was not stopped":    {made, op("stop", 20, 30, false), op("reset", 35, 45, true)},
		"not reset, and nothing came of it": {made, op("reset", 20, 30, false)},
	} {
		require.False(t, porcupine.CheckOperations(timerModel, history), name)
	}
	for name, history := range map[string][]porcupine.Operation{
		"stopped in time": {made, op("stop", 20, 30, true), op("stop", 40, 50, false)},
		"fired meanwhile": {made, op("fire", 15, 40, true), op("stop", 20, 30, false), op("reset", 25, 35, false)},
		"fires at once":   {made, op("fire", 1, 5, true)},
	} {
		require.True(t, porcupine.CheckOperations(timerModel, history), name)
	}
}

// A historyRecorder writes down what happens to the timers of one driver.
type historyRecorder struct {
	began time.Time

	mu     sync.Mutex // protects what follows
	timers int
	tasks  []*recordedTask
	ops    []porcupine.Operation
}

// A recordedTask is that of a timer, or of several, one made of the other by
// Reset. Whatever becomes of it becomes of the last.
type recordedTask struct {
	last int   // its timer
	due  int64 // no sooner than this
	runs []int64
}

// A shared timer is one that every goroutine may get at.
type shared struct {
	driver.Timer
	*recordedTask
	number int
}

func (r *historyRecorder) now() int64 { return int64(time.Since(r.began)) }

func (r *historyRecorder) write(timer int, kind string, call, end int64, done bool) {
	r.ops = append(r.ops, porcupine.Operation{Input: timerCall{timer, kind}, Call: call, Return: end, Output: done})
}

// record lets goroutines loose on d, closes it, and completes the history.
func (r *historyRecorder) record(d *driver.Driver, rounds int) {
	var slots [8]atomic.Pointer[shared]
	everywhere(4, func(int) {
		for i := range rounds {
			if i%100 == 99 {
				time.Sleep(ms) // let some fire
			}
			slot, made := &slots[rand.N(len(slots))], (*shared)(nil)
			switch timer := slot.Load(); {
			case timer == nil || rand.N(4) == 0:
				made = r.make(d)
			case rand.N(3) == 0:
				made = r.reset(timer)
			default:
				r.stop(timer)
			}
			if made != nil {
				slot.Store(made)
			}
		}
	})
	fired := make(map[*recordedTask]int)
	call := r.now()
	unfired, _ := d.Close(context.Background())
	end := r.now()
	for _, task := range r.tasks {
		fired[task] = len(task.runs)
		for _, run := range task.runs {
			r.write(task.last, "fire", task.due, run, true)
		}
	}
	for _, u := range unfired {
		u.Func()
	}
	for _, task := range r.tasks {
		for range len(task.runs) - fired[task] {
			r.write(task.last, "close", call, end, true)
		}
	}
}

func delay() time.Duration { return rand.N(300 * time.Microsecond) }

func (r *historyRecorder) make(d *driver.Driver) *shared {
	task, delay, call := new(recordedTask), delay(), r.now()
	timer, err := d.AfterFunc(delay, func() {
		now := r.now()
		r.mu.Lock()
		defer r.mu.Unlock()
		task.runs = append(task.runs, now)
	})
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		panic(err)
	}
	r.tasks = append(r.tasks, task)
	return r.made(timer, task, call, end, delay)
}

func (r *historyRecorder) made(timer driver.Timer, task *recordedTask, call, end int64, delay time.Duration) *shared {
	task.last, task.due = r.timers, call+int64(delay)
	r.timers++
	r.write(task.last, "make", call, end, true)
	return &shared{timer, task, task.last}
}

func (r *historyRecorder) reset(s *shared) *shared {
	delay, call := delay(), r.now()
	timer, done, err := s.Reset(delay)
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		panic(err)
	}
	r.write(s.number, "reset", call, end, done)
	if !done {
		return nil
	}
	return r.made(timer, s.recordedTask, call, end, delay)
}

func (r *historyRecorder) stop(s *shared) {
	call := r.now()
	done := s.Stop()
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(s.number, "stop", call, end, done)
}

// check returns what is wrong with the history, and counts the deeds in it by kind.
func (r *historyRecorder) check(count map[timerCall]int) error {
	ends := make([]int, r.timers)
	for _, op := range r.ops {
		did := op.Input.(timerCall)
		if op.Call > op.Return {
			return fmt.Errorf("timer %d: %s before its deadline", did.timer, did.kind)
		}
		if op.Output.(bool) && did.kind != "make" {
			ends[did.timer]++
			count[timerCall{kind: did.kind}]++
		}
	}
	for timer, n := range ends {
		if n != 1 {
			return fmt.Errorf("timer %d ended %d times", timer, n)
		}
	}
	if !porcupine.CheckOperations(timerModel, r.ops) {
		return errors.New("history is not linearizable")
	}
	return nil
}
