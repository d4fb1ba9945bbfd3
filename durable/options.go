package durable

import (
	"fmt"
	"log/slog"
	"time"

	"schedbench/driver"
	"schedbench/hierwheel"
	"schedbench/schedulers"
)

// Sync says what an acknowledged call survives.
type Sync int

const (
	// SyncNormal survives a kill of the process. A loss of power takes the last moments, and damages nothing:
	// SQLite's synchronous=NORMAL, PostgreSQL's synchronous_commit=off.
	SyncNormal Sync = iota + 1
	// SyncFull survives a loss of power, too: synchronous=FULL, synchronous_commit=on. With a synchronous standby of
	// PostgreSQL it survives the loss of the primary.
	SyncFull
)

// Options say how timers are kept and run. The zero value of each field is its default.
type Options struct {
	// Sync is SyncNormal by default in a file, and SyncFull at a URL.
	Sync Sync
	// Lead is how long before its instant a worker leases a timer. The default is 2 s.
	Lead time.Duration
	// Lease is how long a lease holds if it is not renewed. At a URL the timers of a worker that died may be late by it.
	// A worker that has room looks at least once in a quarter of it. The default is 10 s; at least twice the Lead, at most 2 min.
	Lease time.Duration
	// Near is how many timers this process holds at most. The default is 16384.
	Near int
	// Concurrency is how many tasks run at once in this process. The default is 64.
	Concurrency int
	// Answer is how long the database has to answer. The default is 5 s.
	Answer time.Duration
	// Scheduler makes the scheduler of the near timers. The default is hierwheel with a tick of 1 ms.
	Scheduler func() (schedulers.Scheduler[driver.Task], error)
	// Logger hears of failed tasks and of trouble with the database. The default is slog.Default().
	Logger *slog.Logger
	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

func (o Options) complete() (Options, error) {
	o.Lead, o.Lease = orDefault(o.Lead, 2*time.Second), orDefault(o.Lease, 10*time.Second)
	o.Near, o.Concurrency = orDefault(o.Near, 16384), orDefault(o.Concurrency, 64)
	o.Answer, o.Logger = orDefault(o.Answer, 5*time.Second), orDefault(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scheduler == nil {
		o.Scheduler = func() (schedulers.Scheduler[driver.Task], error) {
			return hierwheel.New[driver.Task](time.Millisecond, 256)
		}
	}
	switch {
	case o.Sync < 0 || o.Sync > SyncFull:
		return o, fmt.Errorf("%w: sync %d, want SyncNormal or SyncFull", ErrOption, o.Sync)
	case o.Lead < time.Millisecond || o.Lease < 2*o.Lead || o.Lease > longestLease:
		return o, fmt.Errorf("%w: lead %v, lease %v, want a lease of twice the lead to %v", ErrOption, o.Lead, o.Lease, longestLease)
	case o.Near < 1 || o.Concurrency < 1:
		return o, fmt.Errorf("%w: near %d, concurrency %d, want at least 1", ErrOption, o.Near, o.Concurrency)
	case o.Answer < 0:
		return o, fmt.Errorf("%w: answer within %v, want more than 0", ErrOption, o.Answer)
	}
	return o, nil
}

// longestLease bounds how late a timer may be whose worker died. A timer that comes later than this needs no notice: a worker
// leases a lead ahead, and looks each quarter of a lease.
const longestLease = 2 * time.Minute

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
