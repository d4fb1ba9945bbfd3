package tune

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"
)

// geometry is that of a wheel: slots is a power of two.
type geometry struct {
	tick  time.Duration
	slots int
}

// ceil returns the first tick at or after an instant.
func (g geometry) ceil(at time.Duration) int64 {
	k := int64(at / g.tick)
	if at%g.tick > 0 {
		k++
	}
	return k
}

// cascading is what becomes of the timers of a load in a hierarchical wheel, in a
// second.
type cascading struct {
	cascades float64 // entries moved
	openings float64 // slots of the higher levels opened
	stale    float64 // slots of the lowest level that hold cancelled timers at their tick
}

// cascadesIn follows the timers of a load down the levels of a wheel. A timer waits at the
// level of the highest digit in which its tick differs from the present one, and
// moves when its slot there begins; one that was cancelled meanwhile is dropped.
// O(lifetimes · levels).
func (l *Load) cascadesIn(g geometry) cascading {
	span := (l.lifetimesTo - l.lifetimesFrom).Seconds()
	if span <= 0 || len(l.lifetimes) == 0 {
		return cascading{}
	}
	s := cascader{load: l, tick: g.tick, width: uint(bits.TrailingZeros(uint(g.slots)))}
	for i := range l.lifetimes {
		s.follow(&l.lifetimes[i], g.ceil(l.lifetimes[i].deadline))
	}
	k := cascading{cascades: s.moved / span}
	for level := range s.levels {
		if opened := s.openings(level, span); level == 0 {
			k.stale = opened
		} else {
			k.openings += opened
		}
	}
	return k
}

// cascader moves timers from level to level. It counts what comes within the time
// of the sample.
type cascader struct {
	load  *Load
	tick  time.Duration
	width uint // bits of a digit

	moved  float64 // entries that were pending when their slot was opened
	levels []openedLevel
}

// openedLevel is a level whose slots were opened.
type openedLevel struct {
	// held are, for each slot, the timers that were in it when it was opened, the
	// cancelled too; in the lowest level, these alone.
	held         []float64
	sum, squares float64                    // of the weights of all
	instants     map[time.Duration]struct{} // when slots were opened, if all timers are known
}

// follow follows a timer whose tick is k.
func (s *cascader) follow(one *lifetime, k int64) {
	cur, last := uint64(one.at/s.tick), time.Duration(-1)
	held := s.load.heldUntil(one)
	for {
		level := uint(max(bits.Len64(uint64(k)^cur)-1, 0)) / s.width
		if level == 0 {
			break
		}
		shift := level * s.width
		cur = uint64(k) >> shift << shift
		begins := time.Duration(cur) * s.tick
		if one.cancelled() && (one.end <= last || held <= begins) {
			break
		}
		last = begins
		s.open(one, level, begins)
	}
	if one.cancelled() && one.end > last && held == never {
		s.open(one, 0, time.Duration(k)*s.tick)
	}
}

// open notes that a slot is opened that holds a timer.
func (s *cascader) open(one *lifetime, level uint, at time.Duration) {
	if at < s.load.lifetimesFrom || at >= s.load.lifetimesTo {
		return
	}
	for uint(len(s.levels)) <= level {
		s.levels = append(s.levels, openedLevel{held: make([]float64, 1<<s.width), instants: map[time.Duration]struct{}{}})
	}
	l := &s.levels[level]
	l.held[int(at/s.tick)>>(level*s.width)&(1<<s.width-1)] += one.weight
	l.sum += one.weight
	l.squares += one.weight * one.weight
	if level > 0 && (!one.cancelled() || one.end > at) {
		s.moved += one.weight
	}
	if s.load.allLifetimes {
		l.instants[at] = struct{}{}
	}
}

