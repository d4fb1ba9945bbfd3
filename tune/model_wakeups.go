package tune

import (
	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

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
