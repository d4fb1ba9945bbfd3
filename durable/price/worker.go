package price

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"schedbench/harness/rundata"
	"schedbench/live"
)

// worker is this process as it does a job.
type worker struct {
	job
	requests *bufio.Reader
}

// keeping is what keeps timers while it is measured.
type keeping interface {
	// Hold hands over a timer that nobody asks for again, and Post one that has a name. Flush
	// returns when all of those are kept.
	Hold(at time.Time) error
	Post(at time.Time) error
	Flush() error
	// Schedule returns when the timer is kept.
	Schedule(at time.Time) error
	// Cancel returns when it is known that a timer will not fire. Its name is how many were
	// posted and scheduled before.
	Cancel(name int) error
	// Held counts what is held.
	Held() (int, error)
	// Timers arms timers that fire here. Closing them leaves the rest to Close.
	Timers() live.Timers
	// Close ends it in order.
	Close() error
}

// farAway is how far ahead timers lie at least that are only held.
const farAway = 24 * time.Hour

// work does the job.
func (w *worker) work(answered func(*answer) error) error {
	if w.Do == doServer {
		return w.serve(answered)
	}
	empty := heap()
	k, err := w.open()
	if err != nil {
		return err
	}
	a := &answer{Values: map[string]float64{}}
	switch w.Do {
	case doFill:
		err = w.fill(k, a)
	case doClose:
		err = k.Close()
	case doReady, doHeld:
		err = w.beReady(k, a, empty)
		if err == nil && w.Do == doHeld {
			err = w.call(k, a)
		}
	case doLive:
		err = w.fire(k, a)
	case doChange:
		err = w.fireLater(k, a, answered)
	default:
		err = fmt.Errorf("no such job: %q", w.Do)
	}
	if err != nil {
		return err
	}
	return answered(a)
}

// open opens what keeps the timers.
func (w *worker) open() (keeping, error) {
	switch {
	case w.Keeper.inMemory():
		return newInMemory(w.Keeper)
	case w.Keeper.Impl == Poll:
		return newPoller(w.Keeper, w.Dir)
	case w.Keeper.Impl == Bare:
		return newBare(w.Keeper, w.Dir)
	}
	return openDurable(w.job)
}

// fill holds as many timers as are asked for, all of them far away.
func (w *worker) fill(k keeping, a *answer) error {
	r, began := rand.New(rand.NewPCG(w.Seed, 1)), time.Now()
	for range w.job.Held {
		if err := k.Hold(anHour(r)); err != nil {
			return err
		}
	}
	if err := k.Flush(); err != nil {
		return err
	}
	if w.job.Held > 0 {
		a.Values[FillNs] = float64(time.Since(began)) / float64(w.job.Held)
	}
	return nil
}

// anHour draws an instant of an hour that is far away.
func anHour(r *rand.Rand) time.Time {
	return time.Now().Add(farAway + time.Duration(r.Int64N(int64(time.Hour))))
}

// prepared has as many timers held as are asked for: those of the folder, or new ones where it
// holds none.
func (w *worker) prepared(k keeping) error {
	n, err := k.Held()
	if err == nil && n == 0 && w.job.Held > 0 {
		if err = w.fill(k, &answer{Values: map[string]float64{}}); err == nil {
			n, err = k.Held()
		}
	}
	if err == nil && n != w.job.Held {
		err = fmt.Errorf("%d timers are held, want %d", n, w.job.Held)
	}
	return err
}

// beReady holds the timers, and tells what that took: where they are of a folder, from the start
// of the process.
func (w *worker) beReady(k keeping, a *answer, empty float64) error {
	if err := w.prepared(k); err != nil {
		return err
	}
	if w.Dir != "" {
		a.Values[ReadyNs], a.Values[ReadyBytes] = float64(time.Now().UnixNano()-w.Began), mostMemory()
	}
	if w.URL != "" || w.Keeper.Sync == SyncAlways || w.Keeper.Impl == Bare { // they are in the servers, or no others than without
		return nil
	}
	a.Values[rundata.BytesPerTimer] = heap()
	if w.Keeper.inMemory() {
		a.Values[rundata.BytesPerTimer] -= empty
	}
	a.Values[rundata.BytesPerTimer] /= float64(max(w.job.Held, 1))
	return nil
}

