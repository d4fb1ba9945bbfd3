package driver_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"schedbench/driver"
	"schedbench/internal/must"
)

// timerCall is what is done with one timer: an input of the model. The output is whether it was done.
type timerCall struct {
	timer *historyTimer
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
		byTimer := make(map[*historyTimer][]porcupine.Operation)
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

// Goroutines make, stop, move and list timers, their own and each other's, on the real clock, until one closes the driver
// under them. The model allows every history, and each timer ends exactly once. With SCHEDBENCH_LONG=1 this takes twenty
// times as many operations.
func TestLinearizable(t *testing.T) {
	operations := 20_000
	if os.Getenv("SCHEDBENCH_LONG") != "" {
		operations *= 20
	} else if testing.Short() {
		operations /= 10
	}
	for _, s := range allVariants() {
		for name, opts := range map[string][]driver.Option{
			"inline":    nil,
			"goroutine": {driver.WithRunning(driver.Goroutine{}), driver.WithStates()},
			"pool":      {driver.WithRunning(driver.Pool{Workers: 2, Queue: 1, Full: driver.RunInline})},
			"tick":      {driver.WithWaking(driver.FixedTick(ms)), driver.WithAtOnce()},
			"slack":     {driver.WithSlack(ms), driver.WithStates()},
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel() // with each other: most of it is sleep
				h := &history{began: time.Now()}
				d := s.start(t, opts...)
				h.play(t, d, operations)
				h.check(t, d)
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
		return porcupine.Operation{Input: timerCall{nil, kind, at}, Call: call, Return: end, Output: done}
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

// A history is what happens to the timers of one driver.
type history struct {
	began  time.Time
	timers []*historyTimer
	ops    []porcupine.Operation
}

// A historyTimer is one that every goroutine may get at.
type historyTimer struct {
	driver.Timer
	made int64
	mu   sync.Mutex // protects runs
	runs []int64
}

func (h *history) now() int64 { return int64(time.Since(h.began)) }

func (h *history) write(timer *historyTimer, kind string, at, call, end int64, done bool) {
	h.ops = append(h.ops, porcupine.Operation{Input: timerCall{timer, kind, at}, Call: call, Return: end, Output: done})
}

// play lets goroutines loose on d, one of which closes it, and completes the history.
func (h *history) play(t *testing.T, d *driver.Driver, operations int) {
	parts := make([]history, 8)
	var slots [16]atomic.Pointer[historyTimer]
	var unfired []driver.Unfired
	var call, end int64 // of Close
	everywhere(len(parts), func(g int) {
		parts[g].began = h.began
		random := rand.New(rand.NewPCG(uint64(g), uint64(operations)))
		for i := range operations / len(parts) {
			if i%100 == 99 {
				time.Sleep(ms) // let some fire
			}
			if g == 0 && i == operations/len(parts)*3/4 {
				for d.Stats().Fired == 0 {
					time.Sleep(ms)
				}
				call = h.now()
				unfired = must.Get(d.Close(context.Background()))(t)
				end = h.now()
			}
			parts[g].step(t, d, &slots[random.IntN(len(slots))], random)
		}
	})
	for _, p := range parts {
		h.timers, h.ops = append(h.timers, p.timers...), append(h.ops, p.ops...)
	}
	fired := map[*historyTimer]int{}
	for _, timer := range h.timers {
		fired[timer] = len(timer.runs)
		for _, run := range timer.runs {
			require.LessOrEqual(t, run, end, "nothing begins after Close")
			h.write(timer, "fire", run, timer.made, run, true)
		}
	}
	for _, u := range unfired {
		u.Func()
	}
	for _, timer := range h.timers {
		for range timer.runs[fired[timer]:] {
			h.write(timer, "close", 0, call, end, true)
		}
	}
}

// step makes a timer, or does something with that of the slot.
func (h *history) step(t *testing.T, d *driver.Driver, slot *atomic.Pointer[historyTimer], random *rand.Rand) {
	delay := time.Duration(random.IntN(int(ms)))
	timer, kind := slot.Load(), random.IntN(64)
	call := h.now()
	switch {
	case timer == nil || kind < 24:
		if kind < 4 {
			delay = 5 * time.Minute
		}
		h.make(t, d, slot, delay)
	case kind < 40:
		done := timer.Stop()
		h.write(timer, "stop", 0, call, h.now(), done)
	case kind < 60:
		done := reset(t, timer.Timer, delay)
		h.write(timer, "reset", call+int64(delay), call, h.now(), done)
	case kind < 63:
		timer.State()
	default:
		d.All()
	}
}

func (h *history) make(t *testing.T, d *driver.Driver, slot *atomic.Pointer[historyTimer], delay time.Duration) {
	timer := &historyTimer{made: h.now()}
	var err error
	timer.Timer, err = d.AfterFunc(delay, func() {
		now := h.now()
		timer.mu.Lock()
		defer timer.mu.Unlock()
		timer.runs = append(timer.runs, now)
	})
	if err != nil {
		require.ErrorIs(t, err, driver.ErrClosed)
		return
	}
	h.write(timer, "make", timer.made+int64(delay), timer.made, h.now(), true)
	h.timers = append(h.timers, timer)
	slot.Store(timer)
}

// check compares the history with the model and with what the driver says.
func (h *history) check(t *testing.T, d *driver.Driver) {
	count, ends := map[string]int{}, map[*historyTimer][]string{}
	for _, op := range h.ops {
		if did := op.Input.(timerCall); op.Output.(bool) {
			count[did.kind]++
			if did.kind != "make" && did.kind != "reset" {
				ends[did.timer] = append(ends[did.timer], did.kind)
			}
		}
	}
	for _, timer := range h.timers {
		require.Len(t, ends[timer], 1)
		if state := timer.State(); state != driver.Unknown {
			require.Equal(t, ends[timer][0] == "fire", state == driver.Fired, "%v", state)
		}
	}
	st := d.Stats()
	require.Equal(t, map[string]int{
		"make": int(st.Scheduled), "reset": int(st.Reset), "stop": int(st.Stopped), "fire": int(st.Fired), "close": count["close"],
	}, count)
	require.NotZero(t, count["close"])
	require.Zero(t, d.Len())
	require.True(t, porcupine.CheckOperations(timerModel, h.ops), "the history is not linearizable")
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
