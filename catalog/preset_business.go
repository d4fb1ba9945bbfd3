package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"schedbench/driver"
)

// businessBound is the default limit to the jobs that are pending.
const businessBound = 1 << 22

// BusinessWheel is a delay wheel for the jobs of a business: Netty's wheel with a bound, and a store in which jobs outlive
// the process. All rows of Netty's table hold but for the bound, and these. Open starts one with jobs, Start a driver alone.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	Netty's wheel                           | the same                                 | TestBusinessWheelIsNettys
//	bounded queues: an addition waits while | departs: the bound is to all that pend,  | TestBusinessWheelAddWaitsForRoom
//	  they are full                         |   queued or not. JobWheel.Add waits      |
//	                                        | AfterFunc of a driver fails instead      | TestBusinessWheelDriverRefusesBeyondItsBound
//	a callback for each job cancelled       | Cancelled                                | TestBusinessWheelTellsOfCancelledJobs
//	triggerJobs: the jobs still to run      | JobWheel.TriggerJobs                     | TestBusinessWheelListsTheJobsToRun
//	shutdown writes the rest to a database  | JobWheel.Close                           | TestBusinessWheelStoresWhatDidNotRun
//	at start-up the overdue run at once     | Open, before it returns                  | TestBusinessWheelRunsTheOverdueAtOnce
//	the others go back on the wheel         | the same                                 | TestBusinessWheelPutsTheOthersBack
//	loaded jobs are marked: none runs twice | JobStore.Take                            | TestBusinessWheelRunsNoJobTwice
//	a job that panics is logged             | the same, at start-up too                | TestBusinessWheelSurvivesAPanic
//
// Not reproduced: the database. A JobStore stands for it; Jobs, in the module durable, is one
// on a file. Beyond the original: with a JobKeeper jobs survive a process that is killed.
type BusinessWheel struct {
	Tick   time.Duration // as for Netty
	Slots  int           // as for Netty
	Bound  int           // jobs that may be pending; 0 is businessBound
	Logger *slog.Logger  // as for Netty

	Run       func(Job) // runs a job; Open needs it, and runs one job after another
	Cancelled func(Job) // if not nil, it is called for each job that JobWheel.Cancel takes back, by its caller
	Store     JobStore  // if not nil, it keeps the jobs from one wheel to the next
}

// Start starts a driver without jobs, with opts, then those of the preset. The errors are those of Netty.Start.
func (p BusinessWheel) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.netty().Start(append(slices.Clip(opts), driver.WithMaxPending(p.bound()))...)
}

func (p BusinessWheel) netty() Netty { return Netty{Tick: p.Tick, Slots: p.Slots, Logger: p.Logger} }

func (p BusinessWheel) bound() int { return cmp.Or(p.Bound, businessBound) }

func (p BusinessWheel) config() Config { return p.netty().config() }

// Job is something to do at an instant of the wall clock. It can outlive a process.
type Job struct {
	ID      string
	Due     time.Time // the earliest instant at which the job runs
	Payload any       // the wheel does not look at it
}

// JobStore keeps jobs while no process has them. A process that ends without JobWheel.Close loses its jobs, taken or added,
// unless its store is a JobKeeper too.
type JobStore interface {
	// Save keeps jobs that a wheel gives back. It must be done when it returns.
	Save(ctx context.Context, jobs []Job) error
	// Take hands out the kept jobs and marks them. It never hands out a marked job until it is saved again.
	Take(ctx context.Context) ([]Job, error)
}

// JobKeeper is a JobStore that learns when each job comes and goes. With one, a killed process loses no job
// that JobWheel.Add has accepted, and runs none that JobWheel.Cancel has taken back. The mark of Take holds
// only as long as the process that took: the next process gets all jobs that were kept and not dropped.
//
// The price is a write before Add returns, one before Cancel returns, and one after each run. A job that had begun and was
// not dropped when its process ended runs again. The store must let one process at a time have it. Any goroutine may call
// the methods, but never two at once for one ID.
type JobKeeper interface {
	JobStore
	// Keep keeps a job that is being added, in place of one with the same ID. Take does not hand it out in
	// this process. After an error the job does not run and must not be kept.
	Keep(ctx context.Context, job Job) error
	// Drop forgets a job that has run or was taken back. Dropping a job that is not kept is no error.
	Drop(ctx context.Context, id string) error
}
