package harness

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"schedbench/schedulers"
)

// Tails asks how long single calls take, up to the 99.9th percentile: each is timed by itself,
// while timers become many, are replaced, cascade and become few.
const Tails = "Tails"

// The units of the longest Expire of a block's cascade: how long it took, how many timers came
// out, and how many moved to a lower level.
const (
	LongestExpire   = "longest-expire-ns"
	LongestDue      = "longest-expire-due"
	LongestCascaded = "longest-expire-cascaded"
)

const (
	// perTail is what a turn of tails is taken to need for each pending timer.
	perTail = time.Microsecond
	// fewestTail is how many pending timers there are at least: of fewer a cascade leaves none
	// to cancel. mostTail is how many at most: a turn with them takes 15 seconds.
	fewestTail, mostTail = 100, 10_000_000
)

// tailCells returns two cells for each pending count: of bare schedulers, and of what runs
// functions on the real clock. The count is middling, and in a plan of everything a million
// too. Garbage is collected as usual, and calls meanwhile are told apart.
func (p *Plan) tailCells() (cells []Cell) {
	limits := []int{middling}
	if p.Every {
		limits = append(limits, mostFitting)
	}
	for _, n := range p.counts(limits...) {
		cells = append(cells, p.tailCell(fmt.Sprintf("tails-%d", n), n, p.which(Contestant.bare), bareLife)...)
		cells = append(cells, p.tailCell(fmt.Sprintf("tails-functions-%d", n), n, p.tailsLive(), functionsLife, "holding", HoldingFunctions)...)
	}
	return cells
}

// tailsLive returns who is timed on the real clock: the contestant that stands for all and
// time.AfterFunc, and in a plan of everything all that are no presets.
func (p *Plan) tailsLive() []Contestant {
	if p.Every {
		return p.which(func(c Contestant) bool { return c.Live() && !c.asItIs() })
	}
	return p.standIns()
}

// lifeOf makes timers of a contestant whose life is timed.
type lifeOf func(c Contestant, l life) (timedLife, error)

// tailCell returns the cell of n timers of some contestants, if there are any that can
// hold as many: of each of them, of one a second time, and of the clock alone. params are what
// their series have besides.
func (p *Plan) tailCell(name string, n int, contestants []Contestant, of lifeOf, params ...any) []Cell {
	contestants = slices.DeleteFunc(contestants, func(c Contestant) bool { return c.LinearInsert && p.fillTooSlow(n) })
	if n < fewestTail || n > mostTail || len(contestants) == 0 {
		return nil
	}
	contestants = append([]Contestant{clockAlone()}, withAgain(contestants)...)
	turn := time.Duration(n)*perTail + 10*time.Millisecond
	return []Cell{turnsCell(Tails, name, len(contestants), turn, func(s *session) []*competitor {
		watch := newStopwatch()
		return each(contestants, func(c Contestant) *competitor {
			t := &tail{s: s, c: c, n: n, of: of, watch: watch, params: params}
			if c.Name == ClockControl {
				t.of = bareLife
			}
			return t.competitor()
		})
	}).atMost(tailBlocks).weighing(weightOfControls)}
}

// tailBlocks is how many blocks tails have at most where the budget decides: one has a hundred
// thousand of each call.
const tailBlocks = 8

// clockAlone is the control: what is between two readings of the clock when nothing is called,
// and how long the machine stands still meanwhile.
func clockAlone() Contestant {
	c := emptyContestant()
	c.Name = ClockControl
	return c
}

// tail is a contestant in a cell of tails.
type tail struct {
	s      *session
	c      Contestant
	n      int
	of     lifeOf
	watch  *stopwatch
	params []any

	series []*Series // of parts
}

func (t *tail) competitor() *competitor {
	for _, p := range t.parts() {
		s := newSeries(Tails, slices.Concat([]any{"op", p.call.name(), "impl", t.c.Name, "pending", t.n, "during", p.during}, t.params)...)
		all := newDurations()
		s.Took, s.Collecting = all.calm, all.collecting
		t.series = append(t.series, s)
	}
	return &competitor{turn: t.turn, holds: t.burden(), series: t.series[0], also: t.series[1:]}
}

// parts returns those that are timed: on the real clock only the driver calls Expire and Next. The
// control does the same in each call: one part is enough.
func (t *tail) parts() []tailPart {
	switch {
	case t.c.Name == ClockControl:
		return []tailPart{{callExpire, DuringHold}}
	case len(t.params) == 0:
		return tailParts
	}
	return slices.DeleteFunc(slices.Clone(tailParts), func(p tailPart) bool { return p.call >= callExpire })
}

