package experiments

import (
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/harness"
	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
	"schedbench/internal/lists"
	"schedbench/internal/quantile"
	"schedbench/schedulers"
)

const (
	perTail    = time.Microsecond // assumed for each pending timer in a turn
	tailBlocks = 8                // at most if the budget decides: each has a hundred thousand of each call
	// With fewer timers than fewestTail a cascade leaves none to cancel. With mostTail a turn takes 15 s.
	fewestTail, mostTail = 100, 10_000_000
)

func init() { register(harness.Experiment{Name: rundata.Tails, Cells: tailCells, Reads: "pending"}) }

// tailCells returns two cells for each pending count: of bare schedulers, and of functions on the real clock. The count is
// middling; a full plan has a million, too. Garbage is collected as usual, and calls meanwhile are counted apart.
func tailCells(p *harness.Plan) (cells []harness.Cell) {
	for _, n := range p.Counts(inFull(p, middling, harness.MostAtOnce)...) {
		cells = append(cells, tailCell(p, fmt.Sprintf("tails-%d", n), n, variantsOf(lists.Only(p.Contestants, harness.Contestant.Bare), nil), false)...)
		cells = append(cells, tailCell(p, fmt.Sprintf("tails-functions-%d", n), n, tailsLive(p), true)...)
	}
	return cells
}

// tailsLive returns the contestants on the real clock: the representatives, or in a full plan all whose driver the
// harness chooses, and time.AfterFunc.
func tailsLive(p *harness.Plan) []variant {
	if p.Full {
		return slices.DeleteFunc(tickless(p), func(r variant) bool { return r.AsItIs() })
	}
	return variantsOf(representatives(p), nil)
}

// tailCell returns the cell of n timers: each contestant that can hold as many, an A/A, and the clock alone.
func tailCell(p *harness.Plan, name string, n int, variants []variant, functions bool) []harness.Cell {
	variants = filled(p, variants, n)
	if n < fewestTail || n > mostTail || len(variants) == 0 {
		return nil
	}
	clock := harness.EmptyContestant() // the control: two readings of the clock, and no call between them
	clock.Name = rundata.ClockControl
	return shared{
		harness.Cell{Experiment: rundata.Tails, Name: name, Most: tailBlocks, Weight: weightOfControls},
		append(variantsOf([]harness.Contestant{clock}, nil), withAA(variants)...), time.Duration(n)*perTail + 10*time.Millisecond,
		func(s *harness.Session) (func(variant) *harness.Turns, error) {
			watch := newStopwatch()
			return func(r variant) *harness.Turns {
				return (&tail{s: s, r: r, n: n, functions: functions, watch: watch}).participant()
			}, nil
		},
	}.cells(p)
}

type tail struct {
	s         *harness.Session
	r         variant
	n         int
	functions bool // timers hold them, on the real clock
	watch     *stopwatch

	series []*rundata.Series // of parts
}

func (t *tail) participant() *harness.Turns {
	for _, p := range t.parts() {
		params := []any{"op", rundata.Calls()[p.call], "impl", t.r.Name, "pending", t.n, "during", p.during}
		if t.functions {
			params = append(params, "holding", rundata.HoldingFunctions)
		}
		s := rundata.NewSeries(rundata.Tails, params...)
		all := newDurations()
		s.Took, s.Collecting = all.calm, all.collecting
		t.series = append(t.series, s)
	}
	return &harness.Turns{Turn: adding(t.turn), Holds: t.n, Series: t.series[0], Also: t.series[1:]}
}

// parts returns the timed parts: of the control one. On the real clock only the driver calls Expire and Next.
func (t *tail) parts() []tailPart {
	switch {
	case t.r.Name == rundata.ClockControl:
		return []tailPart{{callExpire, rundata.DuringHold}}
	case !t.functions:
		return tailParts
	}
	return lists.Only(tailParts, func(p tailPart) bool { return p.call < callExpire })
}

// turn times the life of a new population: another in each turn, and the same for all contestants.
func (t *tail) turn(round int) error {
	l := life{s: t.s, n: t.n, watch: t.watch, control: t.r.Name == rundata.ClockControl}
	l.random = splitMix{t.s.Random(fmt.Sprint(rundata.Tails, t.n, round)).Uint64()}
	if err := t.live(l); err != nil {
		return err
	}
	for i, p := range t.parts() {
		d, into := t.watch.took[p], t.series[i]
		into.Took.Merge(d.calm)
		into.Collecting.Merge(d.collecting)
		n, of := t.watch.tail(p)
		if p.call == callExpire {
			t.watch.longest.addTo(of)
		}
		into.Add(t.s.First, n, of)
	}
	return nil
}

