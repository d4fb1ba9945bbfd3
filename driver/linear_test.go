package driver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"schedbench/driver"
)

// timerCall is what is done with one timer: an input of the model. The output is whether it was done.
type timerCall struct {
	timer int
	kind  string // make, stop, reset, fire, close
	at    int64  // of make and reset: the task begins no sooner; of fire: it has begun
}

// timerStand is a state of the model: absent, pending, or what has ended the timer.
type timerStand struct {
	kind string
	due  int64 // while pending: the task begins no sooner
}

// timerModel says what one timer is, seen from outside: something that is made once and taken once, by the first
// of its task, Stop and Close, and that Reset gives other deadlines until then. Each call happens at one instant
// between its call and its return; that of the task between its making and its beginning. Timers are independent, so
// each has a history of its own.
var timerModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byTimer := make(map[int][]porcupine.Operation)
		for _, op := range history {
			timer := op.Input.(timerCall).timer
			byTimer[timer] = append(byTimer[timer], op)
		}
		return slices.Collect(maps.Values(byTimer))
	},
	Init: func() any { return timerStand{kind: "absent"} },
	Step: func(state, input, output any) (bool, any) {
		stand, call := state.(timerStand), input.(timerCall)
		pending := stand.kind == "pending"
		switch {
		case call.kind == "make":
			return stand.kind == "absent", timerStand{"pending", call.at}
		case !output.(bool):
			return !pending && stand.kind != "absent", stand
		case call.kind == "reset":
			return pending, timerStand{"pending", call.at}
		case call.kind == "fire":
			return pending && call.at >= stand.due, timerStand{kind: call.kind}
		}
		return pending, timerStand{kind: call.kind}
	},
}

// Every history of a live driver, with goroutines that stop and reset each
// other's timers while they fire, is one that the model allows.
func TestLinearizable(t *testing.T) {
	for _, s := range chosen("heapsched", "hierwheel", "heapsched-sharded", "hierwheel-sharded", "heapsched-queued", "hierwheel-queued") {
		for _, mode := range []driver.Running{driver.Inline{}, driver.Goroutine{}} {
			t.Run(fmt.Sprintf("%s/%T", s.name, mode), func(t *testing.T) {
				done := make(map[string]int)
				for range 4 {
					r := &historyRecorder{began: time.Now()}
					r.record(s.start(t, driver.WithRunning(mode)), 1000)
					require.NoError(t, r.check(done))
				}
				for _, kind := range []string{"fire", "stop", "reset"} {
					require.NotZero(t, done[kind], "%s: %v", kind, done)
				}
			})
		}
	}
}

// The model forbids what must not happen, so the test above can fail.
func TestLinearizableModel(t *testing.T) {
	op := func(kind string, call, end int64, done bool) porcupine.Operation {
		at := call + 5 // what is given a deadline is given this one
		if kind == "fire" {
			at = end
		}
		return porcupine.Operation{Input: timerCall{0, kind, at}, Call: call, Return: end, Output: done}
	}
	made := op("make", 0, 10, true)
	for name, history := range map[string][]porcupine.Operation{
		"fired and stopped":                 {made, op("fire", 15, 30, true), op("stop", 20, 25, true)},
		"fired twice":                       {made, op("fire", 15, 30, true), op("fire", 15, 40, true)},
		"stopped and reset":                 {made, op("stop", 20, 30, true), op("reset", 35, 40, true)},
		"fired and returned by Close":       {made, op("fire", 20, 30, true), op("close", 20, 30, true)},
		"not stopped, though long not due":  {made, op("stop", 20, 30, false), op("fire", 40, 50, true)},
		"fired after it was not stopped":    {made, op("stop", 20, 30, false), op("reset", 35, 45, true)},
		"not reset, and nothing came of it": {made, op("reset", 20, 30, false)},
		"fired before its deadline":         {made, op("fire", 1, 4, true)},
		"fired for the deadline before":     {made, op("reset", 20, 21, true), op("fire", 1, 24, true)},
		"reset, and lost":                   {made, op("reset", 20, 30, true), op("stop", 40, 50, false)},
	} {
		require.False(t, porcupine.CheckOperations(timerModel, history), name)
	}
	for name, history := range map[string][]porcupine.Operation{
		"stopped in time":       {made, op("stop", 20, 30, true), op("stop", 40, 50, false)},
		"fired meanwhile":       {made, op("fire", 15, 40, true), op("stop", 20, 30, false), op("reset", 25, 35, false)},
		"fires at once":         {made, op("fire", 1, 5, true)},
		"reset again and again": {made, op("reset", 20, 30, true), op("reset", 25, 35, true), op("stop", 40, 50, true)},
		"reset, and fired":      {made, op("reset", 20, 30, true), op("fire", 1, 50, true), op("reset", 60, 70, false)},
	} {
		require.True(t, porcupine.CheckOperations(timerModel, history), name)
	}
}