// burden returns what it holds, beside the tick in which each timer comes due.
func (t *tail) burden() burden {
	of := holdingNumbers
	if len(t.params) > 0 && t.c.Name != ClockControl {
		of = holdingFunctions
	}
	return t.s.burdenOf(t.c, t.n, inOrder(t.c)+8, func() (population, error) { return of(t.c, t.n) })
}

// turn times the life of a population of its own, the same for all contestants and another
// in each turn.
func (t *tail) turn(round int) (calls int, values sample, err error) {
	l := life{ctx: t.s.ctx, n: t.n, watch: t.watch, control: t.c.Name == ClockControl}
	l.random = splitMix{t.s.random(fmt.Sprint(Tails, t.n, round)).Uint64()}
	timers, err := t.of(t.c, l)
	if err != nil {
		return 0, nil, err
	}
	defer timers.close()
	runtime.GC()
	t.watch.start()
	if err := timers.live(); err != nil {
		return 0, nil, err
	}
	for i, p := range t.parts() {
		d, into := t.watch.took[p], t.series[i]
		into.Took.Merge(d.calm)
		into.Collecting.Merge(d.collecting)
		n, of := t.watch.tail(p)
		if p.call == callExpire {
			t.watch.longest.addTo(of)
		}
		if i == 0 {
			calls, values = n, of
		} else {
			into.add(round/roundsApart, n, of)
		}
	}
	return calls, values, nil
}

// addTo adds its units to a sample.
func (l longestExpire) addTo(values sample) {
	values[LongestExpire], values[LongestDue] = float64(l.took), float64(l.due)
	if l.counted {
		values[LongestCascaded] = float64(l.cascaded)
	}
}

// bareLife makes a bare scheduler's.
func bareLife(c Contestant, l life) (timedLife, error) {
	pop, err := newVirtual(c, costGeometry(OpPair, l.n, longest))
	if err != nil {
		return nil, err
	}
	_, late := pop.s.(schedulers.Approximate)
	l.exact = !late && !l.control
	return newLifeCourse(l, bareCalls(pop.s)), nil
}

// bareCalls are those of a scheduler. Where it has no Reset, cancelling and scheduling
// again is what a caller does.
func bareCalls(s schedulers.Scheduler[uint64]) timedCalls[schedulers.ID] {
	reset := func(id schedulers.ID, at time.Duration, timer int) (schedulers.ID, bool) {
		ok := s.Cancel(id)
		id, err := s.Schedule(at, uint64(timer))
		return id, ok && err == nil
	}
	if r, can := s.(schedulers.Resetter); can {
		reset = func(id schedulers.ID, at time.Duration, _ int) (schedulers.ID, bool) {
			ok, err := r.Reset(id, at)
			return id, ok && err == nil
		}
	}
	var cascaded func() uint64
	if m, counts := s.(schedulers.Meter); counts {
		cascaded = func() uint64 { return m.Work().Cascades }
	}
	return timedCalls[schedulers.ID]{
		cascaded: cascaded,
		schedule: func(at time.Duration, timer int) (schedulers.ID, error) { return s.Schedule(at, uint64(timer)) },
		cancel:   s.Cancel, reset: reset, expire: s.Expire, next: s.Next, len: s.Len, close: func() {},
	}
}

// functionsLife makes that of timers on the real clock, of a driver or of the Go runtime,
// whose deadlines lie so far ahead that none is reached.
func functionsLife(c Contestant, l life) (timedLife, error) {
	s, err := runner{Contestant: c}.start(costTick, costGeometry(OpLivePair, l.n, longest).Horizon)
	if err != nil {
		return nil, err
	}
	return s.population(notYet).lifeCourse(l), nil
}

// holdingNumbers makes populations of bare schedulers.
func holdingNumbers(c Contestant, n int) (population, error) {
	return newVirtual(c, costGeometry(OpPair, n, longest))
}

// holdingFunctions makes populations of live timers. A driver and the Go runtime hold the
// same function for each.
func holdingFunctions(c Contestant, n int) (population, error) {
	s, err := runner{Contestant: c}.start(costTick, costGeometry(OpPair, n, longest).Horizon)
	if err != nil {
		return nil, err
	}
	return s.population(beyond(n) / 2), nil
}
