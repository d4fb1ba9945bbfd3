package catalog

import (
	"fmt"
	"log/slog"
	"time"

	"schedbench/driver"
)

// The constants of Netty.
const (
	NettyTick      = 100 * time.Millisecond // the default
	NettySlots     = 512                    // the default
	nettyLeastTick = time.Millisecond       // a shorter tick is raised to this
	nettyPerTick   = 100_000                // new timers that get into the wheel in one tick, at most
)

// nettyInbox is the queue between the worker and those who make timers.
var nettyInbox = driver.Queued{PerWakeup: nettyPerTick, KeepStopped: true}

// netty is Netty's HashedWheelTimer: a wheel with rounds, a worker that wakes every tick, and a lock-free queue between
// it and those who make timers.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	512 slots of 100 ms                     | the same                                 | TestPresetsHaveTheConfigOfTheirOriginals
//	slots: rounded up to 2^n, at most 2^30  | the same                                 | schedulers.TestWheelsTakeGeometryUpToTheLimits
//	a tick below 1 ms: a warning, and 1 ms  | the same; the warning goes to slog       | TestNettyRaisesAShortTick
//	tick * slots that overflow are refused  | the same                                 | schedulers.TestWheelsRefuseBadGeometry
//	a delay that overflows is cut down      | the same                                 | driver.TestLongestDelay
//	the worker starts with the first timer  | the same                                 | driver.TestFixedTickWakesEveryTick
//	ticks are counted from then on          | departs: from Start on                   | TestNettyCountsTicksFromStart
//	it wakes every tick, due or not         | FixedTick                                | driver.TestFixedTickWakesEveryTick
//	a timer fires at the end of the tick    | the same; departs at the edge of a tick, | TestNettyFiresAtTheEndOfTheTick
//	  that its deadline is in               |   where it fires at once, not a tick on  |
//	no delay: due at the end of this tick   | the same                                 | TestNettyCountsTicksFromStart
//	a tick visits all timers of its slot    | departs: only if one of them may be due  | roundswheel.TestTickVisitsAtMostItsSlotIfSomethingIsDue
//	new timers wait in a queue for the tick | Queued; departs: it has a mutex          | TestQueuedTakesTimersAtTheNextWakeUp
//	at most 100,000 of them a tick          | the same                                 | TestNettyMoves100000ATick
//	those cancelled meanwhile count as well | the same                                 | TestNettyMoves100000ATick
//	the cancelled leave a tick on, or later | the same                                 | TestCancelledLeaveAtTheNextWakeUp
//	and keep what they refer to until then  | departs: it is let go at once            | TestWhatTheCancelledReferToIsForgotten
//	tasks run on the worker, one by one     | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	a worker that is late does not sleep    | the same; departs: it passes the missed  | driver.TestFixedTickCatchesUp
//	  until it has caught up, tick by tick  |   ticks in one step, in their order      |
//	the worker survives and logs a throw    | the same                                 | TestPanicIsLoggedAndTheRestRuns
//	maxPendingTimeouts: refused, with count | driver.WithMaxPending                    | driver.TestModel
//	the cancelled count until they leave    | departs: it is not counted any more      | driver.TestModel
//	a handle: pending, expired, cancelled   | Timer.State                              | driver.TestModel
//	stop returns what is still pending      | Close                                    | driver.TestModel
//	stop by a task is an error              | departs: CloseNow, which does not wait   | driver.TestCloseNow
//	a stopped timer cannot be restarted     | ErrClosed                                | driver.TestAfterClose
//	more than 64 timers: one warning        | the same                                 | driver.TestManyDriversAreReportedOnce
//	a timer dropped without stop: a warning | the same                                 | driver.TestDroppedDriverIsReported
//
// Not reproduced: the executor that a later version may run tasks on (another driver.Running does that).
var netty = System{
	Name: "netty", Family: "wheel with rounds, ticking",
	About:  fmt.Sprintf("Netty's HashedWheelTimer: %v x %d, a queue, tasks on the worker", NettyTick, NettySlots),
	Config: Config{Scheduler: Rounds, Tick: NettyTick, Slots: NettySlots, Waking: Ticking, Inbox: nettyInbox},
	preset: true,
	start:  startNetty,
}

// startNetty raises a short tick, with a warning to slog's default logger.
func startNetty(c Config, opts ...driver.Option) (*driver.Driver, error) {
	if c.Tick > 0 && c.Tick < nettyLeastTick {
		slog.Warn("the tick of a timer wheel is too short, and raised", "tick", c.Tick, "raised", nettyLeastTick)
		c.Tick = nettyLeastTick
	}
	return c.Start(opts...)
}

