package catalog

import (
	"slices"

	"schedbench/driver"
)

// businessBound is the limit to the jobs that are pending.
const businessBound = 1 << 22

// BusinessWheel is a delay wheel for the jobs of a business: Netty's wheel with a bound. All rows of Netty's table hold but
// for the bound, and these.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	Netty's wheel                           | the same                                 | TestWheelsHaveTheTickAndSlotsOfTheirOriginals
//	bounded queues: an addition waits while | departs: the bound is to all that pend,  | TestBusinessWheelRefusesBeyondItsBound
//	  they are full                         |   queued or not, and AfterFunc fails     |
//	a callback for each job cancelled       | departs: Stop tells its caller           | driver.TestModel
//	triggerJobs: the jobs still to run      | All                                      | driver.TestModel
//	shutdown writes the rest to a database  | departs: Close returns it                | driver.TestModel
//	a job that panics is logged             | the same                                 | TestPanicIsLoggedAndTheRestRuns
//
// Not reproduced: the database. Package durable has timers that outlive the process.
type BusinessWheel struct{}

// Start starts a driver with opts, then those of the preset. The errors are those of driver.Start.
func (p BusinessWheel) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.config().Start(append(slices.Clip(opts), driver.WithMaxPending(businessBound))...)
}

func (BusinessWheel) config() Config { return Netty{}.config() }
