package harness

import (
	"slices"
	"time"

	"schedbench/schedulers"
)

// The names that series have as their impl where they are not of a contestant.
const (
	EmptyControl   = "empty"   // the empty scheduler: the loop's own cost
	ProcessControl = "process" // the idle process
	SleepControl   = "sleep"   // a bare loop of time.Sleep
	NothingControl = "none"    // nothing pending

	// AgainSuffix marks the contestant that is measured twice in each cell of
	// pairs, to show how far apart two measurements of the same thing come out.
	AgainSuffix = "-again"
)

// withAgain returns contestants and one of them a second time: the one that stands for
// all, or whoever is last.
func withAgain(list []Contestant) []Contestant {
	again := list[len(list)-1]
	if i := slices.IndexFunc(list, func(c Contestant) bool { return c.StandsForAll }); i >= 0 {
		again = list[i]
	}
	again.Name += AgainSuffix
	return append(list, again)
}

// emptyScheduler keeps nothing: what it costs is what the harness adds.
type emptyScheduler struct{ n int }

func (e *emptyScheduler) Schedule(time.Duration, uint64) (schedulers.ID, error) {
	e.n++
	return 1, nil
}
func (e *emptyScheduler) Cancel(schedulers.ID) bool                        { e.n--; return true }
func (e *emptyScheduler) Reset(schedulers.ID, time.Duration) (bool, error) { return true, nil }
func (e *emptyScheduler) Expire(time.Duration, []uint64) int               { return 0 }
func (e *emptyScheduler) Next() (time.Duration, bool)                      { return 0, false }
func (e *emptyScheduler) Len() int                                         { return e.n }

// emptyContestant is the control of all cost cells.
func emptyContestant() Contestant {
	return Contestant{
		Name:     EmptyControl,
		Baseline: true,
		New: func(Geometry) (schedulers.Scheduler[uint64], error) {
			return &emptyScheduler{}, nil
		},
	}
}