// A historyRecorder writes down what happens to the timers of one driver.
type historyRecorder struct {
	began time.Time

	mu    sync.Mutex // protects what follows
	tasks []*recordedTask
	ops   []porcupine.Operation
}

// A recordedTask is that of a timer.
type recordedTask struct {
	made int64
	runs []int64
}

// A shared timer is one that every goroutine may get at.
type shared struct {
	driver.Timer
	number int
}

func (r *historyRecorder) now() int64 { return int64(time.Since(r.began)) }

func (r *historyRecorder) write(timer int, kind string, at, call, end int64, done bool) {
	r.ops = append(r.ops, porcupine.Operation{Input: timerCall{timer, kind, at}, Call: call, Return: end, Output: done})
}

// record lets goroutines loose on d, closes it, and completes the history.
func (r *historyRecorder) record(d *driver.Driver, rounds int) {
	var slots [8]atomic.Pointer[shared]
	everywhere(4, func(int) {
		for i := range rounds {
			if i%100 == 99 {
				time.Sleep(ms) // let some fire
			}
			slot := &slots[rand.N(len(slots))]
			switch timer := slot.Load(); {
			case timer == nil || rand.N(4) == 0:
				slot.Store(r.make(d))
			case rand.N(2) == 0:
				r.reset(timer)
			default:
				r.stop(timer)
			}
		}
	})
	fired := make([]int, len(r.tasks))
	call := r.now()
	unfired, _ := d.Close(context.Background())
	end := r.now()
	for i, task := range r.tasks {
		fired[i] = len(task.runs)
		for _, run := range task.runs {
			r.write(i, "fire", run, task.made, run, true)
		}
	}
	for _, u := range unfired {
		u.Func()
	}
	for i, task := range r.tasks {
		for range len(task.runs) - fired[i] {
			r.write(i, "close", 0, call, end, true)
		}
	}
}

func delay() time.Duration { return rand.N(300 * time.Microsecond) }

func (r *historyRecorder) make(d *driver.Driver) *shared {
	delay, call := delay(), r.now()
	task := &recordedTask{made: call}
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
	n := len(r.tasks)
	r.tasks = append(r.tasks, task)
	r.write(n, "make", call+int64(delay), call, end, true)
	return &shared{timer, n}
}

func (r *historyRecorder) reset(s *shared) {
	delay, call := delay(), r.now()
	done, err := s.ResetPending(delay)
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		panic(err)
	}
	r.write(s.number, "reset", call+int64(delay), call, end, done)
}

func (r *historyRecorder) stop(s *shared) {
	call := r.now()
	done := s.Stop()
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(s.number, "stop", 0, call, end, done)
}

// check returns what is wrong with the history, and counts the deeds in it by kind.
func (r *historyRecorder) check(count map[string]int) error {
	ends := make([]int, len(r.tasks))
	for _, op := range r.ops {
		did := op.Input.(timerCall)
		if !op.Output.(bool) {
			continue
		}
		count[did.kind]++
		if did.kind != "make" && did.kind != "reset" {
			ends[did.timer]++
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

// limitModel says what WithMaxPending means to goroutines that make timers and
// stop them: a timer is taken exactly if fewer than the limit are pending.
func limitModel(limit int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			pending := state.(int)
			switch {
			case input == "stop":
				return true, pending - 1
			case output.(bool):
				return pending < limit, pending + 1
			}
			return pending >= limit, pending
		},
	}
}

// No timer is refused while there is room, nor taken while there is none: not
// even at the moment at which others are refused.
func TestMaxPendingIsLinearizable(t *testing.T) {
	for _, s := range chosen("heapsched", "heapsched-sharded", "heapsched-queued") {
		t.Run(s.name, func(t *testing.T) {
			for range 200 {
				d := s.start(t, driver.WithMaxPending(3))
				history := limitHistory(d)
				require.NoError(t, second(d.Close(t.Context())))
				require.True(t, porcupine.CheckOperations(limitModel(3), history))
			}
		})
	}
}

// limitHistory lets goroutines make timers, up to two each, and stop them.
func limitHistory(d *driver.Driver) (history []porcupine.Operation) {
	var mu sync.Mutex // protects history
	began := time.Now()
	everywhere(5, func(i int) {
		var held []driver.Timer
		var mine []porcupine.Operation
		for range 10 {
			op := porcupine.Operation{Input: "make", Output: false, Call: int64(time.Since(began))}
			timer, err := d.AfterFunc(time.Hour, nothing)
			op.Return = int64(time.Since(began))
			if err == nil {
				op.Output = true
				held = append(held, timer)
			}
			mine = append(mine, op)
			if err == nil && len(held) < 2 {
				continue
			}
			for _, timer := range held {
				op := porcupine.Operation{Input: "stop", Output: true, Call: int64(time.Since(began))}
				timer.Stop()
				op.Return = int64(time.Since(began))
				mine = append(mine, op)
			}
			held = nil
		}
		mu.Lock()
		defer mu.Unlock()
		history = append(history, mine...)
	})
	return history
}
