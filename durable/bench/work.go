package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"schedbench/harness"
	"schedbench/live"
)

const (
	// farAway is how far ahead timers lie at least that are only held.
	farAway = 24 * time.Hour
	// filledAtOnce is how many timers are handed over at once to be held.
	filledAtOnce = 10_000
	// manyAtOnce is how many timers one of many is scheduled with.
	manyAtOnce = 64
	// mostCalls is how many calls of a kind are made at most.
	mostCalls = 20_000
	// calm is for how long a process is left alone before it is watched.
	calm = 200 * time.Millisecond
)

// work is a job while a process does it.
type work struct {
	job
	contestant
	keeper
	answer
	random *rand.Rand

	mu    sync.Mutex
	tasks []func() // by number, of timers that fire
}

// do does the job. What it has opened stays open.
func (j job) do(ctx context.Context) (_ *work, err error) {
	c, ok := find(j.Contestant)
	if !ok {
		return nil, fmt.Errorf("no contestant %q", j.Contestant)
	}
	w := &work{job: j, contestant: c, random: rand.New(rand.NewPCG(j.Seed, 1)), answer: answer{Values: map[string]float64{}}}
	empty := heap()
	var fire func(uint32)
	if j.Run || c.memory {
		fire = w.fire
	}
	if w.keeper, err = c.open(ctx, j.Place, fire); err != nil {
		return nil, err
	}
	if err := w.hold(ctx); err != nil {
		return nil, err
	}
	if c.memory && j.Hold > 0 {
		w.Values[BytesPerTimer] = max(1, (heap()-empty)/float64(j.Hold))
	}
	for _, step := range []struct {
		asked bool
		do    func(context.Context) error
	}{{j.Calls > 0, w.call}, {j.Idle > 0, w.rest}, {j.Rate > 0, w.play}} {
		if step.asked {
			if err := step.do(ctx); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// fire runs the task of a number.
func (w *work) fire(number uint32) {
	w.mu.Lock()
	var task func()
	if int(number) < len(w.tasks) {
		task = w.tasks[number]
	}
	w.mu.Unlock()
	if task != nil {
		task()
	}
}

// far returns a timer of an hour that is far away.
func (w *work) far() timer {
	return timer{at: time.Now().Add(farAway + time.Duration(w.random.Int64N(int64(time.Hour))))}
}

// hold has as many timers held as are asked for.
func (w *work) hold(ctx context.Context) error {
	for left := w.Hold; left > 0; left -= filledAtOnce {
		all := make([]timer, min(left, filledAtOnce))
		for i := range all {
			all[i] = w.far()
		}
		if err := w.Many(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// call makes calls of each kind for a while. The first tells how long it took from the start of the
// process until a timer was kept.
func (w *work) call(ctx context.Context) error {
	if err := w.Schedule(ctx, w.far()); err != nil {
		return err
	}
	if !w.memory {
		w.Values[ReadyNs], w.Values[ReadyBytes] = float64(time.Now().UnixNano()-w.Began), mostMemory()
	}
	all := make([]timer, manyAtOnce)
	if _, err := w.timed(ManyNs, manyAtOnce, mostCalls, func(int) error {
		for i := range all {
			all[i] = w.far()
		}
		return w.Many(ctx, all)
	}); err != nil {
		return err
	}
	calls, err := w.timed(ScheduleNs, 1, mostCalls, func(int) error { return w.Schedule(ctx, w.far()) })
	if err != nil {
		return err
	}
	if r, ok := w.keeper.(resetter); ok {
		if _, err := w.timed(ResetNs, 1, calls, func(i int) error { return r.Reset(ctx, i, w.far().at) }); err != nil {
			return err
		}
	}
	_, err = w.timed(CancelNs, 1, calls, func(i int) error { return w.Cancel(ctx, i) })
	return err
}

// timed makes calls, each of which counts for several, until it is enough of them or of time, and
// notes how long one takes.
func (w *work) timed(unit string, each, most int, f func(i int) error) (calls int, err error) {
	runtime.GC()
	began := time.Now()
	for calls*each < most && (calls == 0 || time.Since(began) < w.Calls) {
		for range min(10, most-calls) { // between two looks at the clock
			if err := f(calls); err != nil {
				return calls, fmt.Errorf("%s: %w", unit, err)
			}
			calls++
		}
	}
	w.Values[unit] = float64(time.Since(began)) / float64(calls*each)
	return calls, nil
}

// rest measures what the process and its server use while nothing is due.
func (w *work) rest(context.Context) error {
	runtime.GC()
	time.Sleep(calm)
	used := func() time.Duration {
		u, _ := live.ReadUsage()
		return u.CPU + w.Server.cpu()
	}
	before, began := used(), time.Now()
	time.Sleep(w.Idle)
	if _, ok := live.ReadUsage(); ok {
		w.Values[harness.CPUPerSecond] = float64(used()-before) / time.Since(began).Seconds()
	}
	return nil
}

// play has timers arrive and fire.
func (w *work) play(ctx context.Context) error {
	at, deadlines := w.arrivals()
	s := live.Arrivals(at, deadlines)
	return live.OnThread(func(c *live.Clock) (err error) {
		start := func(time.Duration) (live.Target, error) { return live.OnTimers(newGroups(ctx, w), s.Timers), nil }
		w.Outcome, err = live.Play(ctx, c, s, start, live.Options{Patience: w.Patience})
		return err
	})
}

// least is the shortest delay of a timer that fires, beyond what its contestant looks ahead.
const least = 300 * time.Millisecond

// arrivals draws when timers arrive, and their deadlines.
func (w *work) arrivals() (at, deadlines []time.Duration) {
	n := int(float64(w.Rate) * w.Load.Seconds())
	for range max(n, 1) {
		at = append(at, time.Duration(w.random.Int64N(int64(w.Load))))
	}
	slices.Sort(at)
	for _, t := range at {
		deadlines = append(deadlines, t+w.ahead+least+time.Duration(w.random.Int64N(int64(w.Spread))))
	}
	return at, deadlines
}

// groups arms timers as they come, all together that come while others are handed over.
type groups struct {
	w     *work
	ctx   context.Context
	mu    sync.Mutex
	open  []timer
	more  chan struct{}
	ended chan error
}

func newGroups(ctx context.Context, w *work) *groups {
	g := &groups{w: w, ctx: ctx, more: make(chan struct{}, 1), ended: make(chan error, 1)}
	go func() {
		for range g.more {
			g.mu.Lock()
			all := g.open
			g.open = nil
			g.mu.Unlock()
			if len(all) == 0 { // they went with those before
				continue
			}
			if err := w.Many(ctx, all); err != nil {
				g.ended <- err
				return
			}
		}
		g.ended <- nil
	}()
	return g
}

// AfterFunc implements live.Timers.
func (g *groups) AfterFunc(delay time.Duration, task func()) (live.Timer, error) {
	t := timer{at: time.Now().Add(delay)}
	g.w.mu.Lock()
	t.number = uint32(len(g.w.tasks))
	g.w.tasks = append(g.w.tasks, task)
	g.w.mu.Unlock()
	g.mu.Lock()
	g.open = append(g.open, t)
	g.mu.Unlock()
	select {
	case g.more <- struct{}{}:
	default:
	}
	return nil, nil
}

// Close implements live.Timers.
func (g *groups) Close() error {
	close(g.more)
	return <-g.ended
}

// heap collects garbage and returns how many bytes are left.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// mostMemory returns the most memory that the process has had at once, 0 where the system does not
// tell.
func mostMemory() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			kB, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return 1024 * kB
		}
	}
	return 0
}
