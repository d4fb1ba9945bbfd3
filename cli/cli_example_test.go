package cli_test

import (
	"schedbench/cli"
	"schedbench/driver"
	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/schedulers"
)

// The main function of a command bench with one more contestant. See examples/ownscheduler for what goes around it.
func ExampleMain() {
	cli.Main(harness.Contestant{
		Name: "mine", Family: "what it is", About: "what to know of it",
		New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return heapsched.New[uint64](), nil },
		Start: func(_ harness.Geometry, o ...driver.Option) (*driver.Driver, error) {
			return driver.Start(heapsched.New[driver.Task](), o...)
		},
	})
}
