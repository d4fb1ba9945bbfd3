package cli

import (
	"errors"
	"io"
	"time"

	"schedbench/replay"
	"schedbench/workload"
)

const (
	// steadyOps is about how many operations of a profile are looked at to find out
	// when it has reached its steady state, steadyTimers for how many pending timers
	// at least, and steadyEvery after how many operations each time.
	steadyOps    = 200_000
	steadyTimers = 500
	steadyEvery  = 50
	// steadyShare is the share of what is pending at the end that has to be pending
	// in a steady state.
	steadyShare = 0.95
)

// steadyFrom returns when about as many timers of a stream are pending as at the
// end of its arrivals, after half of them at the latest. A profile with very many
// timers is looked at on a smaller scale, which leaves times as they are.
func steadyFrom(p *workload.Profile, o workload.Options, length time.Duration) (time.Duration, error) {
	if ops := p.Mix().Operations() * o.Scale * length.Seconds(); ops > steadyOps {
		o.Scale *= min(1, max(steadyOps/ops, steadyTimers/max(p.Pending(length)*o.Scale, 1)))
	}
	curve, err := pendingOver(p, o, length)
	if err != nil || len(curve) == 0 {
		return 0, err
	}
	late, n := 0, 0 // in the last tenth
	for _, at := range curve[len(curve)*9/10:] {
		late, n = late+at.pending, n+1
	}
	for _, c := range curve {
		if float64(c.pending) >= steadyShare*float64(late)/float64(n) {
			return min(c.at, length/2), nil
		}
	}
	return length / 2, nil
}

// pendingAt is how many timers are pending at a time.
type pendingAt struct {
	at      time.Duration
	pending int
}

// pendingOver returns how many timers of a stream are pending over the time of
// its arrivals.
func pendingOver(p *workload.Profile, o workload.Options, length time.Duration) (curve []pendingAt, err error) {
	stream, err := p.Stream(o)
	if err != nil {
		return nil, err
	}
	m, err := replay.NewModel(p.Tick)
	if err != nil {
		return nil, err
	}
	ops := make([]workload.Op, steadyEvery)
	for {
		n, err := stream.Read(ops)
		if errors.Is(err, io.EOF) || n > 0 && ops[n-1].At > length {
			return curve, nil
		}
		if err != nil {
			return nil, err
		}
		if err := m.Play(ops[:n]); err != nil {
			return nil, err
		}
		if n > 0 {
			curve = append(curve, pendingAt{ops[n-1].At, m.Answer().Pending})
		}
	}
}
