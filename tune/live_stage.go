package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"schedbench/workload"
)

const (
	// Operations are done in batches, each a lead ahead of its time, so that a
	// thread that is woken late does not make timers late.
	liveBatch = time.Millisecond
	liveLead  = liveBatch + 500*time.Microsecond

	// mostLiveRate is the most operations a second that one thread does beside a
	// driver, and mostLivePending the most timers that are armed before each turn.
	// A workload that has more is scaled down.
	mostLiveRate    = 200_000
	mostLivePending = 50_000

	// warm is how much of a workload is skipped, unless its delays are shorter, so
	// that timers fire that were armed before: but at most mostWarm operations.
	warm     = 2 * time.Minute
	mostWarm = 3_000_000
)

// ErrTooFast means that a workload has more operations or timers than can be
// played on the real clock, and cannot be scaled down.
var ErrTooFast = errors.New("too fast for the real clock")

// StageOptions say how much of a workload is played.
type StageOptions struct {
	// For is how long it is played, all rounds together; 0 is 5 s.
	For time.Duration
	// Rounds is how many parts that is divided into; 0 is 6, the fewest that give an
	// interval at 95 %.
	Rounds int
}

// Stage is a workload as it is played on the real clock: a part of it in which it
// is steady, scaled down if it is too fast, its operations in batches.
type Stage struct {
	src   workload.Source
	o     StageOptions
	scale float64
	from  time.Duration
	notes []string

	control []reading // what it took without timers, once that was measured
}

// NewStage prepares a workload that a load tells about. The error is ErrTooFast
// if it cannot be played.
func NewStage(src workload.Source, load *Load, o StageOptions) (*Stage, error) {
	o.For, o.Rounds = cmp.Or(o.For, 5*time.Second), cmp.Or(o.Rounds, 6)
	if o.For <= 0 || o.Rounds < 1 || o.For/time.Duration(o.Rounds) < 10*time.Millisecond {
		return nil, fmt.Errorf("%d rounds of a workload that is played for %v, want at least 10ms each", o.Rounds, o.For)
	}
	st := &Stage{src: src, o: o, scale: 1}
	rate := load.Schedules + load.Resets + load.Cancels
	if most := max(rate/mostLiveRate, float64(load.MostPending)/mostLivePending); most > 1 {
		if !src.Scalable {
			return nil, fmt.Errorf("%s: %w: %.0f operations a second on up to %d timers, want at most %d on %d",
				src.Name, ErrTooFast, rate, load.MostPending, mostLiveRate, mostLivePending)
		}
		st.scale = 1 / most
		st.note("%.0f operations a second on up to %d timers are more than can be played beside a driver: "+
			"the proof is of the workload scaled by %.3g, and so is the prediction that it is held to", rate, load.MostPending, st.scale)
	}
	st.from = st.warmUp(load, rate*st.scale)
	return st, nil
}

// warmUp returns how much is skipped of a load with so many operations a second.
func (st *Stage) warmUp(load *Load, rate float64) time.Duration {
	from := load.Warm
	if st.src.Scalable { // and goes on for as long as one likes
		from = max(from, min(load.Horizon, warm))
	}
	if rate*from.Seconds() > mostWarm {
		from = time.Duration(mostWarm / rate * float64(time.Second))
		st.note("only %v of it are skipped to come to a steady state", from.Round(time.Millisecond))
	}
	return from
}

func (st *Stage) note(format string, args ...any) {
	st.notes = append(st.notes, fmt.Sprintf(format, args...))
}

// Scale returns by how much rates and numbers of timers were multiplied.
func (st *Stage) Scale() float64 { return st.scale }

// Notes returns what is to be said of the way in which the workload is played.
func (st *Stage) Notes() []string { return st.notes }

// slice returns how long a round is.
func (st *Stage) slice() time.Duration { return st.o.For / time.Duration(st.o.Rounds) }

// open returns a cutter at the beginning of the first round. Close it.
func (st *Stage) open(ctx context.Context) (*cutter, error) {
	var o workload.Options
	if st.src.Scalable {
		o.Scale, o.For = st.scale, st.from+st.o.For+time.Second
	}
	stream, err := st.src.Open(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", st.src.Name, err)
	}
	c := newCutter(ctx, stream)
	if err := c.skip(st.from); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", st.src.Name, err), c.close())
	}
	return c, nil
}

// scenes calls f for each round. It ends early if the workload does.
func (st *Stage) scenes(ctx context.Context, f func(*scene) error) (err error) {
	c, err := st.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for round := range st.o.Rounds {
		sc, err := c.cut(st.slice())
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", st.src.Name, err)
		case sc.count == 0 && round > 0:
			return nil
		case sc.count == 0:
			return fmt.Errorf("%s: nothing is pending or armed within %v from %v on", st.src.Name, st.slice(), st.from)
		}
		if err := f(sc); err != nil {
			return err
		}
	}
	return nil
}

// Stream returns the operations of all rounds as they are played: first, at time
// 0, those that arm what is pending at the beginning, with what is left of their
// delays; then the others, at the times of their batches. Every arming of a timer
// that is not a reset has a timer number of its own.
func (st *Stage) Stream(ctx context.Context) (workload.Stream, error) {
	c, err := st.open(ctx)
	if err != nil {
		return nil, err
	}
	return &stageStream{st: st, cutter: c}, nil
}

// stageStream plays scenes one after another.
type stageStream struct {
	st     *Stage
	cutter *cutter
	rounds int
	ops    []workload.Op
}

// Read implements workload.Stream.
func (s *stageStream) Read(ops []workload.Op) (int, error) {
	for len(s.ops) == 0 {
		if s.rounds == s.st.o.Rounds {
			return 0, io.EOF
		}
		begin := time.Duration(s.rounds) * s.st.slice()
		sc, err := s.cutter.cut(s.st.slice())
		if err != nil {
			return 0, err
		}
		s.ops = sc.stream(begin, s.rounds == 0)
		s.rounds++
	}
	n := copy(ops, s.ops)
	s.ops = s.ops[n:]
	return n, nil
}

// Close closes the stream that this one is made of.
func (s *stageStream) Close() error { return s.cutter.close() }
