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
	vain     map[geometry]float64
	costs    map[costKey]costs.Curve
	passed   float64 // by an insertion into a sorted list
	gaps     []gap

	timelines []timeline
}

// wakeKey is what the wake-ups of a worker depend on.
type wakeKey struct {
	tick    time.Duration // 0: none
	waking  catalog.Waking
	waiting catalog.Waiting
	width   uint // bits of a level of a hierarchical wheel; 0: none
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
		vain:      map[geometry]float64{},
		costs:     map[costKey]costs.Curve{},
		passed:    l.passed(),
		gaps:      l.gaps(),
		timelines: l.firsts,
	}
	if len(l.firsts) == 0 && l.lifetimesTo == 0 { // rates are all that is known
		m.timelines = randomTimeline(l.Fires)
	}
	return m
}

// randomTimeline returns a timeline of timers that fire at random, so many a second.
func randomTimeline(fires float64) []timeline {
	const changes = 2048
	if fires <= 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(4, golden))
	f := timeline{changes: make([]firstChange, 0, changes)}
	at := time.Duration(0)
	for range changes {
		next := at + max(seconds(r.ExpFloat64()/fires), 1)
		if next > never/2 {
			break
		}
		f.changes = append(f.changes, firstChange{at: at, first: next, fired: 1})
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
	late := latencyOf(m.cal, k.waiting)
	fixed := tickingWorker{tick: max(k.tick, 1), late: late, perTask: perTask}
	switch {
	case m.long(k.tick):
		w = fixed.evenly(m.load.Fires)
		if k.waking == catalog.Tickless { // it wakes at each tick at which something is due
			w.timed *= occupied(m.load.Fires / max(w.timed, math.SmallestNonzeroFloat64))
		}
	case k.waking == catalog.Ticking:
		w = fixed.run(m.timelines)
	default:
		free := ticklessWorker{tick: k.tick, late: late, kick: latencyOf(m.cal, catalog.Precise), perTask: perTask, width: k.width}
		w = free.run(m.timelines)
	}
	if w.late.TotalCount() == 0 { // nothing fires in what is known: if something did, it would be so late
		w.late = fixed.evenly(0).late
	}
	return w
}

// long reports whether ticks are too long for what is known to be simulated.
func (m *Model) long(tick time.Duration) bool { return meanLength(m.timelines) < fewTicks*tick }

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
	levels := c.Waking != catalog.Ticking && c.Scheduler == catalog.Hier
	if levels && !m.long(c.Tick) {
		k.width = geometryOf(c).width()
	}
	w := once(m.wakeups, k, func() wakeups { return m.simulate(k, perTask) })
	switch {
	case levels && k.width == 0:
		return w.withCascades(m.cascading(c), m.mostWakes(k))
	case c.Waking != catalog.Ticking && c.Scheduler == catalog.Rounds:
		most := m.mostWakes(k)
		w.timed = most - max(most-w.timed, 0)*math.Exp(-m.inVain(geometryOf(c))/most)
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

// withCascades returns the wake-ups of a hierarchical wheel, from those of one without
// levels. It also wakes for slots of the higher levels, where it does not for timers that
// fire; and at most so often in a second.
func (w wakeups) withCascades(s cascading, most float64) wakeups {
	fires := min((w.timed-w.vain)/most, 1) // share of the ticks that it can keep at which something fires
	free := 1 - fires
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
// rounds in the slots in which something is due, a sorted list at
// insertions. Searched are the slots of a wheel with rounds, to find the next one that
// is due.
func (m *Model) visited(c catalog.Config, w wakeups) (visits, searched float64) {
	switch c.Scheduler {
	case catalog.List:
		return m.passed * m.load.armings(), 0
	case catalog.Rounds:
		g := geometryOf(c)
		visits = once(m.visits, g, func() float64 { return m.visitsIn(g) })
		if c.Waking == catalog.Ticking {
			return visits, 0
		}
		turns := min(1/(g.tick.Seconds()*float64(g.slots)), w.all())
		return visits, occupied(m.load.Pending/float64(g.slots)) * float64(g.slots) * turns
	}
	return 0, 0
}

// visitsIn returns how many entries a wheel with rounds visits in a second: those that
// fire, those of the same slot, due later, and those of slots that are opened in vain.
func (m *Model) visitsIn(g geometry) float64 {
	share, _ := m.dueShare(g.tick)
	fires := m.load.Fires
	return fires + share*max(m.load.passes(g)-fires, 0) + m.inVain(g)*max(m.load.Pending/float64(g.slots), 1)
}

// inVain returns how many slots of a wheel with rounds are opened in a second for a timer
// that was cancelled. That happens at its tick if the slot was not opened since it
// was cancelled, and was never empty: then it is still taken for the first. When
// slots are opened for timers that fire is taken to be random, and in vain, regular.
// A slot is empty as rarely as a queue with as many servers as customers is idle.
func (m *Model) inVain(g geometry) float64 {
	return once(m.vain, g, func() float64 {
		slots := float64(g.slots)
		around := g.tick.Seconds() * slots // from a tick of a slot to its next
		alone := math.Exp(-m.load.Fires / slots * around)
		forget := m.load.Fires/slots + m.load.armings()/slots/math.Expm1(m.load.Pending/slots)
		notSeen := notSeen(m.gaps, forget)
		low, high := 0.0, (m.load.Cancels+m.load.Resets)/slots // for a slot
		for range 40 {
			mid := (low + high) / 2
			dead := notSeen(mid) * occupied(m.load.Pending/slots) / slots
			if alone*occupied(dead*around)/around > mid {
				low = mid
			} else {
				high = mid
			}
		}
		return low * slots
	})
}

// dueShare returns at which share of the ticks something is due, and how many timers on
// average then. O(changes).
func (m *Model) dueShare(tick time.Duration) (share, together float64) {
	var span time.Duration
	fired, ticks := 0, 0
	for _, l := range m.timelines {
		last := int64(-1)
		span += l.to - l.from
		for _, c := range l.changes {
			if c.fired == 0 {
				continue
			}
			fired += int(c.fired)
			if k := (geometry{tick: tick}).ceil(c.at); k != last {
				ticks, last = ticks+1, k
			}
		}
	}
	if ticks == 0 || span <= 0 {
		return occupied(m.load.Fires * tick.Seconds()), 1
	}
	return min(float64(ticks)*tick.Seconds()/span.Seconds(), 1), float64(fired) / float64(ticks)
}

// visit returns the cost of a visit: in a wheel with rounds, of one of so many that
// follow each other.
func (m *Model) visit(c catalog.Config, together float64) judge.Estimate {
	if c.Scheduler != catalog.Rounds {
		together = 1
	}
	return m.cost(costs.TermVisit, c.Scheduler, m.load.Pending, max(together, 1))
}

// cost is Calibration.Cost, with what does not change from one configuration to
// the next worked out once.
func (m *Model) cost(name, of string, pending, batch float64) judge.Estimate {
	row := once(m.costs, costKey{name, of, pending}, func() costs.Curve { return m.cal.Batches(name, of, pending) })
	return row.At(batch)
}
