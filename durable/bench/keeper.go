package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/harness/rundata"
)

// timer is what a keeper keeps: an instant, and the number of what runs then.
type timer struct {
	at     time.Time
	number uint32
}

// keeper keeps timers while it is measured. One goroutine at a time calls it.
type keeper interface {
	// Schedule and Many return when the timers are kept.
	Schedule(ctx context.Context, t timer) error
	Many(ctx context.Context, all []timer) error
	// Cancel returns when it is known that the timer of the nth Schedule will not run. Some have a Reset(ctx, n, at) too.
	Cancel(ctx context.Context, n int) error
	Close(ctx context.Context) error
}

// pending is the error of a call whose timer was pending or not.
func pending(was bool, err error) error {
	if err == nil && !was {
		err = errors.New("the timer was not pending")
	}
	return err
}

// place is where a keeper keeps its timers: in a folder, or on a server.
type place struct {
	Dir, URL string
	Interval time.Duration // of a poll
}

// contestant is a way of keeping timers.
type contestant struct {
	name string
	// open opens a keeper. fire is called with the number of each timer that is due; if it is nil none is run.
	open func(ctx context.Context, at place, fire func(number uint32)) (keeper, error)
	// server is the one that it needs, "" without, and memory says that its timers end with the process.
	server string
	memory bool
	// most is how many timers it is given at most; fewer if it takes long to give them.
	most int
	// ahead is how far it looks ahead: timers that fire have longer delays, and go through the store.
	ahead time.Duration
	// every is its longest interval between two polls, 0 if it does not poll.
	every time.Duration
	// early says that it rounds deadlines down.
	early bool
}

const (
	pollName    = "river"    // the contestant that the curve of intervals is of
	many        = 10_000_000 // timers at most
	fewer       = 100_000    // timers for those whose servers take long to fill
	mostRunning = 100        // tasks that run at once
)

// contestants returns all of them, in the order in which they are listed. The idle process holds nothing.
func contestants() []contestant {
	return append(durables(), contestant{name: catalog.Hier, open: openDriver, memory: true, most: many},
		contestant{name: catalog.RuntimeTimer, open: openRuntime, memory: true, most: many},
		contestant{name: rundata.ProcessControl, open: openRuntime, memory: true},
		// River's scheduler looks 5 s ahead each 5 s, and its workers ask each second.
		contestant{name: pollName, open: openRiver, server: postgres, most: fewer, ahead: 5 * time.Second, every: 5 * time.Second},
		contestant{name: "asynq", open: openAsynq, server: redisServer, most: fewer, every: 5 * time.Second, early: true})
}

// find returns a contestant by the name that it has.
func find(name string) contestant {
	all := contestants()
	return all[slices.IndexFunc(all, func(c contestant) bool { return c.name == name })]
}
