package harness

import (
	"time"

	"schedbench/schedulers"
)

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
