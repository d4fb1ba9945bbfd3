package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"schedbench/live"
	"schedbench/workload"
)

const (
	// warm is how much of a workload is skipped, unless its delays are shorter, so
	// that timers fire that were armed before: but at most mostWarm operations.
	warm     = 2 * time.Minute
	mostWarm = 3_000_000
)

// TrialOptions say how much of a workload is played.
type TrialOptions struct {
	// For is how long it is played, all rounds together; 0 is 5 s.
	For time.Duration
	// Rounds is how many parts that is divided into; 0 is 6, the fewest that give an
	// interval at 95 %.
	Rounds int
}

// Trial is a workload that configurations are tried with on the real clock: a part of it
// in which it is steady, scaled down if it is too fast.
type Trial struct {
	src   workload.Source
	o     TrialOptions
	scale float64
	from  time.Duration
	notes []string

	control []*live.Outcome // what it took without timers, once that was measured
}

// NewTrial prepares a workload that a load tells about. The error is ErrTooFast
// of package live if it cannot be played.
func NewTrial(src workload.Source, load *Load, o TrialOptions) (*Trial, error) {
	o.For, o.Rounds = cmp.Or(o.For, 5*time.Second), cmp.Or(o.Rounds, 6)
	if o.For <= 0 || o.Rounds < 1 || o.For/time.Duration(o.Rounds) < 10*time.Millisecond {
		return nil, fmt.Errorf("%d rounds of a workload that is played for %v, want at least 10ms each", o.Rounds, o.For)
	}
	t := &Trial{src: src, o: o}
	rate := load.Schedules + load.Resets + load.Cancels
	if t.scale = live.Scale(rate, float64(load.MostPending)); t.scale < 1 {
		if !src.Scalable {
			return nil, fmt.Errorf("%s: %w: %.0f operations a second on up to %d timers, want at most %d on %d",
				src.Name, live.ErrTooFast, rate, load.MostPending, live.MostRate, live.MostPending)
		}
		t.note("%.0f operations a second on up to %d timers are more than can be played beside a driver: "+
			"the proof is of the workload scaled by %.3g, and so is the prediction that it is held to", rate, load.MostPending, t.scale)
	}
	t.from = t.warmUp(load, rate*t.scale)
	return t, nil
}

// warmUp returns how much is skipped of a load with so many operations a second.
func (t *Trial) warmUp(load *Load, rate float64) time.Duration {
	from := load.Warm
	if t.src.Scalable { // and goes on for as long as one likes
		from = max(from, min(load.Horizon, warm))
	}
	if rate*from.Seconds() > mostWarm {
		from = time.Duration(mostWarm / rate * float64(time.Second))
		t.note("only %v of it are skipped to come to a steady state", from.Round(time.Millisecond))
	}
	return from
}

func (t *Trial) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Scale returns by how much rates and numbers of timers were multiplied.
func (t *Trial) Scale() float64 { return t.scale }

// Notes returns what is to be said of the way in which the workload is played.
func (t *Trial) Notes() []string { return t.notes }

// part returns what is played.
func (t *Trial) part() live.Part {
	var o workload.Options
	if t.src.Scalable {
		o.Scale, o.For = t.scale, t.from+t.o.For+time.Second
	}
	return live.Part{
		Open: func() (workload.Stream, error) { return t.src.Open(o) },
		From: t.from, Length: t.o.For / time.Duration(t.o.Rounds), Rounds: t.o.Rounds,
	}
}

// each calls f for each round. It ends early if the workload does.
func (t *Trial) each(ctx context.Context, f func(*live.Slice) error) error {
	part, rounds := t.part(), 0
	err := part.Each(ctx, func(s *live.Slice) error {
		if rounds++; rounds == 1 && s.Timers == 0 {
			return fmt.Errorf("nothing is pending or armed within %v from %v on", part.Length, part.From)
		}
		return f(s)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", t.src.Name, err)
	}
	return nil
}

// Load returns the load that is played, with another driver each round.
func (t *Trial) Load(ctx context.Context) (l *Load, err error) {
	part := t.part()
	s, err := part.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.src.Name, err)
	}
	defer func() { err = errors.Join(err, workload.Close(s)) }()
	return LoadOf(ctx, s, LoadOptions{Name: t.src.Name, Until: t.o.For, restartEvery: part.Length})
}
