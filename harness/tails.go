package harness

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"schedbench/schedulers"
)

// Tails asks how long single calls take, up to the longest: each is timed by itself, while
// timers become many, are replaced, become few and many again, and come due in masses.
const Tails = "Tails"

const (
	// perTail is what a turn of tails is taken to need for each pending timer, and perMany what
	// it is where there are more than middling many.
	perTail, perMany = 1300 * time.Nanosecond, 3 * time.Microsecond
	// fewestTail is how many pending timers there are at least, since with fewer a tenth is none,
	// and mostTail how many at most: a turn with ten million takes half a minute.
	fewestTail, mostTail = 10, 10_000_000
	// listFills is as how long as filling a sorted list a turn takes it.
	listFills = 8
)

// tailCells returns two cells for each pending count: of bare schedulers, and of what runs
// functions on the real clock. The count is middling, and in a plan of everything a million
// too. Garbage is collected as usual, and calls meanwhile are told apart.
func (p *Plan) tailCells() (cells []Cell) {
	limits := []int{middling}
	if p.Every {
		limits = append(limits, mostAtOnce)
	}
	for _, n := range p.counts(limits...) {
		most := tailBlocks
		cells = append(cells, p.tailCell(fmt.Sprintf("tails-%d", n), n, most, p.which(Contestant.bare), bareLife)...)
		cells = append(cells, p.tailCell(fmt.Sprintf("tails-functions-%d", n), n, most, p.tailsLive(), functionsLife, "holding", HoldingFunctions)...)
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
// hold as many: of each of them, of one a second time, and of the controls. params are what
// their series have besides.
func (p *Plan) tailCell(name string, n, count int, contestants []Contestant, of lifeOf, params ...any) []Cell {
	contestants = slices.DeleteFunc(contestants, func(c Contestant) bool { return c.LinearInsert && p.fillTooSlow(n) })
	if n < fewestTail || n > mostTail || len(contestants) == 0 {
		return nil
	}
	contestants = append(tailControls(n), withAgain(contestants)...)
	turn := time.Duration(n)*perTail + 10*time.Millisecond
	if n > middling {
		turn = time.Duration(n) * perMany
	}
	return []Cell{turnsCell(Tails, name, len(contestants), turn, func(s *session) []*competitor {
		watch := newStopwatch()
		return each(contestants, func(c Contestant) *competitor {
			t := &tail{s: s, c: c, n: n, of: of, watch: watch, params: params}
			if isTailControl(c) {
				t.of = bareLife
			}
			return t.competitor()
		})
	}).atMost(count).weighing(weightOfControls)}
}

// tailBlocks is how many blocks tails have at most: one has a hundred thousand of each call.
const tailBlocks = 8

// tailControls are the controls of tails of n timers: what is between two readings of the
// clock when nothing is called, and how long the machine stands still meanwhile; and of more
// than middling many timers, which no cache holds, what it is when one cell is touched, since
// some machines stand still at that once in 10,000 times.
func tailControls(n int) []Contestant {
	c := emptyContestant()
	c.Name = ClockControl
	if n <= middling {
		return []Contestant{c}
	}
	return []Contestant{c, {Name: MemoryControl, Baseline: true, New: func(Geometry) (schedulers.Scheduler[uint64], error) {
		return &touchingScheduler{cells: make([]touchedCell, n), random: splitMix{uint64(n)}}, nil
	}}}
}

func isTailControl(c Contestant) bool { return c.Name == ClockControl || c.Name == MemoryControl }

// touchingScheduler keeps nothing, but touches a cell at random in each call.
type touchingScheduler struct {
	emptyScheduler
	cells  []touchedCell
	random splitMix
}

// touchedCell is as large as a timer of the bucket wheels.
type touchedCell [4]uint64

func (s *touchingScheduler) touch() {
	i, _ := s.random.next(len(s.cells))
	s.cells[i][0]++
}

func (s *touchingScheduler) Schedule(at time.Duration, v uint64) (schedulers.ID, error) {
	s.touch()
	return s.emptyScheduler.Schedule(at, v)
}

func (s *touchingScheduler) Cancel(id schedulers.ID) bool {
	s.touch()
	return s.emptyScheduler.Cancel(id)
}

func (s *touchingScheduler) Reset(schedulers.ID, time.Duration) (bool, error) {
	s.touch()
	return true, nil
}

func (s *touchingScheduler) Expire(time.Duration, []uint64) int {
	s.touch()
	return 0
}

func (s *touchingScheduler) Next() (time.Duration, bool) {
	s.touch()
	return 0, false
}

// tail is a contestant in a cell of tails.
type tail struct {
	s      *session
	c      Contestant
	n      int
	of     lifeOf
	watch  *stopwatch
	params []any

	compete *competitor
	block   int
	whole   [numCalls]*Series
	phases  map[string]*Series // by phase and call
}

func (t *tail) competitor() *competitor {
	t.compete, t.phases = &competitor{turn: t.turn}, map[string]*Series{}
	for c := range t.calls() {
		t.whole[c] = t.newSeries(c)
		t.whole[c].Took, t.whole[c].Collecting = newDurations().both()
	}
	t.compete.holds = t.burden()
	t.compete.series = t.whole[callSchedule]
	t.compete.also = t.whole[callSchedule+1 : t.calls()]
	return t.compete
}

// burden returns what it holds, beside the tick in which each timer comes due.
func (t *tail) burden() burden {
	of := holdingNumbers
	if len(t.params) > 0 && !isTailControl(t.c) {
		of = holdingFunctions
	}
	b := burdenOf(t.c, t.n, func() (population, error) { return of(t.c, t.n) })
	b.besides += 8
	return b
}

// calls returns how many of the calls are timed: on the real clock nobody calls Expire and
// Next but the driver.
func (t *tail) calls() callKind {
	if len(t.params) > 0 {
		return callReset + 1
	}
	return numCalls
}

func (t *tail) newSeries(c callKind, params ...any) *Series {
	return newSeries(Tails, slices.Concat([]any{"op", c.name(), "impl", t.c.Name, "pending", t.n}, t.params, params)...)
}

// turn times the life of a population of its own, the same for all contestants and another
// in each turn.
func (t *tail) turn(round int) (calls int, values sample, err error) {
	t.block = round / roundsApart
	l := life{ctx: t.s.ctx, n: t.n, watch: t.watch, control: isTailControl(t.c)}
	l.random = splitMix{t.s.random(fmt.Sprint(Tails, t.n, round)).Uint64()}
	l.endPhase = func(phase string) {
		t.watch.endPhase(func(c callKind, d durations) { t.addPhase(phase, c, d) })
	}
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
	collected := float64(t.watch.gc.count())
	for c := range t.calls() {
		d := t.watch.whole[c]
		n, of := t.watch.tail(d)
		of[Collections] = collected
		t.whole[c].Took.Merge(d.calm)
		t.whole[c].Collecting.Merge(d.collecting)
		if c == callSchedule {
			calls, values = n, of
		} else {
			t.whole[c].add(t.block, n, of)
		}
	}
	return calls, values, nil
}

// addPhase adds what there is of a call in a phase, but for next, which hardly varies.
func (t *tail) addPhase(phase string, c callKind, d durations) {
	if c == callNext || c >= t.calls() {
		return
	}
	key := phase + " " + c.name()
	s := t.phases[key]
	if s == nil {
		s = t.newSeries(c, "during", phase)
		t.phases[key] = s
		t.compete.also = append(slices.Clip(t.compete.also), s)
	}
	n, of := t.watch.tail(d, P9999Took, MaxTook)
	s.add(t.block, n, of)
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
	return timedCalls[schedulers.ID]{
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
