package tune

import (
	"cmp"
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

// width returns how many bits a number of a slot has.
func (g geometry) width() uint { return uint(bits.TrailingZeros(uint(g.slots))) }

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
}

// cascadesIn follows the timers of a load down the levels of a wheel. A timer waits at the lowest level
// of which the present revolution or the next one holds its tick, and moves when its slot there
// comes next, unless it was cancelled meanwhile. O(lifetimes · levels).
func (l *Load) cascadesIn(g geometry) cascading {
	span := (l.lifetimesTo - l.lifetimesFrom).Seconds()
	if span <= 0 || len(l.lifetimes) == 0 {
		return cascading{}
	}
	s := cascader{load: l, tick: g.tick, width: g.width()}
	for i := range l.lifetimes {
		s.follow(&l.lifetimes[i], g.ceil(l.lifetimes[i].deadline))
	}
	k := cascading{cascades: s.moved / span}
	for level := 1; level < len(s.levels); level++ {
		k.openings += s.openings(level, span)
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
	held         []float64                  // the timers that were in each slot when it was opened
	sum, squares float64                    // of the weights of all
	instants     map[time.Duration]struct{} // when slots were opened, if all timers are known
}

// follow follows a timer whose tick is k.
func (s *cascader) follow(one *lifetime, k int64) {
	cur := uint64(one.at / s.tick)
	for {
		level := levelOf(cur, uint64(k), s.width)
		if level == 0 {
			return
		}
		cur = comesNext(uint64(k), level*s.width)
		moves := time.Duration(cur) * s.tick
		if one.cancelled() && one.end <= moves {
			return
		}
		s.open(one, level, moves)
	}
}

// levelOf returns the level of a hierarchical wheel that a tick is put on at another, where a revolution has
// so many bits. O(levels).
func levelOf(at, tick uint64, width uint) (level uint) {
	for shift := width; tick>>shift-at>>shift > 1; shift += width {
		level++
	}
	return level
}

// comesNext returns the first tick at which the values of a tick move on from a level whose slots have so
// many bits: the one after that at which the slot before theirs begins.
func comesNext(tick uint64, shift uint) uint64 { return (tick>>shift-1)<<shift + 1 }

// open notes that the values of a slot move on, of which one is a timer.
func (s *cascader) open(one *lifetime, level uint, at time.Duration) {
	if at < s.load.lifetimesFrom || at >= s.load.lifetimesTo {
		return
	}
	for uint(len(s.levels)) <= level {
		s.levels = append(s.levels, openedLevel{held: make([]float64, 2<<s.width), instants: map[time.Duration]struct{}{}})
	}
	l := &s.levels[level]
	l.held[int(at/s.tick)>>(level*s.width)&(2<<s.width-1)] += one.weight
	l.sum += one.weight
	l.squares += one.weight * one.weight
	s.moved += one.weight
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
	around := s.tick.Seconds() * math.Pow(2, float64(s.width)*float64(level+1)+1)
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

// passes returns how many pending timers have their slot passed in a second in a wheel
// with rounds, due or not. O(lifetimes).
func (l *Load) passes(g geometry) float64 {
	span := (l.lifetimesTo - l.lifetimesFrom).Seconds()
	around := g.tick.Seconds() * float64(g.slots)
	if span <= 0 || len(l.lifetimes) == 0 {
		return l.Pending/around + l.Fires/2
	}
	sum := 0.0
	for i := range l.lifetimes {
		one := &l.lifetimes[i]
		k, m := g.ceil(one.deadline), int64(g.slots)
		from := int64(max(one.at, l.lifetimesFrom) / g.tick)
		to := min(int64(l.lifetimesTo/g.tick), k)
		if one.cancelled() {
			to = min(to, int64(one.end/g.tick))
		}
		sum += one.weight * float64(floorDiv(k-from-1, m)-floorDiv(k-max(to, from)-1, m))
	}
	return sum / span
}

// gap is how long before their deadline timers were cancelled, and how many a second.
type gap struct{ length, rate float64 }

// gaps returns those of all timers that are cancelled, the shortest first. O(n log n).
func (l *Load) gaps() (all []gap) {
	span := (l.lifetimesTo - l.lifetimesFrom).Seconds()
	if span <= 0 || len(l.lifetimes) == 0 {
		return []gap{{l.MeanDelay.Seconds(), l.Cancels + l.Resets}}
	}
	for i := range l.lifetimes {
		if one := &l.lifetimes[i]; one.cancelled() {
			all = append(all, gap{(one.deadline - one.end).Seconds(), one.weight / span})
		}
	}
	slices.SortFunc(all, func(a, b gap) int { return cmp.Compare(a.length, b.length) })
	return all
}

// notSeen tells for how many timers a second that are cancelled nothing happens from then
// to their deadline, of what happens at random at one rate and regularly at another. Of
// each that is the rate times exp(-random·length)·(1 - regular·length), if that is positive:
// sums of the shortest are kept, so that it is O(gaps) once and O(log gaps) for each regular rate.
func notSeen(gaps []gap, random float64) func(regular float64) float64 {
	rates, lengths := make([]float64, len(gaps)+1), make([]float64, len(gaps)+1)
	for i, g := range gaps {
		rate := g.rate * math.Exp(-random*g.length)
		rates[i+1], lengths[i+1] = rates[i]+rate, lengths[i]+rate*g.length
	}
	return func(regular float64) float64 {
		n := sort.Search(len(gaps), func(i int) bool { return regular*gaps[i].length >= 1 })
		return rates[n] - regular*lengths[n]
	}
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
