package driver

import (
	"time"

	"schedbench/schedulers"
)

// Queued is a placeholder.
type Queued struct{ PerWakeup int }

func (Queued) schedulers(s schedulers.Scheduler[Task]) ([]schedulers.Scheduler[Task], error) {
	return []schedulers.Scheduler[Task]{s}, nil
}

type queue struct{}

func newQueue(sh *shard, in Queued) *queue                              { return &queue{} }
func (q *queue) add(deadline time.Duration, task Task) (Timer, error)   { panic(0) }
func (q *queue) stop(id schedulers.ID) bool                             { panic(0) }
func (q *queue) next(time.Duration) (Task, bool)                        { panic(0) }
func (q *queue) settle(now time.Duration) time.Duration                 { panic(0) }
func (q *queue) len() int                                               { panic(0) }
func (q *queue) addTo(*Stats)                                           { panic(0) }
func (q *queue) appendAll(all []Pending, now time.Duration) []Pending   { panic(0) }
func (q *queue) takeAll(now time.Duration) []Unfired                    { panic(0) }
func (q *queue) state(schedulers.ID) State                              { panic(0) }
func (q *queue) reset(id schedulers.ID, deadline time.Duration, f func()) (Timer, bool, error) {
	panic(0)
}
