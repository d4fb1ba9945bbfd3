package catalog

import (
	"time"

	"schedbench/driver"
)

// natsLeast is the shortest sleep of a NATS server before it looks again for expired messages.
const natsLeast = 250 * time.Millisecond

// NATS is how a NATS server expires messages with a time to live: a hashed wheel of 4096 slots of
// one second (server/thw), each a map, and a goroutine that sleeps until the next of them is due,
// 250 ms at least. The zero value has the constants of the original.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	deadlines are kept as they are          | the same                                 | TestNATSKeepsDeadlines
//	4096 slots of 1 s, a map for each       | departs: a heap, so costs are not those  | TestNATSKeepsDeadlines
//	all that is due in them, in any order   | departs: in the order of deadlines       | TestNATSKeepsDeadlines
//	sleeps until the next is due            | SkipAtLeast                              | TestNATSSleepsAQuarterOfASecondAtLeast
//	never less than 250 ms                  | the same                                 | TestNATSSleepsAQuarterOfASecondAtLeast
//	one goroutine expires them              | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	one lock around the wheel               | Locked                                   | TestLockedTakesTimersAtOnce
//	what is removed leaves at once          | the same                                 | TestNATSForgetsTheRemoved
//
// Not reproduced: the store that the wheel is a part of, and what it is written to.
type NATS struct{}

// Start starts a driver with opts, and then the options of the preset. The errors are those of driver.Start.
func (p NATS) Start(opts ...driver.Option) (*driver.Driver, error) { return p.config().Start(opts...) }

func (NATS) config() Config { return Config{Scheduler: binaryHeap, Least: natsLeast, AtOnce: true} }
