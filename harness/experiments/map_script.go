package experiments

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// mapScript draws the steps of about n timers in a steady state. Delays are uniform up to the horizon. A share of timers is
// cancelled, at an instant that is uniform from arrival to deadline. Timers arrive evenly, at the rate at which others end.
type mapScript struct {
	n       int
	horizon time.Duration
	random  *rand.Rand

	now     time.Duration
	pending []mapTimer
	free    []uint32 // places that no pending timer has
	places  uint32   // the number of places
}

type mapTimer struct {
	ends, deadline time.Duration
	place          uint32
	doomed         bool
}

// mapStep schedules a timer, or cancels the timer of a place if value is 0.
type mapStep struct {
	at    time.Duration
	value uint64
	place uint32
}

// doomedBit marks the values of timers that will be cancelled and must not come due. The other bits are the deadline.
const doomedBit = 1 << 63

func (m mapStep) deadline() time.Duration { return time.Duration(m.value &^ doomedBit) }

type mapPart struct {
	steps    []mapStep
	until    time.Duration
	arrivals int
	due      mapDue
	pending  int    // afterwards
	places   uint32 // up to then
}

// mapDue is the number of timers that came due, and the sum of their deadlines.
type mapDue struct {
	count int
	sum   uint64
}

func (d *mapDue) add(value uint64) { d.count, d.sum = d.count+1, d.sum+value }

func newMapScript(n int, horizon time.Duration, random *rand.Rand) *mapScript {
	return &mapScript{n: n, horizon: horizon, random: random}
}

// doomedShare returns the share of pending timers that will be cancelled. cancelled is their share of arrivals:
// cancelled timers live half as long as others.
func doomedShare(cancelled float64) float64 { return cancelled / (2 - cancelled) }

// spacing returns the time between arrivals that keeps n pending: the mean life is horizon/2, or /4 if cancelled.
func (m *mapScript) spacing(cancelled float64) time.Duration {
	return max(time.Duration(float64(m.horizon)/2*(1-cancelled/2)/float64(m.n)), 1)
}

// epoch returns how many timers arrive in an epoch, at least least. An epoch is a number of whole turns of the highest
// level that a wheel with levelSlots uses: each level cascades. In a shorter epoch a large cascade would be a matter of
// chance.
func (m *mapScript) epoch(cancelled float64, least int) int {
	turn := costTick
	for turn*levelSlots <= m.horizon {
		turn *= levelSlots
	}
	perTurn := max(int(turn/m.spacing(cancelled)), 1)
	return (least + perTurn - 1) / perTurn * perTurn
}

// fill schedules n timers in the steady state without cancels.
func (m *mapScript) fill() mapPart {
	p := mapPart{until: m.now}
	for range m.n {
		m.schedule(&p, m.now, m.resident(m.takePlace(), false))
	}
	return m.end(p)
}

// age replaces a quarter of the pending timers by others that end likewise.
func (m *mapScript) age() mapPart {
	return m.replace(func(doomed bool) (replaced, becomes bool) { return m.random.IntN(4) == 0, doomed })
}

// raise replaces timers until a greater share of the pending will be cancelled, as in a steady state of that share.
func (m *mapScript) raise(from, to float64) mapPart {
	chance := (doomedShare(to) - doomedShare(from)) / (1 - doomedShare(from))
	return m.replace(func(doomed bool) (replaced, becomes bool) { return !doomed && m.random.Float64() < chance, true })
}

func (m *mapScript) replace(which func(doomed bool) (replaced, becomes bool)) mapPart {
	p := mapPart{until: m.now}
	old := m.pending
	m.pending = make([]mapTimer, 0, cap(old))
	for _, t := range old {
		replaced, becomes := which(t.doomed)
		if !replaced {
			m.pending = append(m.pending, t)
			continue
		}
		p.steps = append(p.steps, mapStep{at: m.now, place: t.place})
		m.schedule(&p, m.now, m.resident(t.place, becomes))
	}
	return m.end(p)
}

func (m *mapScript) run(cancelled float64, arrivals int) mapPart {
	spacing := m.spacing(cancelled)
	p := mapPart{arrivals: arrivals, steps: make([]mapStep, 0, 2*arrivals)}
	for i := range arrivals {
		at := m.now + time.Duration(i+1)*spacing
		m.schedule(&p, at, m.arrival(at, m.random.Float64() < cancelled))
	}
	// At the end of a tick the same timers are due, with and without ticks.
	m.now += time.Duration(arrivals)*spacing + costTick - 1
	m.now -= m.now % costTick
	p.until = m.now
	m.pending = slices.DeleteFunc(m.pending, func(t mapTimer) bool {
		if t.ends > m.now {
			return false
		}
		if t.doomed {
			p.steps = append(p.steps, mapStep{at: t.ends, place: t.place})
		} else {
			p.due.add(uint64(t.deadline))
		}
		m.free = append(m.free, t.place)
		return true
	})
	// At one instant arrivals come first: a timer may be cancelled when it arrives.
	slices.SortFunc(p.steps, func(a, b mapStep) int {
		return cmp.Or(cmp.Compare(a.at, b.at), -cmp.Compare(min(a.value, 1), min(b.value, 1)))
	})
	return m.end(p)
}

func (m *mapScript) end(p mapPart) mapPart {
	p.pending, p.places = len(m.pending), m.places
	return p
}

func (m *mapScript) schedule(p *mapPart, at time.Duration, t mapTimer) {
	value := uint64(t.deadline)
	if t.doomed {
		value |= doomedBit
	}
	p.steps = append(p.steps, mapStep{at: at, value: value, place: t.place})
	m.pending = append(m.pending, t)
}

func (m *mapScript) arrival(now time.Duration, doomed bool) mapTimer {
	delay := 1 + time.Duration(m.random.Int64N(int64(m.horizon)))
	t := mapTimer{ends: now + delay, deadline: now + delay, place: m.takePlace(), doomed: doomed}
	if doomed {
		t.ends = now + time.Duration(m.random.Int64N(int64(delay)))
	}
	return t
}

// resident draws a timer of the steady state: its probability grows with the length of its life, and its age is uniform.
func (m *mapScript) resident(place uint32, doomed bool) mapTimer {
	delay := float64(m.horizon) * math.Sqrt(m.random.Float64())
	life := delay
	if doomed {
		life *= math.Sqrt(m.random.Float64())
	}
	age := life * m.random.Float64()
	t := mapTimer{deadline: m.now + max(time.Duration(delay-age), 1), place: place, doomed: doomed}
	if t.ends = t.deadline; doomed {
		t.ends = min(m.now+time.Duration(life-age), t.deadline-1)
	}
	return t
}

func (m *mapScript) takePlace() (place uint32) {
	if last := len(m.free) - 1; last >= 0 {
		place, m.free = m.free[last], m.free[:last]
		return place
	}
	m.places++
	return m.places - 1
}