// heap collects garbage and returns how many bytes are left.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// mostMemory returns the most memory that the process has had at once, 0 where the system does
// not tell.
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

const (
	// atOnce is how many calls are made between two looks at the clock, and mostCalls how many
	// at most.
	atOnce    = 10
	mostCalls = 20_000
)

// call makes calls of each kind for a while.
func (w *worker) call(k keeping, a *answer) error {
	r := rand.New(rand.NewPCG(w.Seed, 2))
	posted, err := w.timed(a, PostedNs, PostedCPU, mostCalls, func(int) error { return k.Post(anHour(r)) }, k.Flush)
	if err != nil {
		return err
	}
	acked, err := w.timed(a, AckedNs, AckedCPU, mostCalls, func(int) error { return k.Schedule(anHour(r)) }, nil)
	if err != nil {
		return err
	}
	_, err = w.timed(a, CancelNs, CancelCPU, acked, func(i int) error { return k.Cancel(posted + i) }, nil)
	a.Iterations = acked
	return err
}

// timed makes calls until it is enough of them, or of time, and a last one that is part of
// them. It tells how long one takes, and how much of the CPU time of the process.
func (w *worker) timed(a *answer, ns, cpu string, most int, f func(i int) error, last func() error) (calls int, err error) {
	runtime.GC()
	before, metered := live.ReadUsage()
	began := time.Now()
	for calls < most && (time.Since(began) < w.Calls || calls == 0) {
		for range min(atOnce, most-calls) {
			if err := f(calls); err != nil {
				return calls, err
			}
			calls++
		}
	}
	if last != nil {
		err = last()
	}
	a.Values[ns] = float64(time.Since(began)) / float64(calls)
	if after, _ := live.ReadUsage(); metered {
		a.Values[cpu] = float64(after.CPU-before.CPU) / float64(calls)
	}
	return calls, err
}

// fire has nothing happen for a while, and then timers fire.
func (w *worker) fire(k keeping, a *answer) error {
	if err := w.prepared(k); err != nil {
		return err
	}
	runtime.GC()
	time.Sleep(calm)
	if w.Idle > 0 {
		w.rest(a)
	}
	s := live.Arrivals(w.Arrivals, w.Deadlines)
	a.Iterations = len(w.Arrivals)
	return live.OnThread(func(c *live.Clock) (err error) {
		start := func(time.Duration) (live.Target, error) { return live.OnTimers(k.Timers(), s.Timers), nil }
		a.Outcome, err = live.Play(context.Background(), c, s, start, live.Options{Patience: w.Keeper.Interval + patience})
		return err
	})
}

const (
	// calm is for how long a process is left alone before it is watched.
	calm = 200 * time.Millisecond
	// patience is how much longer than a second timers are waited for that the engine brings.
	patience = time.Second
)

// rest measures what is used while nothing is due, by the servers too where they are elsewhere.
func (w *worker) rest(a *answer) {
	before, metered := live.ReadUsage()
	began, servers := time.Now(), w.serversCPU()
	time.Sleep(w.Idle)
	took := time.Since(began).Seconds()
	after, _ := live.ReadUsage()
	if !metered {
		return
	}
	a.Values[rundata.CPUPerSecond] = float64(after.CPU-before.CPU) / took
	a.Values[rundata.SwitchesPerSecond] = float64(after.Switches-before.Switches) / took
	if spent := w.serversCPU() - servers; !math.IsNaN(spent) && len(w.Processes) > 0 {
		a.Values[ServersCPU] = spent / took
	}
}

// serversCPU returns the CPU time of the servers that are processes of their own.
func (w *worker) serversCPU() (ns float64) {
	for _, pid := range w.Processes {
		u, ok := live.ReadUsageOf(pid)
		if !ok {
			return math.NaN()
		}
		ns += float64(u.CPU)
	}
	return ns
}