// openings returns how many slots of a level are opened in a second. If not all timers
// are known it takes the timers to come into a slot at random, slot by slot: timers
// with a constant delay keep to some of them. Where few of a sample stand for many, slots
// are taken together until some of these fall into each lot.
func (s *cascader) openings(level int, span float64) (slots float64) {
	l := &s.levels[level]
	if s.load.allLifetimes {
		return float64(len(l.instants)) / span
	}
	around := s.tick.Seconds() * math.Pow(2, float64(s.width)*float64(level+1))
	times := max(span/around, 1) // that a slot of this level is opened
	most := span / around * float64(len(l.held))
	lot := len(l.held)
	for lot > 1 && float64(len(l.held)/lot) < l.size()/fewInLot {
		lot /= 2
	}
	for some := range slices.Chunk(l.held, lot) {
		n := 0.0
		for _, weight := range some {
			n += weight
		}
		if n > 0 {
			opened := max(min(float64(lot)*times, most), 1)
			slots += occupied(n/opened) * opened / span
		}
	}
	return slots
}

// fewInLot is how many timers are to be seen in a lot of slots, on average.
const fewInLot = 4

// size returns the effective size of a sample whose members stand for more or less: that
// of one of equals that tells as much (L. Kish, "Survey Sampling", 1965). It is NaN without any.
func (l *openedLevel) size() float64 { return l.sum * l.sum / l.squares }

// sweptWithin is the longest that anything is held until it is swept, as a share of how
// long it is held on average: what is held grows by half between two sweeps.
const sweptWithin = 4.0 / 3

// heldUntil returns until when a wheel with lazy cancellation holds a timer that was
// cancelled, if a sweep comes across it before its tick, or another driver takes over;
// else never. Which are swept is drawn from when they were armed, always alike.
func (l *Load) heldUntil(one *lifetime) time.Duration {
	if !one.cancelled() {
		return never
	}
	until, ended := never, l.Cancels+l.Resets
	drawn := uint64(one.at) * golden
	if ended > 0 && float64(drawn>>11)/(1<<53) < l.swept {
		part := float64(drawn*golden>>11) / (1 << 53)
		until = one.end + seconds(part*sweptWithin*l.Held/ended)
	}
	if l.restartEvery > 0 {
		until = min(until, (one.end/l.restartEvery+1)*l.restartEvery)
	}
	if until < one.deadline {
		return until
	}
	return never
}

// visits returns how many pending entries a wheel with rounds visits in a second if
// every tick is passed: each entry of a slot that is opened, due or not, those that
// are cancelled and held among them. O(lifetimes).
func (l *Load) visits(g geometry) float64 {
	span := (l.lifetimesTo - l.lifetimesFrom).Seconds()
	around := g.tick.Seconds() * float64(g.slots)
	if span <= 0 || len(l.lifetimes) == 0 {
		return (l.Pending+l.Held)/around + (l.Fires+l.stale)/2
	}
	sum := 0.0
	for i := range l.lifetimes {
		one := &l.lifetimes[i]
		k, m := g.ceil(one.deadline), int64(g.slots)
		from := int64(max(one.at, l.lifetimesFrom) / g.tick)
		to := min(int64(l.lifetimesTo/g.tick), k)
		if held := l.heldUntil(one); held < never {
			to = min(to, int64(held/g.tick))
		}
		sum += one.weight * float64(floorDiv(k-from-1, m)-floorDiv(k-max(to, from)-1, m))
	}
	return sum / span
}

// floorDiv divides and rounds down, for a positive b.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// delaysCounted is how many quantiles of the delays stand for all.
const delaysCounted = 64

// passed returns how many of the pending an insertion into a sorted list passes on
// average, from the last one on: those that are due later. A timer is in the way of
// insertions for as long as it is pending and has more than their delay left. O(lifetimes).
func (l *Load) passed() float64 {
	span := l.lifetimesTo - l.lifetimesFrom
	if span <= 0 || len(l.lifetimes) == 0 || len(l.Delays) == 0 {
		return l.Pending / 2
	}
	quantiles := min(delaysCounted, len(l.Delays))
	sum := 0.0
	for i := range quantiles {
		delay := l.Delays[(2*i+1)*len(l.Delays)/(2*quantiles)]
		for j := range l.lifetimes {
			one := &l.lifetimes[j]
			from, to := max(one.at, l.lifetimesFrom), min(one.end, one.deadline-delay, l.lifetimesTo)
			sum += one.weight * max(to-from, 0).Seconds()
		}
	}
	return sum / span.Seconds() / float64(quantiles)
}

// countUpTo returns how many of some durations in order are at most d. O(log n).
func countUpTo(sorted []time.Duration, d time.Duration) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > d })
}
