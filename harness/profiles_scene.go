package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"schedbench/workload"
)

const (
	// mostLiveRate is the most operations a second that a workload is run with on
	// the real clock, and mostLivePending the most timers that it begins with: one
	// that has more is scaled down.
	mostLiveRate    = 200_000
	mostLivePending = 200_000
	// mostLiveOps is the most operations of a run on the real clock at all, of a
	// workload that cannot be scaled.
	mostLiveOps = 5_000_000
)

// scene is a slice of a workload as it is run on the real clock, from its steady
// state on: first what is pending by then is armed, then comes what the program
// does from there on. Every use of a timer number is a timer of its own.
type scene struct {
	ops    []workload.Op
	timers []int32 // of each operation
	count  int     // of timers
	begun  int     // operations that are done before the clock starts
	slice  time.Duration
	scale  float64
	// due is how many timers are to fire within the slice, and pending how many are
	// pending on average.
	due, pending int
	inserts      int // and resets, while the clock runs
}

// newScene reads the slice of a workload, scaled down if need be.
func (s *session) newScene(w workload.Source) (*scene, error) {
	sc, err := s.readScene(w, 1)
	if err != nil || !w.Scalable {
		return sc, err
	}
	scale := min(1, mostLiveRate/max(sc.rate(), 1), float64(mostLivePending)/float64(max(sc.begun, 1)))
	if scale == 1 {
		return sc, nil
	}
	return s.readScene(w, scale)
}

// readScene reads the slice of a workload at a scale.
func (s *session) readScene(w workload.Source, scale float64) (*scene, error) {
	sc := &scene{slice: s.plan.liveSlice(), scale: scale}
	pending := map[uint32]time.Duration{} // deadlines by timer, before the slice
	err := eachOp(s.ctx, w, workload.Options{Scale: scale}, func(op workload.Op) (bool, error) {
		if op.At > w.Steady && pending != nil {
			sc.begin(pending, w.Steady)
			pending = nil
		}
		switch {
		case op.At >= w.Steady+sc.slice:
			return false, nil
		case len(sc.ops) == mostLiveOps:
			return false, fmt.Errorf("more than %d operations within %v: too many for the real clock", mostLiveOps, sc.slice)
		case pending != nil:
			foresee(pending, op)
		default:
			op.At -= w.Steady
			sc.ops = append(sc.ops, op)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if pending != nil { // nothing happens after it
		sc.begin(pending, w.Steady)
	}
	sc.number()
	return sc, nil
}

// foresee keeps the deadlines of what is pending up to date.
func foresee(pending map[uint32]time.Duration, op workload.Op) {
	deadline, known := pending[op.Timer]
	switch {
	case op.Kind == workload.Schedule, op.Kind == workload.Reset && known && op.At < deadline:
		pending[op.Timer] = op.At + op.Delay
	case op.Kind == workload.Cancel:
		delete(pending, op.Timer)
	}
}

// begin has the scene begin with the timers that are pending at a time.
func (sc *scene) begin(pending map[uint32]time.Duration, at time.Duration) {
	for _, timer := range slices.Sorted(maps.Keys(pending)) {
		if left := pending[timer] - at; left > 0 {
			sc.ops = append(sc.ops, workload.Op{Kind: workload.Schedule, Timer: timer, Delay: left})
		}
	}
	sc.begun = len(sc.ops)
}

// liveSlice is how long a workload runs on the real clock.
func (p *Plan) liveSlice() time.Duration {
	if p.LiveSlice > 0 {
		return p.LiveSlice
	}
	return p.Slice / 2
}

// eachOp calls f for the operations of a workload until it returns false.
func eachOp(ctx context.Context, w workload.Source, o workload.Options, f func(workload.Op) (bool, error)) error {
	stream, err := w.Open(o)
	if err != nil {
		return err
	}
	defer func() { _ = workload.Close(stream) }() // what was read from it is right
	for ops, err := range workload.Blocks(ctx, stream, 1024) {
		if err != nil {
			return err
		}
		for _, op := range ops {
			if more, err := f(op); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// number gives each use of a timer number a timer of its own, leaves out what is
// asked of timers that have fired by then, and counts what is to be expected.
func (sc *scene) number() {
	latest := map[uint32]int32{}
	var lives []life
	sc.timers = make([]int32, len(sc.ops))
	for i, op := range sc.ops {
		t, known := latest[op.Timer]
		switch {
		case op.Kind == workload.Schedule:
			t = int32(len(lives))
			latest[op.Timer] = t
			lives = append(lives, life{op.At, op.At + op.Delay, false})
		case !known || lives[t].stopped || op.At >= lives[t].end:
			t = nobody
		case op.Kind == workload.Reset:
			lives[t].end = op.At + op.Delay
		default:
			lives[t].end, lives[t].stopped = op.At, true
		}
		sc.timers[i] = t
		if t != nobody && op.Kind != workload.Cancel && i >= sc.begun {
			sc.inserts++
		}
	}
	sc.expect(lives)
}

// nobody stands for the timer of an operation that there is nothing to do for.
const nobody = -1

// life is the time in which a timer is pending.
type life struct {
	from, end time.Duration
	stopped   bool
}

// expect counts the timers that fire, and how many are pending on average.
func (sc *scene) expect(lives []life) {
	sc.count = len(lives)
	pending := 0.0
	for _, l := range lives {
		if !l.stopped && l.end <= sc.slice {
			sc.due++
		}
		pending += float64(min(l.end, sc.slice) - l.from)
	}
	sc.pending = int(pending / float64(sc.slice))
}

// rate returns the operations a second while the clock runs.
func (sc *scene) rate() float64 { return float64(len(sc.ops)-sc.begun) / sc.slice.Seconds() }
