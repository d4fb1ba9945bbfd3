package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/live"
	"schedbench/workload"
)

const (
	// heatOps is about how many operations the heat replays, and aloneOps how many if no final follows. heatLasts is the
	// longest time that they last.
	heatOps   = 150_000
	aloneOps  = 1_000_000
	heatLasts = 20 * time.Second
	// mostWarm is the most operations that are skipped to reach a steady state. mostAged is how many more are skipped until
	// timers that were put off lie where they do in the long run (live.Slice.Places).
	mostWarm, mostAged = 5_000_000, 1_000_000
)

// Segment is a part of a workload in its steady state.
type Segment struct {
	Source workload.Source
	// Length is how long it is, and Rate how many operations a second it has.
	Length time.Duration
	Rate   float64
	// Pending is how many timers are pending when it begins, and Horizon is the longest delay.
	Pending int
	Horizon time.Duration
	// Scale is less than 1 if the workload is too fast, or too large, for the real clock.
	Scale float64

	fill, ops []workload.Op
}

// segmentOf reads the part of a source that the heat replays. The errors are those of the stream and of ctx, and one for
// a workload without timers.
func segmentOf(ctx context.Context, src workload.Source) (*Segment, error) {
	s := &Segment{Source: src, Length: heatLasts, Horizon: src.Horizon}
	if src.Length > 0 {
		rate := max(float64(src.Ops)/src.Length.Seconds(), 1)
		s.Source.Steady = min(src.Steady, time.Duration(mostWarm/rate*float64(time.Second)))
		ops := float64(heatOps)
		if live.Scale(rate, float64(src.Pending)) < 1 {
			ops = aloneOps
		}
		s.Length = min(heatLasts, time.Duration(ops/rate*float64(time.Second))+time.Millisecond)
		if src.Scalable {
			s.Source.Steady += min(src.Horizon, max(src.Length-s.Source.Steady, 0), time.Duration(mostAged/rate*float64(time.Second)))
		} else {
			s.Length = min(s.Length, src.Length-s.Source.Steady)
		}
	}
	part := live.Part{
		Open: func() (workload.Stream, error) {
			var o workload.Options
			if src.Scalable {
				o.For = s.Source.Steady + s.Length + time.Second
			}
			return src.Open(o)
		},
		From: s.Source.Steady, Length: s.Length,
	}
	slice, err := part.Slice(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	s.read(slice)
	if s.Pending == 0 && len(s.ops) == 0 {
		return nil, fmt.Errorf("%s: nothing is pending or armed within %v from %v on", src.Name, s.Length, s.Source.Steady)
	}
	s.Scale = live.Scale(s.Rate, float64(s.Pending))
	return s, nil
}

// read splits the operations as they are played into those that arm the pending timers, and the rest.
func (s *Segment) read(sl *live.Slice) {
	for i, delay := range sl.Pending {
		s.fill = append(s.fill, workload.Op{Delay: delay, Timer: uint32(i), Kind: workload.Schedule})
		s.Horizon = max(s.Horizon, delay)
	}
	for _, played := range sl.Ops {
		op := workload.Op{At: played.At, Timer: uint32(played.Timer), Kind: played.Kind}
		if op.Kind != workload.Cancel {
			op.Delay = played.Deadline - played.At
		}
		if op.At == 0 && op.Kind == workload.Schedule && len(s.ops) == 0 {
			s.fill = append(s.fill, op)
		} else {
			s.ops = append(s.ops, op)
		}
		s.Horizon = max(s.Horizon, op.Delay)
	}
	s.Pending = len(s.fill)
	s.Rate = float64(len(s.ops)) / s.Length.Seconds()
}

// assumedLateness returns a lateness that hardly any program minds: a tenth of the mean delay, from a millisecond to a
// second, rounded down to 1, 2 or 5 times a power of ten. Cancelled and moved deadlines count only if all were.
func (s *Segment) assumedLateness() time.Duration {
	next := map[uint32]time.Duration{} // the instant of the timer's next operation
	var kept, all []float64
	for _, op := range slices.Backward(slices.Concat(s.fill, s.ops)) {
		if at, ends := next[op.Timer]; op.Kind != workload.Cancel {
			all = append(all, op.Delay.Seconds())
			if !ends || at-op.At >= op.Delay {
				kept = append(kept, op.Delay.Seconds())
			}
		}
		next[op.Timer] = op.At
	}
	if len(kept) == 0 {
		kept = all
	}
	most := min(max(mean(kept)/10, 1e-3), 1) // seconds
	list := roundDurations(time.Millisecond, time.Duration(math.Round(most*1e9)))
	return list[len(list)-1]
}

// blockLasts is how long a block of the final lasts: long enough for some timers to fire.
const blockLasts = 2 * time.Second
