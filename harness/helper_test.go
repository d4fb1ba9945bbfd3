package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/heapsched"
	"schedbench/schedulers"
)

// errFake is what fake contestants fail with.
var errFake = errors.New("fake failure")

// sound returns a contestant that makes no mistake.
func sound(name string) Contestant {
	return Contestant{Name: name, New: func(Geometry) (schedulers.Scheduler[uint64], error) {
		return heapsched.New[uint64](), nil
	}}
}

// failing returns a contestant that cannot be made.
func failing() Contestant {
	return Contestant{Name: "failing", New: func(Geometry) (schedulers.Scheduler[uint64], error) { return nil, errFake }}
}

// runtimeTimers returns the standard library's timers as a contestant.
func runtimeTimers() Contestant {
	return Contestant{Name: "runtime", Runtime: true, Baseline: true}
}

// faulty is a sound scheduler but for the methods that are replaced.
type faulty struct {
	schedulers.Scheduler[uint64]
	schedule func(s schedulers.Scheduler[uint64], deadline time.Duration, value uint64) (schedulers.ID, error)
	cancel   func(s schedulers.Scheduler[uint64], id schedulers.ID) bool
	expire   func(s schedulers.Scheduler[uint64], now time.Duration, due []uint64) int
	length   func(s schedulers.Scheduler[uint64]) int
}

func (f *faulty) Schedule(deadline time.Duration, value uint64) (schedulers.ID, error) {
	if f.schedule != nil {
		return f.schedule(f.Scheduler, deadline, value)
	}
	return f.Scheduler.Schedule(deadline, value)
}

func (f *faulty) Cancel(id schedulers.ID) bool {
	if f.cancel != nil {
		return f.cancel(f.Scheduler, id)
	}
	return f.Scheduler.Cancel(id)
}

func (f *faulty) Expire(now time.Duration, due []uint64) int {
	if f.expire != nil {
		return f.expire(f.Scheduler, now, due)
	}
	return f.Scheduler.Expire(now, due)
}

func (f *faulty) Len() int {
	if f.length != nil {
		return f.length(f.Scheduler)
	}
	return f.Scheduler.Len()
}

// broken returns a contestant whose schedulers have the given faults.
func broken(faults faulty) Contestant {
	return Contestant{Name: "broken", New: func(Geometry) (schedulers.Scheduler[uint64], error) {
		f := faults
		f.Scheduler = heapsched.New[uint64]()
		return &f, nil
	}}
}

// tiny returns a plan of everything, as small as can be, for some contestants.
func tiny(contestants ...Contestant) *Plan {
	return &Plan{
		Experiments: Experiments(),
		Contestants: contestants,
		Pending:     []int{10, 100},
		Ticks:       []time.Duration{time.Millisecond},
		Delays:      []string{"uniform"},
		Ops:         Ops(),
		Rounds:      2,
		LiveRounds:  2,
		Epoch:       100 * time.Microsecond,
		Slice:       10 * time.Millisecond,
		Rate:        1000,
		ListCell:    100 * time.Millisecond,
		Seed:        1,
	}
}

// sessionOf returns a session of a plan that is not interrupted.
func sessionOf(t *testing.T, p *Plan) *session {
	t.Helper()
	require.NoError(t, p.Check())
	return &session{ctx: t.Context(), plan: p}
}

// runOnly measures the cells of one experiment, of cost cells those of one
// operation, and returns the series, or the first error.
func runOnly(t *testing.T, p *Plan, experiment, op string) (series []*Series, err error) {
	t.Helper()
	p.Experiments, p.Ops = []string{experiment}, []string{op}
	s := sessionOf(t, p)
	for _, c := range p.Cells() {
		part, err := c.run(s)
		if err != nil {
			return series, err
		}
		series = append(series, part...)
	}
	return series, nil
}

// ended returns a context that has ended.
func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
