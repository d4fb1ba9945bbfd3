package tune

import (
	"math"
	"math/bits"
	"slices"
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

// sinking is what becomes of the timers of a load in a hierarchical wheel, in a
// second.
type sinking struct {
	cascades float64 // entries moved
	openings float64 // slots of the higher levels opened
	stale    float64 // slots of the lowest level that hold cancelled timers at their tick
}

// sink follows the lives of a load down the levels of a wheel. A timer waits at the
// level of the highest digit in which its tick differs from the present one, and
// moves when its slot there begins; one that was cancelled meanwhile is dropped.
// O(lives · levels).
func (l *Load) sink(g geometry) sinking {
	span := (l.livesTo - l.livesFrom).Seconds()
	if span <= 0 || len(l.lives) == 0 {
		return sinking{}
	}
	s := sinker{load: l, tick: g.tick, width: uint(bits.TrailingZeros(uint(g.slots)))}
	for i := range l.lives {
		s.fall(&l.lives[i], g.ceil(l.lives[i].deadline))
	}
	k := sinking{cascades: s.moved / span}
	for level := range s.met {
		if opened := s.opened(level, span); level == 0 {
			k.stale = opened
		} else {
			k.openings += opened
		}
	}
	return k
}

// sinker lets lives fall from level to level. It counts what comes within the time
// of the sample.
type sinker struct {
	load  *Load
	tick  time.Duration
	width uint // bits of a digit

	moved float64 // entries that were pending when their slot was opened
	// met are, for each level and slot in it, the timers that were in the slot when it
	// was opened, the cancelled too; in the lowest level, these alone.
	met      [][]float64
	samples  []effective                  // what they rest on, by level
	instants []map[time.Duration]struct{} // when slots of a level were opened, if all lives are known
}

// fall follows a timer whose tick is k.
func (s *sinker) fall(one *life, k int64) {
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
		s.meet(one, level, begins)
	}
	if one.cancelled() && one.end > last && held == never {
		s.meet(one, 0, time.Duration(k)*s.tick)
	}
}

// meet notes that a slot is opened that holds a timer.
func (s *sinker) meet(one *life, level uint, at time.Duration) {
	if at < s.load.livesFrom || at >= s.load.livesTo {
		return
	}
	for uint(len(s.met)) <= level {
		s.met = append(s.met, make([]float64, 1<<s.width))
		s.samples = append(s.samples, effective{})
		s.instants = append(s.instants, map[time.Duration]struct{}{})
	}
	s.met[level][int(at/s.tick)>>(level*s.width)&(1<<s.width-1)] += one.weight
	s.samples[level].add(one.weight)
	if level > 0 && (!one.cancelled() || one.end > at) {
		s.moved += one.weight
	}
	if s.load.allLives {
		s.instants[level][at] = struct{}{}
	}
}

// opened returns how many slots of a level are opened in a second. If not all lives
// are known it takes the timers to come into a slot at random, slot by slot: timers
// with a constant delay keep to some of them. Where few lives stand for many, slots
// are taken together until some of these fall into each lot.
func (s *sinker) opened(level int, span float64) (slots float64) {
	if s.load.allLives {
		return float64(len(s.instants[level])) / span
	}
	around := s.tick.Seconds() * math.Pow(2, float64(s.width)*float64(level+1))
	times := max(span/around, 1) // that a slot of this level is opened
	most := span / around * float64(len(s.met[level]))
	lot := len(s.met[level])
	for lot > 1 && float64(len(s.met[level])/lot) < s.samples[level].size()/fewInLot {
		lot /= 2
	}
	for some := range slices.Chunk(s.met[level], lot) {
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

// fewInLot is how many lives are to be seen in a lot of slots, on average.
const fewInLot = 4

// effective is the size of a sample whose members stand for more or less: that of one
// of equals that tells as much (L. Kish, "Survey Sampling", 1965).
type effective struct{ sum, squares float64 }

func (e *effective) add(weight float64) {
	e.sum += weight
	e.squares += weight * weight
}

func (e *effective) size() float64 {
	if e.squares == 0 {
		return 0
	}
	return e.sum * e.sum / e.squares
}

// sweptWithin is the longest that anything is held until it is swept, as a share of how
// long it is held on average: what is held grows by half between two sweeps.
const sweptWithin = 4.0 / 3

// heldUntil returns until when a wheel with lazy cancellation holds a timer that was
// cancelled, if a sweep comes across it before its tick, or another driver takes over;
// else never.
func (l *Load) heldUntil(one *life) time.Duration {
	if !one.cancelled() {
		return never
	}
	until := l.sweptAt(one)
	if l.anew > 0 {
		until = min(until, (one.end/l.anew+1)*l.anew)
	}
	if until < one.deadline {
		return until
	}
	return never
}

// sweptAt returns when a sweep comes across a timer that was cancelled. Which are swept
// is drawn from when they were armed, always alike.
func (l *Load) sweptAt(one *life) time.Duration {
	ended := l.Cancels + l.Resets
	if l.swept == 0 || ended == 0 {
		return never
	}
	drawn := uint64(one.at) * golden
	if float64(drawn>>11)/(1<<53) >= l.swept {
		return never
	}
	part := float64(drawn*golden>>11) / (1 << 53)
	return one.end + seconds(part*sweptWithin*l.Held/ended)
}

// visits returns how many pending entries a wheel with rounds visits in a second if
// every tick is passed: each entry of a slot that is opened, due or not, those that
// are cancelled and held among them. O(lives).
func (l *Load) visits(g geometry) float64 {
	span := (l.livesTo - l.livesFrom).Seconds()
	around := g.tick.Seconds() * float64(g.slots)
	if span <= 0 || len(l.lives) == 0 {
		return (l.Pending+l.Held)/around + (l.Fires+l.stale)/2
	}
	sum := 0.0
	for i := range l.lives {
		one := &l.lives[i]
		k, m := g.ceil(one.deadline), int64(g.slots)
		from := int64(max(one.at, l.livesFrom) / g.tick)
		to := min(int64(l.livesTo/g.tick), k)
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

// delaysLooked is how many quantiles of the delays stand for all.
const delaysLooked = 64

// passed returns how many of the pending an insertion into a sorted list passes on
// average, from the last one on: those that are due later. A timer is in the way of
// insertions for as long as it is pending and has more than their delay left. O(lives).
func (l *Load) passed() float64 {
	span := l.livesTo - l.livesFrom
	if span <= 0 || len(l.lives) == 0 || len(l.Delays) == 0 {
		return l.Pending / 2
	}
	looked := min(delaysLooked, len(l.Delays))
	sum := 0.0
	for i := range looked {
		delay := l.Delays[(2*i+1)*len(l.Delays)/(2*looked)]
		for j := range l.lives {
			one := &l.lives[j]
			from, to := max(one.at, l.livesFrom), min(one.end, one.deadline-delay, l.livesTo)
			sum += one.weight * max(to-from, 0).Seconds()
		}
	}
	return sum / span.Seconds() / float64(looked)
}

// countUpTo returns how many of some durations in order are at most d. O(log n).
func countUpTo(sorted []time.Duration, d time.Duration) int {
	n, _ := slices.BinarySearchFunc(sorted, d, func(e, d time.Duration) int {
		if e <= d {
			return -1
		}
		return 1
	})
	return n
}
