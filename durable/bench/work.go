package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/machine"
	"schedbench/live"
)

const (
	farAway      = 24 * time.Hour         // how far ahead timers lie at least that are only held
	filledAtOnce = 10_000                 // timers in one call when they are held
	manyAtOnce   = 64                     // timers in one call of many
	mostCalls    = 20_000                 // timers that calls of a kind are made for at most
	calm         = 200 * time.Millisecond // for how long a process is left alone before it is watched
	least        = 300 * time.Millisecond // the shortest delay of a timer that fires, beyond what its contestant looks ahead
	patience     = 30 * time.Second       // how late timers are waited for: longer than any contestant is when it works
	batch        = 10 * time.Millisecond  // how often what has arrived is handed over
	fireKind     = "fire"                 // the kind of all tasks
)

// work is a job while a process does it.
type work struct {
	job
	contestant
	opened
	answer
	random *rand.Rand
	began  time.Time // when the first timer arrived
	mu     sync.Mutex
	fired  []live.Firing
}

// do does the job. What it has opened stays open.
func (j job) do(ctx context.Context) (*work, error) {
	all := contestants()
	c := all[slices.IndexFunc(all, func(c contestant) bool { return c.name == j.Contestant })]
	w := &work{job: j, contestant: c, random: rand.New(rand.NewPCG(j.Seed, 1)), answer: answer{Values: map[string]float64{}}}
	empty, fire, err := machine.Heap(), w.fire, error(nil)
	if !j.Run && !c.memory {
		fire = nil
	}
	w.opened, err = c.open(ctx, j.Place, fire)
	for left := j.Hold; left > 0 && err == nil; left -= filledAtOnce {
		err = w.Many(ctx, w.far(min(left, filledAtOnce)))
	}
	if c.memory && j.Hold > 0 {
		w.Values[BytesPerTimer] = max(1, (machine.Heap()-empty)/float64(j.Hold))
	}
	if err == nil && j.Calls > 0 {
		err = w.call(ctx)
	}
	if err == nil && j.Idle > 0 {
		w.rest()
	}
	if err == nil && j.Rate > 0 {
		err = w.play(ctx)
	}
	return w, err
}

// fire notes that a timer that arrived has fired.
func (w *work) fire(number uint32) {
	at := time.Since(w.began)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired = append(w.fired, live.Firing{Timer: int32(number), At: at})
}

// far returns n timers of an hour that is far away.
func (w *work) far(n int) []timer {
	all := make([]timer, n)
	for i := range all {
		all[i].at = time.Now().Add(farAway + time.Duration(w.random.Int64N(int64(time.Hour))))
	}
	return all
}

// call makes calls of each kind for a while. Until the first timer is kept it measures from the start of the process.
func (w *work) call(ctx context.Context) error {
	schedule := func(int) error { return w.Schedule(ctx, w.far(1)[0]) }
	if err := schedule(0); err != nil {
		return err
	}
	if !w.memory {
		w.Values[ReadyNs], w.Values[ReadyBytes] = float64(time.Now().UnixNano()-w.Began), mostMemory()
	}
	if _, err := w.timed(ManyNs, manyAtOnce, mostCalls, func(int) error { return w.Many(ctx, w.far(manyAtOnce)) }); err != nil {
		return err
	}
	calls, err := w.timed(ScheduleNs, 1, mostCalls, schedule)
	if r, ok := w.opened.(resetter); ok && err == nil {
		_, err = w.timed(ResetNs, 1, calls, func(i int) error { return r.Reset(ctx, i, w.far(1)[0].at) })
	}
	if err == nil {
		_, err = w.timed(CancelNs, 1, calls, func(i int) error { return w.Cancel(ctx, i) })
	}
	return err
}

// timed makes calls for several timers each, until it is enough of them or of time, and notes how long a timer takes.
func (w *work) timed(unit string, each, most int, f func(i int) error) (calls int, err error) {
	runtime.GC()
	began := time.Now()
	for ; calls*each < most && (calls%10 > 0 || calls == 0 || time.Since(began) < w.Calls); calls++ { // not each reads the clock
		if err := f(calls); err != nil {
			return calls, fmt.Errorf("%s: %w", unit, err)
		}
	}
	w.Values[unit] = float64(time.Since(began)) / float64(calls*each)
	return calls, nil
}

// rest measures what the process and its server use while nothing is due.
func (w *work) rest() {
	runtime.GC()
	time.Sleep(calm)
	used := func() time.Duration {
		u, _ := live.ReadUsage()
		return u.CPU + w.Server.cpu()
	}
	before, began := used(), time.Now()
	time.Sleep(w.Idle)
	w.Values[rundata.CPUPerSecond] = float64(max(used()-before, 0)) / time.Since(began).Seconds() // a process of the server that ends takes its time with it
}

// play has timers arrive, in a group each batch, and fire.
func (w *work) play(ctx context.Context) (err error) {
	at := make([]time.Duration, max(1, int(float64(w.Rate)*w.Load.Seconds())))
	for i := range at {
		at[i] = time.Duration(w.random.Int64N(int64(w.Load)))
	}
	slices.Sort(at)
	all, deadlines := make([]timer, len(at)), make([]time.Duration, len(at))
	w.began = time.Now()
	for i := range at {
		deadlines[i] = at[i] + w.Least + time.Duration(w.random.Int64N(int64(w.Spread)))
		all[i] = timer{w.began.Add(deadlines[i]), uint32(i)}
	}
	for from, to := 0, 0; from < len(at) && err == nil; from = to {
		time.Sleep(batch)
		for to = from; to < len(at) && at[to] <= time.Since(w.began); to++ {
		}
		if to > from {
			err = w.Many(ctx, all[from:to])
		}
	}
	end := w.began.Add(slices.Max(deadlines) + patience)
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.fired) < len(at) && time.Now().Before(end) && err == nil {
		w.mu.Unlock()
		time.Sleep(calm)
		w.mu.Lock()
	}
	w.Outcome = live.OutcomeOf(live.Arrivals(at, deadlines), w.fired)
	return err
}

// mostMemory returns the most memory that the process has had at once, 0 where the system does not tell.
func mostMemory() (kB float64) {
	_, _ = fmt.Sscan(machine.Field("/proc/self/status", "VmHWM"), &kB)
	return 1024 * kB
}
