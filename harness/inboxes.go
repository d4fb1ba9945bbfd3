package harness

import (
	"runtime"

	"schedbench/driver"
	"schedbench/schedulers"
)

// The values of the parameter inbox.
const (
	InboxLocked  = "locked"
	InboxSharded = "sharded"
	InboxQueued  = "queued"
	InboxRuntime = "runtime" // time.AfterFunc: a heap for each processor
)

// shardsPerProcessor is how many shards a Sharded driver gets for each
// processor: with four, two goroutines at work are in the same one seldom, and a
// worker still looks at few.
const shardsPerProcessor = 4

// inboxOption is a way for timers to get into a scheduler.
type inboxOption struct {
	name string
	opts []driver.Option
}

// inboxes returns the inboxes that a contestant can be measured with.
func inboxes(c Contestant, g Geometry) []inboxOption {
	if c.Runtime {
		return []inboxOption{{InboxRuntime, nil}}
	}
	list := []inboxOption{{InboxLocked, []driver.Option{driver.WithInbox(driver.Locked{})}}}
	if c.Shard != nil {
		list = append(list, inboxOption{InboxSharded, []driver.Option{driver.WithInbox(driver.Sharded{
			Shards: shardsPerProcessor * runtime.GOMAXPROCS(0),
			New:    func() (schedulers.Scheduler[driver.Task], error) { return c.Shard(g) },
		})}})
	}
	return append(list, inboxOption{InboxQueued, []driver.Option{driver.WithInbox(driver.Queued{})}})
}
