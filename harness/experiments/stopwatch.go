package experiments

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"schedbench/harness/quiet"
	"schedbench/harness/rundata"
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
)

// name returns the value of the parameter op.
func (c callKind) name() string { return rundata.Calls()[c] }

const (
	// chunkCalls is how many calls are noted before they are filed into histograms. Filing slows the next call by the
	// caches: one call in 16,384, which is far beyond a p99.9.
	chunkCalls = 1 << 14
	// callShift and tookMask are where a note has its call and the duration.
	callShift = 56
	tookMask  = 1<<callShift - 1
)

// durations are those of calls: calm ones, and those while garbage was collected.
type durations struct{ calm, collecting *hdrhistogram.Histogram }

// newDurations returns histograms up to a minute, exact to a hundredth. Finer ones would add megabytes to the heap whose
// collections are measured.
func newDurations() durations {
	h := func() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(time.Minute), 2) }
	return durations{h(), h()}
}

// tailPart is a call in a phase of a life.
type tailPart struct {
	call   callKind
	during string
}

// tailParts are those whose durations are kept.
var tailParts = []tailPart{
	{callSchedule, rundata.DuringGrow}, {callSchedule, rundata.DuringHold}, {callCancel, rundata.DuringHold}, {callReset, rundata.DuringHold},
	{callCancel, rundata.DuringShrink}, {callExpire, rundata.DuringHold}, {callNext, rundata.DuringHold},
}

// longestExpire is the longest Expire of a cascade: how many timers it handed out, and how many it moved to a lower
// level, if the scheduler counts these.
type longestExpire struct {
	took     time.Duration
	due      int
	cascaded uint64
	counted  bool
}

// stopwatch times calls one by one. Only the call is between the two readings of the clock: a duration is that of the call
// and of one reading.
type stopwatch struct {
	began time.Time
	notes []uint64 // calls that are not filed yet
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

// start drops all durations and begins.
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

// file moves the notes into the histograms of the phase. It drops calls without one.
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

// enter ends a phase and begins another.
func (w *stopwatch) enter(phase string) {
	w.file()
	w.phase = phase
}

// tailShares are the percentiles of calls, with their units.
var tailShares = []struct {
	unit  string
	share float64
}{{rundata.P50Took, 0.5}, {rundata.P99Took, 0.99}, {rundata.P999Took, 0.999}}

// tail returns the number of calls of a part, and their percentiles. It makes little garbage: less than schedulers do.
func (w *stopwatch) tail(p tailPart) (calls int, values rundata.Values) {
	all := w.both
	all.Reset()
	all.Merge(w.took[p].calm)
	all.Merge(w.took[p].collecting)
	values = rundata.Values{}
	for _, p := range tailShares {
		values[p.unit] = float64(quantile.Of(all, p.share))
	}
	return int(all.TotalCount()), values
}
