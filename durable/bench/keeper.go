package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"schedbench/catalog"
)

// timer is what a keeper keeps: an instant, and the number of what runs then.
type timer struct {
	at     time.Time
	number uint32
}

// keeper keeps timers while it is measured. All but Close is called by one goroutine at a time.
type keeper interface {
	// Schedule returns when the timer is kept.
	Schedule(ctx context.Context, t timer) error
	// Many returns when all of them are kept.
	Many(ctx context.Context, all []timer) error
	// Cancel returns when it is known that a timer will not run: that of the nth Schedule.
	Cancel(ctx context.Context, n int) error
	Close(ctx context.Context) error
}

// resetter is a keeper that gives the timer of the nth Schedule another instant.
type resetter interface {
	Reset(ctx context.Context, n int, at time.Time) error
}

var errNotPending = errors.New("the timer was not pending")

// place is where a keeper keeps its timers: in a folder, or on a server.
type place struct {
	Dir, URL string
	Interval time.Duration // of a poll
}

// opener opens a keeper. fire is called with the number of each timer that is due; if it is nil
// none is run.
type opener func(ctx context.Context, at place, fire func(number uint32)) (keeper, error)

// contestant is a way of keeping timers.
type contestant struct {
	name string
	open opener
	// server is the one that it needs, "" without.
	server string
	// memory says that its timers end with the process.
	memory bool
	// most is how many timers it is given at most, since it takes long to give them; 0 is no limit.
	most int
	// ahead is how far it looks ahead: timers that fire have longer delays, or they would not go through the store.
	ahead time.Duration
	// every is its longest interval between two polls, 0 if it does not poll.
	every time.Duration
	// early says that it rounds deadlines down.
	early bool
}

// pollName is the contestant that the curve of intervals is of.
const pollName = "poll"

// fewer is how many timers those get at most whose servers take long to fill.
const fewer = 100_000

// contestants returns all of them, in the order in which they are listed.
func contestants() []contestant {
	return append([]contestant{
		{name: catalog.Hier, open: openDriver, memory: true},
		{name: catalog.RuntimeTimer, open: openRuntime, memory: true},
		// Its scheduler looks 5 s ahead each 5 s, and its workers ask each second.
		{name: "river", open: openRiver, server: postgres, most: fewer, ahead: 5 * time.Second, every: 5 * time.Second},
		{name: "asynq", open: openAsynq, server: redisServer, most: fewer, every: 5 * time.Second, early: true},
		{name: pollName, open: openPoll},
	}, durables()...)
}

// find returns a contestant by name.
func find(name string) (contestant, bool) {
	all := contestants()
	i := slices.IndexFunc(all, func(c contestant) bool { return c.name == name })
	if i < 0 {
		return contestant{}, false
	}
	return all[i], true
}