func (l longestExpire) addTo(values rundata.Values) {
	values[rundata.LongestExpire], values[rundata.LongestDue] = float64(l.took), float64(l.due)
	if l.counted {
		values[rundata.LongestCascaded] = float64(l.cascaded)
	}
}

// live times a life in a bare scheduler, or of timers on the real clock whose deadlines are never reached.
func (t *tail) live(l life) error {
	if t.functions && !l.control {
		s, err := t.r.start(costTick, costGeometry(rundata.OpLivePair, t.n, longest).Horizon)
		if err != nil {
			return err
		}
		defer s.close()
		return s.population().live(l)
	}
	s, err := t.r.New(costGeometry(rundata.OpPair, t.n, longest))
	if err != nil {
		return err
	}
	_, late := s.(schedulers.Approximate)
	l.exact = !late && !l.control
	return newLifeCourse(l, bareCalls(s)).live()
}

// bareCalls are those of a scheduler. If it has no Reset, a reset is a Cancel and a Schedule.
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
		cancel:   s.Cancel, reset: reset, expire: s.Expire, next: s.Next, len: s.Len,
	}
}

// callKind is the place of a call in rundata.Calls.
type callKind uint8

const (
	callSchedule callKind = iota
	callCancel
	callReset
	callExpire
	callNext
)

const (
	// chunkCalls is the number of calls between two filings into histograms. Filing disturbs the caches and slows one
	// call in 16,384: too few to move a p99.9.
	chunkCalls = 1 << 14
	callShift  = 56 // position of the kind of call in a note; the bits below are its time
	tookMask   = 1<<callShift - 1
)

// durations are how long calls took: those while no garbage was collected, and the others.
type durations struct{ calm, collecting *hdrhistogram.Histogram }

// newDurations returns histograms up to a minute, exact to a hundredth: finer ones would fill the heap.
func newDurations() durations {
	h := func() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(time.Minute), 2) }
	return durations{h(), h()}
}

type tailPart struct {
	call   callKind
	during string
}

var tailParts = []tailPart{
	{callSchedule, rundata.DuringGrow}, {callSchedule, rundata.DuringHold}, {callCancel, rundata.DuringHold}, {callReset, rundata.DuringHold},
	{callCancel, rundata.DuringShrink}, {callExpire, rundata.DuringHold}, {callNext, rundata.DuringHold},
}

// longestExpire is the longest call of Expire during a cascade: its time, the timers due, and the timers moved to a
// lower level. counted says that the scheduler counts those.
type longestExpire struct {
	took     time.Duration
	due      int
	cascaded uint64
	counted  bool
}

// stopwatch times calls one by one. A duration is that of the call and of one reading of the clock.
type stopwatch struct {
	began time.Time
	notes []uint64 // of calls that are not filed yet
	gc    quiet.Collections

	phase   string
	took    map[tailPart]durations
	longest longestExpire
	both    *hdrhistogram.Histogram
}

func newStopwatch() *stopwatch {
	w := &stopwatch{notes: make([]uint64, 0, chunkCalls), gc: quiet.NewCollections(), took: map[tailPart]durations{}, both: newDurations().calm}
	for _, p := range tailParts {
		w.took[p] = newDurations()
	}
	return w
}

func (w *stopwatch) start() {
	w.notes, w.longest = w.notes[:0], longestExpire{}
	for _, d := range w.took {
		d.calm.Reset()
		d.collecting.Reset()
	}
	w.gc.Start()
	w.began = time.Now()
}

// now reads the clock: the monotonic one alone.
func (w *stopwatch) now() time.Duration { return time.Since(w.began) }

func (w *stopwatch) note(c callKind, before, after time.Duration) {
	w.notes = append(w.notes, uint64(c)<<callShift|uint64(after-before)&tookMask)
	if len(w.notes) == cap(w.notes) {
		w.file()
	}
}

// file puts what is noted into the histograms of the phase, if it has one for the call.
func (w *stopwatch) file() {
	collecting := w.gc.Ran()
	for _, n := range w.notes {
		if d, kept := w.took[tailPart{callKind(n >> callShift), w.phase}]; kept {
			into := d.calm
			if collecting {
				into = d.collecting
			}
			rundata.Record(into, time.Duration(n&tookMask))
		}
	}
	w.notes = w.notes[:0]
}

func (w *stopwatch) enter(phase string) {
	w.file()
	w.phase = phase
}

func (w *stopwatch) tail(p tailPart) (calls int, values rundata.Values) {
	all := w.both
	all.Reset()
	all.Merge(w.took[p].calm)
	all.Merge(w.took[p].collecting)
	return int(all.TotalCount()), rundata.Values{
		rundata.P50Took: float64(quantile.Of(all, 0.5)), rundata.P99Took: float64(quantile.Of(all, 0.99)), rundata.P999Took: float64(quantile.Of(all, 0.999)),
	}
}
