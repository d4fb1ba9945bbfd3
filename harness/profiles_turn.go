package harness

import (
	"context"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/workload"
)

// armer arms the timers of a scene, by number.
type armer interface {
	arm(i int32, delay time.Duration, f func()) error
	stop(i int32) bool
	move(i int32, delay time.Duration) (bool, error)
}

// armerOf returns an armer of n timers of a driver, or of the runtime.
func armerOf(d *driver.Driver, n int) armer {
	if d == nil {
		return runtimeArmer(make([]*time.Timer, n))
	}
	return &driverArmer{d, make([]driver.Timer, n)}
}

type driverArmer struct {
	d      *driver.Driver
	timers []driver.Timer
}

func (a *driverArmer) arm(i int32, delay time.Duration, f func()) (err error) {
	a.timers[i], err = a.d.AfterFunc(delay, f)
	return err
}

func (a *driverArmer) stop(i int32) bool { return a.timers[i].Stop() }

func (a *driverArmer) move(i int32, delay time.Duration) (bool, error) {
	t, ok, err := a.timers[i].Reset(delay)
	if ok {
		a.timers[i] = t
	}
	return ok, err
}

type runtimeArmer []*time.Timer

func (a runtimeArmer) arm(i int32, delay time.Duration, f func()) error {
	a[i] = time.AfterFunc(delay, f)
	return nil
}

func (a runtimeArmer) stop(i int32) bool { return a[i] != nil && a[i].Stop() }

// move stops the timer first: Reset would arm one again that has fired.
func (a runtimeArmer) move(i int32, delay time.Duration) (bool, error) {
	if !a.stop(i) {
		return false, nil
	}
	a[i].Reset(delay)
	return true, nil
}

// liveTurn is a run of a scene on the real clock.
type liveTurn struct {
	*scene
	armer
	start    time.Time // of the scene, at its time 0
	tasks    []func()
	fired    []firing
	deadline []time.Duration // by timer: the one that holds
	stopped  []bool
}

func newLiveTurn(sc *scene, a armer) *liveTurn {
	t := &liveTurn{
		scene: sc, armer: a, tasks: make([]func(), sc.count), fired: make([]firing, sc.count),
		deadline: make([]time.Duration, sc.count), stopped: make([]bool, sc.count),
	}
	for i := range t.tasks {
		t.tasks[i] = func() { t.fired[i].fire(time.Since(t.start)) }
	}
	return t
}

// run arms what the scene begins with, does the operations as their time comes,
// waits for the timers that are due by the end of the slice, and returns what is
// to be said of them.
func (t *liveTurn) run(ctx context.Context, r runner, series *Series) (map[string]float64, error) {
	collectGarbage()
	t.start = time.Now().Add(time.Duration(t.begun)*perArming + liveLead + batchEvery)
	if err := t.armAll(r.LinearInsert); err != nil {
		return nil, err
	}
	time.Sleep(-liveLead - time.Since(t.start))
	before, metered := readUsage()
	began := time.Now()
	for i := t.begun; i < len(t.ops); time.Sleep(liveBatch) {
		now := time.Since(t.start)
		if now > t.slice+patience {
			return nil, errBehind
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for ; i < len(t.ops) && t.ops[i].At <= now+liveLead; i++ {
			if err := t.do(i); err != nil {
				return nil, err
			}
		}
	}
	time.Sleep(t.slice - time.Since(t.start))
	after, _ := readUsage()
	took := time.Since(began)
	for end := t.slice + r.patience(); t.left() > 0 && time.Since(t.start) < end; {
		time.Sleep(batchEvery)
	}
	values := t.judge(series)
	if metered {
		values[CPUPerSecond] = float64(after.cpu-before.cpu) / took.Seconds()
	}
	return values, nil
}

// armAll arms what is pending before the clock starts; in a sorted list in the order
// of deadlines, since it would take too long otherwise.
func (t *liveTurn) armAll(inOrder bool) error {
	order := make([]int, t.begun)
	for i := range order {
		order[i] = i
	}
	if inOrder {
		slices.SortStableFunc(order, func(a, b int) int { return int(t.ops[a].Delay - t.ops[b].Delay) })
	}
	for _, i := range order {
		if err := t.do(i); err != nil {
			return err
		}
	}
	if time.Since(t.start) > 0 {
		return errBehind
	}
	return nil
}

// do does an operation. Its deadline is planned, whenever it is done.
func (t *liveTurn) do(i int) (err error) {
	op, n := &t.ops[i], t.timers[i]
	deadline := op.At + op.Delay
	switch {
	case n == nobody:
	case op.Kind == workload.Schedule:
		t.deadline[n] = deadline
		err = t.arm(n, deadline-time.Since(t.start), t.tasks[n])
	case op.Kind == workload.Cancel:
		t.stopped[n] = t.stop(n) || t.stopped[n]
	default:
		var moved bool
		if moved, err = t.move(n, deadline-time.Since(t.start)); moved {
			t.deadline[n] = deadline
		}
	}
	return err
}

// left returns how many timers have not fired that are due by the end of the
// slice.
func (t *liveTurn) left() (n int) {
	for i := range t.fired {
		if t.expected(i) && t.fired[i].times.Load() == 0 {
			n++
		}
	}
	return n
}

// expected reports whether a timer is due by the end of the slice.
func (t *liveTurn) expected(i int) bool { return !t.stopped[i] && t.deadline[i] <= t.slice }

// judge counts what went wrong, and records how late the timers fired that were
// due by the end. A timer that fired though it was stopped counts as one that
// fired twice.
func (t *liveTurn) judge(series *Series) map[string]float64 {
	values := map[string]float64{Fired: 0, Early: 0, Lost: 0, Doubled: 0}
	round := newHistogram()
	for i := range t.fired {
		times := t.fired[i].times.Load()
		late := time.Duration(t.fired[i].at.Load()) - t.deadline[i]
		switch {
		case times == 0:
			if t.expected(i) {
				values[Lost]++
			}
			continue
		case times > 1 || t.stopped[i]:
			values[Doubled]++
		}
		values[Fired]++
		switch {
		case late < 0 && !t.stopped[i]:
			values[Early]++
			record(series.Early, -late)
		case t.expected(i):
			record(round, late)
		}
	}
	series.Late.Merge(round)
	addLateness(values, round)
	return values
}

// stopAll stops timers of the runtime, which no driver closes.
func (t *liveTurn) stopAll() {
	for i := range t.tasks {
		t.stop(int32(i))
	}
}
