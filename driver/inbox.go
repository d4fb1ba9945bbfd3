package driver

import (
	"time"

	"schedbench/schedulers"
)

// Inbox decides how timers get into the scheduler: Locked, Sharded or Queued.
type Inbox interface {
	// open makes the inboxes of a driver whose scheduler is s, and the intake of
	// new timers.
	open(c *core, s schedulers.Scheduler[Task]) (intake, []inbox, error)
}

// intake takes new timers in: the only inbox of a driver, or the shards of a
// Sharded one, which choose among them.
type intake interface {
	// add makes a timer, and starts or wakes the worker if need be.
	add(deadline time.Duration, task Task) (Timer, error)
}

// inbox has one scheduler of a driver and orders who calls it: a shard by a mutex,
// a queue by leaving the scheduler to the worker. Every Timer refers to the one
// that it was made by.
type inbox interface {
	// Any goroutine calls these.

	// stop takes the timer of id back and reports whether it was pending.
	stop(id schedulers.ID) bool
	// reset makes a timer for f at deadline in place of that of id, if it is
	// pending.
	reset(id schedulers.ID, deadline time.Duration, f func()) (Timer, bool, error)
	// state says what became of the timer of id.
	state(id schedulers.ID) State
	// len returns how many timers are pending.
	len() int
	// addTo adds the counts of this inbox.
	addTo(st *Stats)
	// appendAll appends the pending timers to all.
	appendAll(all []Pending, now time.Duration) ([]Pending, error)
	// takeAll closes the inbox and returns what was pending, in the order of the
	// scheduler or of no particular one.
	takeAll(now time.Duration) []Unfired

	// Only the worker calls these.

	// next begins the next task that is due at instant; ok is false if there is
	// none.
	next(instant time.Duration) (task Task, ok bool)
	// rest returns the instant until which the worker may sleep for all that is
	// held here, and sees to it that an earlier deadline wakes it from now on. An
	// instant that has passed is returned as it is, since it tells of a pause.
	rest(now time.Duration) time.Duration
}
