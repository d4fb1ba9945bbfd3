package tune

import (
	"context"
	"errors"
	"time"

	"schedbench/workload"
)

// SourceOf returns a profile as a workload of a harness.Plan: Steady from when it is, and with
// as many operations after that as least says, unless o.For says how long it is.
func SourceOf(p *workload.Profile, o workload.Options, least int) (workload.Source, error) {
	return FromSteady(func(o workload.Options) (workload.Source, error) { return workload.SourceOf(p, o) }, o, least, nil)
}

// FromSteady is SourceOf for any workload. One that is not scalable, such as a trace, is as
// it is. known has, by name, since when workloads are steady of which that was found out before.
func FromSteady(open func(workload.Options) (workload.Source, error), o workload.Options, least int, known map[string]time.Duration) (workload.Source, error) {
	s, err := open(o)
	if err != nil || !s.Scalable {
		return s, err
	}
	steady, ok := known[s.Name]
	if !ok {
		steady, err = steadyFrom(s)
	}
	if err != nil {
		return s, err
	}
	if o.For == 0 {
		if o.For = longEnough(s, steady, least); o.For > 0 {
			if s, err = open(o); err != nil {
				return s, err
			}
		}
	}
	s.Steady = steady
	return s, nil
}

// longEnough returns how long a workload has to be for some operations after it is steady,
// and 0 if it is.
func longEnough(s workload.Source, steady time.Duration, least int) time.Duration {
	rate := float64(s.Ops) / s.Length.Seconds()
	if least == 0 || rate == 0 {
		return 0
	}
	if length := steady + time.Duration(float64(least)/rate*float64(time.Second)); length > s.Length {
		return length
	}
	return 0
}

const (
	// steadyOps is about how many operations of a workload are looked at to find out
	// when it has reached its steady state, and steadyTimers for how many pending
	// timers at least.
	steadyOps    = 50_000
	steadyTimers = 500
)

// steadyFrom returns when a workload is steady, by the rule by which a Load is. One with very
// many timers is looked at on a smaller scale, which leaves times as they are.
func steadyFrom(s workload.Source) (time.Duration, error) {
	var o workload.Options
	if s.Ops > steadyOps {
		o.Scale = min(1, max(steadyOps/float64(s.Ops), steadyTimers/max(float64(s.Pending), 1)))
	}
	stream, err := s.Open(o)
	if err != nil {
		return 0, err
	}
	load, err := LoadOf(context.Background(), stream, LoadOptions{Name: s.Name, Until: s.Length, Warm: FindWarm})
	var steady time.Duration
	switch {
	case err == nil:
		steady = load.Warm
	case errors.Is(err, ErrLoad): // nothing but what it begins with
		err = nil
	}
	return steady, errors.Join(err, workload.Close(stream))
}
