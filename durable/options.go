package durable

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"
)

// Sync says what an acknowledged call survives.
type Sync int

// SyncNormal survives a kill of the process. A loss of power takes the last moments, and damages nothing: SQLite's
// synchronous=NORMAL, PostgreSQL's synchronous_commit=off. SyncFull survives a loss of power, too: synchronous=FULL,
// synchronous_commit=on. With a synchronous standby of PostgreSQL it survives the loss of the primary.
const (
	SyncNormal Sync = iota + 1 // the numbers are those of SQLite
	SyncFull
)

// Options say how timers are kept and run. The zero value of each field is its default.
type Options struct {
	Sync Sync // SyncNormal by default in a file, that of the server at a URL
	// Lead is how long before its instant a worker leases a timer, Lease how long a lease holds if it is not renewed. At a URL the
	// timers of a worker that died may be late by a lease. A worker that has room looks at least once in a quarter of it. The
	// defaults are 2 s and 10 s; a lease is at least twice the lead, at most 2 min.
	Lead, Lease time.Duration
	// Near is how many timers this process holds at most, Concurrency how many tasks it runs at once. The defaults are 32768 and 64.
	Near, Concurrency int
	Answer            time.Duration    // how long the database has to answer: 5 s by default
	Logger            *slog.Logger     // hears of failed tasks and of trouble with the database: slog.Default() by default
	Now               func() time.Time // the clock: time.Now by default
}

func (o Options) complete() (Options, error) {
	o.Lead, o.Lease = cmp.Or(o.Lead, 2*time.Second), cmp.Or(o.Lease, 10*time.Second)
	o.Near, o.Concurrency = cmp.Or(o.Near, 32768), cmp.Or(o.Concurrency, 64)
	o.Answer, o.Logger = cmp.Or(o.Answer, 5*time.Second), cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Sync < 0 || o.Sync > SyncFull:
		return o, fmt.Errorf("%w: sync %d, want SyncNormal or SyncFull", ErrOption, o.Sync)
	case o.Lead < time.Millisecond || o.Lease < 2*o.Lead || o.Lease > longestLease:
		return o, fmt.Errorf("%w: lead %v, lease %v, want a lease of twice the lead to %v", ErrOption, o.Lead, o.Lease, longestLease)
	case o.Near < 1 || o.Concurrency < 1 || o.Answer < 0:
		return o, fmt.Errorf("%w: near %d, concurrency %d, answer within %v, want none below 1", ErrOption, o.Near, o.Concurrency, o.Answer)
	}
	return o, nil
}

// longestLease bounds how late a timer may be whose worker died. A timer that comes later needs no notice: each worker looks before.
const longestLease = 2 * time.Minute