// Dubbo's timer of call timeouts. That of heartbeats and idle connections is one of Systems.
const (
	dubboTick  = 30 * time.Millisecond
	dubboSlots = 512
)

// dubbo is Dubbo's HashedWheelTimer, which is Netty's with other queues. It is the timer of call timeouts.
// All rows of Netty's table hold for it, and these:
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	call timeouts: 512 slots of 30 ms       | the same                                 | TestPresetsHaveTheConfigOfTheirOriginals
//	heartbeats: 128 slots of 1 s            | the same, dubbo-heartbeat                | TestPresetsHaveTheConfigOfTheirOriginals
//	new timers wait in a queue with a lock  | the same                                 | TestQueuedTakesTimersAtTheNextWakeUp
//	isStop                                  | departs: AfterFunc fails with ErrClosed  | driver.TestAfterClose
//	periodic work is armed again after each | driver.Every                             | driver.TestEveryModel
//	  run, so a stalled one piles up none   |                                          |
var dubbo = System{
	Name: "dubbo", Family: "wheel with rounds, ticking",
	About:  fmt.Sprintf("Dubbo's HashedWheelTimer: Netty's with %v x %d", dubboTick, dubboSlots),
	Config: Config{Scheduler: Rounds, Tick: dubboTick, Slots: dubboSlots, Waking: Ticking, Inbox: nettyInbox},
	preset: true,
	start:  startNetty,
}

// businessBound is the limit to the jobs that are pending.
const businessBound = 1 << 22

// businessWheel is a delay wheel for the jobs of a business: Netty's wheel with a bound. All rows of Netty's table hold but
// for the bound, and these.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	Netty's wheel                           | the same                                 | TestPresetsHaveTheConfigOfTheirOriginals
//	bounded queues: an addition waits while | departs: the bound is to all that pend,  | TestBusinessWheelRefusesBeyondItsBound
//	  they are full                         |   queued or not, and AfterFunc fails     |
//	a callback for each job cancelled       | driver.WithCancelHandler                 | driver.TestModel
//	triggerJobs: the jobs still to run      | All                                      | driver.TestModel
//	shutdown writes the rest to a database  | departs: Close returns it                | driver.TestModel
//	a job that panics is logged             | the same                                 | TestPanicIsLoggedAndTheRestRuns
//
// Not reproduced: the database. Package durable has timers that outlive the process.
var businessWheel = System{
	Name: "business-wheel", Family: "wheel with rounds, ticking",
	About: "a wheel of jobs: Netty's, bounded; jobs that outlive the process are for package durable",
	Config: Config{
		Scheduler: Rounds, Tick: NettyTick, Slots: NettySlots, Waking: Ticking, Inbox: nettyInbox, MaxPending: businessBound,
	},
	preset: true,
	start:  startNetty,
}

// nettySchedule is schedule of a Netty event loop: a heap behind a lock-free queue, and tasks that run on the loop.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by deadline and sequence   | the same                                 | TestTasksOfOneInstantRunInOrder
//	other threads' tasks wait in a queue    | Queued, for the loop's own too, and with | TestQueuedTakesTimersAtTheNextWakeUp
//	                                        |   a mutex                                |
//	the loop sleeps until the head is due   | SkipToNext                               | driver.TestSkipToNextIsIdle
//	an earlier deadline ends the sleep      | the same                                 | driver.TestEarlierDeadlineInterruptsTheSleep
//	the cancelled leave when the loop runs  | the same                                 | TestCancelledLeaveAtTheNextWakeUp
//	tasks run on the loop, one by one       | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	the loop survives what a task throws    | the same; departs: the panic is logged,  | TestPanicIsLoggedAndTheRestRuns
//	                                        |   not kept for those who ask             |
//	a negative delay counts as none         | the same                                 | driver.TestModel
//	shut down, it cancels what is pending   | departs: Close returns it                | driver.TestModel
//	shut down, it rejects tasks             | ErrClosed                                | driver.TestAfterClose
//
// Not reproduced: periodic tasks; the loop's other work, which holds up tasks and is held up by them.
var nettySchedule = System{
	Name: "netty-schedule", Family: "binary heap",
	About:  "schedule of a Netty event loop: heap behind a queue, tasks on the loop",
	Config: Config{Scheduler: binaryHeap, Inbox: driver.Queued{}},
	preset: true,
}
