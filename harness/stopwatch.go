package harness

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/internal/quantile"
)

// callKind is an operation that is timed call by call.
type callKind uint8

const (
	callSchedule callKind = iota
	callCancel
	callReset
	callExpire
	callNext
	numCalls
)

// The values of the parameter op of tails.
const (
	CallSchedule = "schedule"
	CallCancel   = "cancel"
	CallReset    = "reset"
	CallExpire   = "expire" // one call, with what is due in it
	CallNext     = "next"
)

// Calls lists the operations that are timed call by call.
func Calls() []string {
	return []string{CallSchedule, CallCancel, CallReset, CallExpire, CallNext}
}

// name returns the value of the parameter op.
func (c callKind) name() string { return Calls()[c] }

const (
	// chunkCalls is how many calls are noted before they are filed into histograms. What
	// filing leaves in the caches touches the call after it, which is so rarely one that it
	// does not reach one in 10,000.
	chunkCalls = 1 << 14
	// callShift and tookMask say where a note has its call and how long that took.
	callShift = 56
	tookMask  = 1<<callShift - 1
)

// durations are how long calls took: those while no garbage was collected, and the others.
type durations struct{ calm, collecting *hdrhistogram.Histogram }

// newDurations returns histograms up to a minute, exact to a hundredth: finer ones would
// take megabytes of the heap beside which collections are measured.
func newDurations() durations {
	h := func() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(time.Minute), 2) }
	return durations{h(), h()}
}

// both returns the two.
func (d durations) both() (calm, collecting *hdrhistogram.Histogram) { return d.calm, d.collecting }

// of returns the histogram of calls while garbage was collected or was not.
func (d durations) of(collecting bool) *hdrhistogram.Histogram {
	if collecting {
		return d.collecting
	}
	return d.calm
}

// merge adds others.
func (d durations) merge(from durations) {
	d.calm.Merge(from.calm)
	d.collecting.Merge(from.collecting)
}

// stopwatch times calls one by one. Between the two readings of the clock there is
// nothing but the call, so that what it shows of one is the call and one reading.
type stopwatch struct {
	began time.Time
	notes []uint64 // of calls that are not filed yet
	gc    collections

	phase, whole [numCalls]durations // since the last phase ended, and since the beginning
	both         *hdrhistogram.Histogram
}

func newStopwatch() *stopwatch {
	w := &stopwatch{notes: make([]uint64, 0, chunkCalls), gc: newCollections(), both: newDurations().calm}
	for c := range numCalls {
		w.phase[c], w.whole[c] = newDurations(), newDurations()
	}
	return w
}

// start forgets all and begins.
func (w *stopwatch) start() {
	w.notes = w.notes[:0]
	for c := range numCalls {
		for _, d := range []durations{w.phase[c], w.whole[c]} {
			d.calm.Reset()
			d.collecting.Reset()
		}
	}
	w.gc.start()
	w.began = time.Now()
}

// now reads the clock: the monotonic one alone.
func (w *stopwatch) now() time.Duration { return time.Since(w.began) }

// note notes a call by the readings before and after it.
func (w *stopwatch) note(c callKind, before, after time.Duration) {
	w.notes = append(w.notes, uint64(c)<<callShift|uint64(after-before)&tookMask)
	if len(w.notes) == cap(w.notes) {
		w.file()
	}
}

// file puts what is noted into the histograms.
func (w *stopwatch) file() {
	collecting := w.gc.ran()
	for _, n := range w.notes {
		record(w.phase[n>>callShift].of(collecting), time.Duration(n&tookMask))
	}
	w.notes = w.notes[:0]
}

// endPhase files what is left of a phase, tells what there is of each call in it, and
// begins the next.
func (w *stopwatch) endPhase(tell func(c callKind, d durations)) {
	w.file()
	for c := range numCalls {
		d := w.phase[c]
		if d.calm.TotalCount()+d.collecting.TotalCount() > 0 {
			tell(c, d)
		}
		w.whole[c].merge(d)
		d.calm.Reset()
		d.collecting.Reset()
	}
}

// tailShares are the percentiles that are told of calls, with their units.
var tailShares = []struct {
	unit  string
	share float64
}{{P50Took, 0.5}, {P99Took, 0.99}, {P999Took, 0.999}, {P9999Took, 0.9999}, {MaxTook, 1}}

// tail returns how many calls there are, and some of their percentiles: all, and their
// mean, if no units are named. It makes no garbage to speak of, of which there would be more
// than schedulers make.
func (w *stopwatch) tail(d durations, units ...string) (calls int, values sample) {
	all := w.both
	all.Reset()
	all.Merge(d.calm)
	all.Merge(d.collecting)
	values = sample{}
	if len(units) == 0 {
		values[NsPerOp] = all.Mean()
	}
	for _, p := range tailShares {
		if len(units) == 0 || slices.Contains(units, p.unit) {
			values[p.unit] = float64(quantile.Of(all, p.share))
		}
	}
	return int(all.TotalCount()), values
}
