package tune

import (
	"math"
	"math/rand/v2"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
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
	f := timeline{changes: make([]firstChange, 0, changes)}
	at := time.Duration(0)
	for range changes {
		next := at + max(seconds(r.ExpFloat64()/(fires+stale)), 1)
		if next > never/2 {
			break
		}
		c := firstChange{at: at, first: next}
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

// simulate returns how a worker wakes. O(changes). Where ticks are so long that a stretch
// of time with thousands of changes has only some, timers are taken to come at any time.
func (m *Model) simulate(k wakeKey, perTask time.Duration) (w wakeups) {
	timelines, due := m.timelines[0], m.load.Fires
	if k.lazy {
		timelines, due = m.timelines[1], due+m.load.stale
	}
	late := latencyOf(m.cal, k.waiting)
	fixed := tickingWorker{tick: max(k.tick, 1), late: late, perTask: perTask}
	switch long := meanLength(timelines) < fewTicks*k.tick; {
	case long:
		w = fixed.evenly(m.load.Fires)
		if k.waking == catalog.Tickless { // it wakes at each tick at which something is due
			w.timed *= occupied(due / max(w.timed, math.SmallestNonzeroFloat64))
		}
	case k.waking == catalog.Ticking:
		w = fixed.run(timelines)
	default:
		free := ticklessWorker{tick: k.tick, late: late, kick: latencyOf(m.cal, catalog.Precise), perTask: perTask}
		w = free.run(timelines)
	}
	if w.late.TotalCount() == 0 { // nothing fires in what is known: if something did, it would be so late
		w.late = fixed.evenly(0).late
	}
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

// wakeups is what the worker of a driver does under a load.
type wakeups struct {
	timed, kicked float64    // wake-ups a second
	vain          float64    // those of the timed for which nothing was due
	late          *histogram // of the timers that fire
	busy          float64    // share of the time in which tasks run
}

func (w wakeups) all() float64 { return w.timed + w.kicked }

// manyDue is how many timers are due together where one holds up the next for long
// enough to matter. Which scheduler hands them out makes little difference to that.
const manyDue = 64

// wakeupsFor returns how the worker of a configuration wakes, and how late its tasks
// are.
func (m *Model) wakeupsFor(c catalog.Config) wakeups {
	k := wakeKey{tick: c.Tick, waking: c.Waking, waiting: c.Waiting}
	perTask := seconds(m.cost(costs.TermExpire, catalog.Heap, m.load.Pending, manyDue).Value)
	k.lazy = c.Waking != catalog.Ticking && c.Scheduler == catalog.Rounds
	w := once(m.wakeups, k, func() wakeups { return m.simulate(k, perTask) })
	if c.Waking != catalog.Ticking && c.Scheduler == catalog.Hier {
		return w.withCascades(m.cascading(c), m.mostWakes(k))
	}
	return w
}

// mostWakes returns how often a worker wakes in a second if something is due at every
// tick.
func (m *Model) mostWakes(k wakeKey) float64 {
	k.waking = catalog.Ticking
	t := tickingWorker{tick: k.tick, late: latencyOf(m.cal, k.waiting)}
	return once(m.rates, k, t.rate)
}

// withCascades returns the wake-ups of a hierarchical wheel, from those of one that forgets
// what was cancelled. It wakes in vain for slots of the lowest level with nothing else
// in them, and for those of the higher levels, where it does not for timers that fire;
// and at most so often in a second.
func (w wakeups) withCascades(s cascading, most float64) wakeups {
	fires := min((w.timed-w.vain)/most, 1) // share of the ticks that it can keep at which something fires
	free := (1 - fires) * max(1-s.stale/most, 0)
	w.timed = most*(1-free) + min(s.openings, most)*free
	return w
}

// geometryOf returns the geometry of a wheel.
func geometryOf(c catalog.Config) geometry { return geometry{c.Tick, c.RealSlots()} }

// cascading returns what becomes of the timers of the load in a hierarchical wheel.
func (m *Model) cascading(c catalog.Config) cascading {
	g := geometryOf(c)
	return once(m.cascades, g, func() cascading { return m.load.cascadesIn(g) })
}

// visited returns how many entries a scheduler visits in a second: a wheel with
// rounds in the slots that it passes, a sorted list at insertions. Searched are
// the slots of a wheel with rounds, to find the next one that is due.
func (m *Model) visited(c catalog.Config, w wakeups) (visits, searched float64) {
	switch c.Scheduler {
	case catalog.List:
		return m.passed * m.load.armings(), 0
	case catalog.Rounds:
		g := geometryOf(c)
		v := once(m.visits, g, func() float64 { return m.load.visits(g) })
		if c.Waking == catalog.Ticking {
			return v, 0
		}
		// A sleep of more than a revolution is made up for in one pass. What is held
		// only until it is swept is met by chance.
		entries := m.load.Pending + m.load.Held
		turns := min(1/(g.tick.Seconds()*float64(g.slots)), w.all()) // and passes
		if m.load.swept > mostlySwept {
			v = entries * turns
		}
		return min(v, entries*w.all()+m.load.Fires), occupied(entries/float64(g.slots)) * float64(g.slots) * turns
	}
	return 0, 0
}

// mostlySwept is the share of the cancelled above which it is sweeps that decide for
// how long they are held.
const mostlySwept = 0.5

// visit returns the cost of a visit: in a wheel with rounds, of one of so many that
// follow each other.
func (m *Model) visit(c catalog.Config, together float64) judge.Estimate {
	if c.Scheduler == catalog.Rounds {
		return m.cost(costs.TermVisit, catalog.Rounds, m.load.Pending+m.load.Held, max(together, 1))
	}
	return m.cost(costs.TermVisit, c.Scheduler, m.load.Pending, 1)
}

// cost is Calibration.Cost, with what does not change from one configuration to
// the next worked out once.
func (m *Model) cost(name, of string, pending, batch float64) judge.Estimate {
	row := once(m.costs, costKey{name, of, pending}, func() costs.Curve { return m.cal.Batches(name, of, pending) })
	return row.At(batch)
}
