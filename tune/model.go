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
	load   *Load
	cal    *costs.Calibration
	wakes  map[wakeKey]wakings
	rates  map[wakeKey]float64
	sunk   map[geometry]sinking
	visits map[geometry]float64
	costs  map[costKey]costs.Curve
	passed float64 // by an insertion into a sorted list

	films [2][]film // eager, lazy
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
		wakes:  map[wakeKey]wakings{},
		rates:  map[wakeKey]float64{},
		sunk:   map[geometry]sinking{},
		visits: map[geometry]float64{},
		costs:  map[costKey]costs.Curve{},
		passed: l.passed(),
		films:  [2][]film{l.eager, l.lazy},
	}
	if len(l.eager) == 0 && l.livesTo == 0 { // rates are all that is known
		m.films[0] = random(l.Fires, 0)
		m.films[1] = random(l.Fires, l.stale)
	}
	return m
}

// random returns a film of timers whose deadlines come at random, so many a second
// that fire and so many that were cancelled.
func random(fires, stale float64) []film {
	const changes = 2048
	if fires+stale <= 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(4, golden))
	f := film{changes: make([]change, 0, changes)}
	at := time.Duration(0)
	for range changes {
		next := at + max(seconds(r.ExpFloat64()/(fires+stale)), 1)
		if next > never/2 {
			break
		}
		c := change{at: at, top: next}
		if r.Float64()*(fires+stale) < fires {
			c.fired = 1
		}
		f.changes = append(f.changes, c)
		at = next
	}
	f.to = at
	return []film{f}
}

// fewTicks is how many ticks the stretches of time that are known have to last, on
// average, for a play of them.
const fewTicks = 16

// wakings returns how a worker wakes. O(changes) for each key, once.
func (m *Model) wakings(k wakeKey, perTask time.Duration) wakings {
	if w, ok := m.wakes[k]; ok {
		return w
	}
	w := m.play(k, perTask)
	m.wakes[k] = w
	return w
}

func (m *Model) play(k wakeKey, perTask time.Duration) wakings {
	films := m.films[0]
	if k.lazy {
		films = m.films[1]
	}
	late := latencyOf(m.cal, k.waiting)
	fixed := ticking{tick: max(k.tick, 1), late: late, perTask: perTask}
	var w wakings
	switch {
	case k.waking == catalog.Ticking && meanLength(films) >= fewTicks*k.tick:
		w = fixed.run(films)
	case k.waking == catalog.Ticking:
		w = fixed.evenly(m.load.Fires)
	case k.tick > 0 && meanLength(films) < fewTicks*k.tick:
		w = m.crowded(&fixed, k)
	default:
		free := tickless{tick: k.tick, late: late, kick: latencyOf(m.cal, catalog.Precise), perTask: perTask}
		w = free.run(films)
	}
	if w.late.TotalCount() == 0 { // nothing fires in what is known: if something did, it would be so late
		w.late = fixed.evenly(0).late
	}
	return w
}

// crowded is of ticks that are so long that a stretch of time with thousands of
// changes has only some: the worker wakes at each tick at which something is due.
func (m *Model) crowded(fixed *ticking, k wakeKey) wakings {
	due := m.load.Fires
	if k.lazy {
		due += m.load.stale
	}
	w := fixed.evenly(m.load.Fires)
	w.timed *= occupied(due / max(w.timed, math.SmallestNonzeroFloat64))
	return w
}

// meanLength returns the mean length of films.
func meanLength(films []film) time.Duration {
	if len(films) == 0 {
		return 0
	}
	sum := time.Duration(0)
	for _, f := range films {
		sum += f.to - f.from
	}
	return sum / time.Duration(len(films))
}
