package tune

import (
	"math"
	"math/rand/v2"
	"time"

	"schedbench/catalog"
	"schedbench/tune/costs"
)

// Model predicts what configurations do under one load on one machine. It keeps
// what they have in common, so it serves to predict many. It is for one goroutine.
type Model struct {
	load     *Load
	cal      *costs.Calibration
	wakeups  map[wakeKey]wakeups
	rates    map[wakeKey]float64
	cascades map[geometry]cascading
	visits   map[geometry]float64
	costs    map[costKey]costs.Curve
	passed   float64 // by an insertion into a sorted list

	timelines [2][]timeline // eager, lazy
}

// wakeKey is what the wake-ups of a worker depend on.
type wakeKey struct {
	tick    time.Duration // 0: none
	waking  catalog.Waking
	waiting catalog.Waiting
	lazy    bool
}

type costKey struct {
	name, of string
	pending  float64
}

// NewModel returns a model of a load on the machine of a calibration.
func NewModel(l *Load, c *costs.Calibration) *Model {
	m := &Model{
		load: l, cal: c,
		wakeups:   map[wakeKey]wakeups{},
		rates:     map[wakeKey]float64{},
		cascades:  map[geometry]cascading{},
		visits:    map[geometry]float64{},
		costs:     map[costKey]costs.Curve{},
		passed:    l.passed(),
		timelines: [2][]timeline{l.eager, l.lazy},
	}
	if len(l.eager) == 0 && l.lifetimesTo == 0 { // rates are all that is known
		m.timelines[0] = randomTimeline(l.Fires, 0)
		m.timelines[1] = randomTimeline(l.Fires, l.stale)
	}
	return m
}

// randomTimeline returns a timeline of timers whose deadlines come at random, so many a second
// that fire and so many that were cancelled.
func randomTimeline(fires, stale float64) []timeline {
	const changes = 2048
	if fires+stale <= 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(4, golden))
	f := timeline{changes: make([]change, 0, changes)}
	at := time.Duration(0)
	for range changes {
		next := at + max(seconds(r.ExpFloat64()/(fires+stale)), 1)
		if next > never/2 {
			break
		}
		c := change{at: at, first: next}
		if r.Float64()*(fires+stale) < fires {
			c.fired = 1
		}
		f.changes = append(f.changes, c)
		at = next
	}
	f.to = at
	return []timeline{f}
}

// fewTicks is how many ticks the stretches of time that are known have to last, on
// average, to simulate them.
const fewTicks = 16

// once returns what is kept for a key, and works it out the first time.
func once[K comparable, V any](kept map[K]V, k K, work func() V) V {
	v, ok := kept[k]
	if !ok {
		v = work()
		kept[k] = v
	}
	return v
}

// simulate returns how a worker wakes. O(changes).
func (m *Model) simulate(k wakeKey, perTask time.Duration) wakeups {
	timelines := m.timelines[0]
	if k.lazy {
		timelines = m.timelines[1]
	}
	late := latencyOf(m.cal, k.waiting)
	fixed := tickingWorker{tick: max(k.tick, 1), late: late, perTask: perTask}
	var w wakeups
	switch {
	case k.waking == catalog.Ticking && meanLength(timelines) >= fewTicks*k.tick:
		w = fixed.run(timelines)
	case k.waking == catalog.Ticking:
		w = fixed.evenly(m.load.Fires)
	case k.tick > 0 && meanLength(timelines) < fewTicks*k.tick:
		w = m.longTicks(&fixed, k)
	default:
		free := ticklessWorker{tick: k.tick, late: late, kick: latencyOf(m.cal, catalog.Precise), perTask: perTask}
		w = free.run(timelines)
	}
	if w.late.TotalCount() == 0 { // nothing fires in what is known: if something did, it would be so late
		w.late = fixed.evenly(0).late
	}
	return w
}

// longTicks is of ticks that are so long that a stretch of time with thousands of
// changes has only some: the worker wakes at each tick at which something is due.
func (m *Model) longTicks(fixed *tickingWorker, k wakeKey) wakeups {
	due := m.load.Fires
	if k.lazy {
		due += m.load.stale
	}
	w := fixed.evenly(m.load.Fires)
	w.timed *= occupied(due / max(w.timed, math.SmallestNonzeroFloat64))
	return w
}

// meanLength returns the mean length of timelines.
func meanLength(timelines []timeline) time.Duration {
	if len(timelines) == 0 {
		return 0
	}
	sum := time.Duration(0)
	for _, f := range timelines {
		sum += f.to - f.from
	}
	return sum / time.Duration(len(timelines))
}
