// Command ownscheduler is schedbench with two more contestants.
package main

import (
	"schedbench/cli"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/live"
	"schedbench/schedulers"

	"example.com/ownscheduler/pairing"
	"example.com/ownscheduler/sleeper"
)

func main() {
	cli.Main(harness.Contestant{
		Name: "pairing", Family: "pairing heap", About: "exact; insert O(1), cancel O(log n) amortized",
		New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return pairing.New[uint64](), nil },
		Start: func(_ harness.Geometry, o ...driver.Option) (*driver.Driver, error) {
			return driver.Start(pairing.New[driver.Task](), o...)
		},
	}, harness.Contestant{
		Name: "sleeper", Family: "own driver", About: "container/heap, a mutex and a goroutine that sleeps",
		Open: func(harness.Geometry) (live.Timers, error) {
			d := sleeper.New()
			return live.Own[*sleeper.Timer]{Start: d.AfterFunc, End: d.Close}, nil
		},
	})
}
