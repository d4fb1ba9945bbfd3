package main

import (
	"context"
	"errors"
	"time"

	"schedbench/catalog"
	"schedbench/durable"
	"schedbench/harness/rundata"
)

// timer is what a contestant holds: an instant, and the number of what runs then.
type timer struct {
	at     time.Time
	number uint32
}

// opened is a contestant while it is measured. One goroutine at a time calls it.
type opened interface {
	// Schedule and Many return when the timers are kept.
	Schedule(ctx context.Context, t timer) error
	Many(ctx context.Context, all []timer) error
	// Cancel returns when it is known that the timer of the nth Schedule will not run.
	Cancel(ctx context.Context, n int) error
	Close(ctx context.Context) error
}

// resetter is an opened contestant that can give the timer of the nth Schedule another instant.
type resetter interface {
	Reset(ctx context.Context, n int, at time.Time) error
}

// pending is the error of a call whose timer was pending or not.
func pending(was bool, err error) error {
	if err == nil && !was {
		err = errors.New("the timer was not pending")
	}
	return err
}

// place is where a contestant keeps its timers: in a folder, or on a server.
type place struct {
	Dir, URL string
	Interval time.Duration // of a poll
}

// contestant is a way of holding timers.
type contestant struct {
	name string
	// open opens the contestant. fire is called with the number of each timer that is due; if it is nil none is run.
	open   func(ctx context.Context, at place, fire func(number uint32)) (opened, error)
	server string        // that it needs, "" without
	memory bool          // its timers end with the process
	most   int           // timers that it is given; fewer if it takes long to give them
	ahead  time.Duration // how far it looks ahead: timers that fire have longer delays, and go through the store
	every  time.Duration // its longest interval between two polls, 0 if it does not poll
	early  bool          // it rounds deadlines down
}

const (
	pollName    = "river"    // the contestant that the curve of intervals is of
	many        = 10_000_000 // timers at most
	fewer       = 100_000    // timers for those whose servers take long to fill
	mostRunning = 100        // tasks that run at once
)

// contestants returns all of them, in the order in which they are listed. The idle process holds nothing.
func contestants() []contestant {
	return []contestant{
		{name: durableName, open: openDurable(durable.SyncNormal), ahead: durableLead, most: many},
		{name: durableFull, open: openDurable(durable.SyncFull), ahead: durableLead, most: many},
		{name: durablePg, open: openDurable(durable.SyncFull), server: postgres, ahead: durableLead, most: many},
		{name: durablePgNo, open: openDurable(durable.SyncNormal), server: postgres, ahead: durableLead, most: many},
		{name: catalog.Hier, open: openDriver, memory: true, most: many},
		{name: rundata.ProcessControl, open: openNothing, memory: true},
		// River's scheduler looks 5 s ahead each 5 s, and its workers ask each second.
		{name: pollName, open: openRiver, server: postgres, most: fewer, ahead: 5 * time.Second, every: 5 * time.Second},
		{name: "asynq", open: openAsynq, server: redisServer, most: fewer, every: 5 * time.Second, early: true},
	}
}
