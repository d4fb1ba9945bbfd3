package catalog

import (
	"cmp"
	"log/slog"
	"slices"
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

// Netty is Netty's HashedWheelTimer: a wheel with rounds, a worker that wakes every tick, and a lock-free queue between
// it and those who make timers. The zero value has the defaults of the original.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	512 slots of 100 ms                     | the same                                 | TestWheelsHaveTheTickAndSlotsOfTheirOriginals
//	slots: rounded up to 2^n, at most 2^30  | the same                                 | TestNettyRoundsSlotsUpToAPowerOfTwo
//	a tick below 1 ms: a warning, and 1 ms  | the same; the warning goes to Logger     | TestNettyRaisesAShortTick
//	tick * slots that overflow are refused  | the same                                 | TestNettyRefusesWhatOverflows
//	a delay that overflows is cut down      | the same                                 | driver.TestLongestDelay
//	the worker starts with the first timer  | the same                                 | driver.TestFixedTickWakesEveryTick
//	ticks are counted from then on          | departs: from Start on                   | TestNettyCountsTicksFromStart
//	it wakes every tick, due or not         | FixedTick                                | TestNettyWakesEveryTick
//	a timer fires at the end of the tick    | the same; departs at the edge of a tick, | TestNettyFiresAtTheEndOfTheTick
//	  that its deadline is in               |   where it fires at once, not a tick on  |
//	no delay: due at the end of this tick   | the same                                 | TestNettyCountsTicksFromStart
//	a tick visits all timers of its slot    | departs: only if one of them may be due  | TestNettyVisitsItsSlotIfOneIsDue
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
type Netty struct {
	Tick  time.Duration // 0 is NettyTick
	Slots int           // 0 is NettySlots
	// Logger gets what the driver logs, and the warning of a short tick. With nil the warning goes to slog's default
	// logger, and driver.WithLogger may be among the options.
	Logger *slog.Logger
}

// Start starts a driver with opts, then those of the preset. The errors are those of roundswheel.New and driver.Start.
func (p Netty) Start(opts ...driver.Option) (*driver.Driver, error) {
	if p.tick() != cmp.Or(p.Tick, NettyTick) {
		cmp.Or(p.Logger, slog.Default()).Warn("the tick of a timer wheel is too short, and raised",
			"tick", p.Tick, "raised", nettyLeastTick)
	}
	if p.Logger != nil {
		opts = append(slices.Clip(opts), driver.WithLogger(p.Logger))
	}
	return p.config().Start(opts...)
}

func (p Netty) tick() time.Duration {
	if p.Tick > 0 {
		return max(p.Tick, nettyLeastTick)
	}
	return cmp.Or(p.Tick, NettyTick)
}

func (p Netty) config() Config {
	return Config{
		Scheduler: Rounds, Tick: p.tick(), Slots: cmp.Or(p.Slots, NettySlots), Waking: Ticking,
		Inbox: driver.Queued{PerWakeup: nettyPerTick, KeepStopped: true},
	}
}

// Dubbo's timers: that of call timeouts, and that of heartbeats and idle connections.
const (
	dubboTick           = 30 * time.Millisecond
	dubboSlots          = 512
	dubboHeartbeatTick  = time.Second
	dubboHeartbeatSlots = 128
)

// Dubbo is Dubbo's HashedWheelTimer, which is Netty's with other queues. The zero value is the timer of call timeouts.
// All rows of Netty's table hold for it, and these:
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	call timeouts: 512 slots of 30 ms       | the same                                 | TestWheelsHaveTheTickAndSlotsOfTheirOriginals
//	heartbeats: 128 slots of 1 s            | Tick and Slots                           | TestWheelsHaveTheTickAndSlotsOfTheirOriginals
//	new timers wait in a queue with a lock  | the same                                 | TestQueuedTakesTimersAtTheNextWakeUp
//	isStop                                  | departs: AfterFunc fails with ErrClosed  | driver.TestAfterClose
//	periodic work is armed again after each | driver.Every                             | driver.TestEveryModel
//	  run, so a stalled one piles up none   |                                          |
//
// Its fields are those of Netty; 0 is dubboTick, and dubboSlots.
type Dubbo Netty

// Start starts a driver with opts, then those of the preset. The errors are those of roundswheel.New and driver.Start.
func (p Dubbo) Start(opts ...driver.Option) (*driver.Driver, error) { return p.netty().Start(opts...) }

func (p Dubbo) netty() Netty {
	return Netty{Tick: cmp.Or(p.Tick, dubboTick), Slots: cmp.Or(p.Slots, dubboSlots), Logger: p.Logger}
}

func (p Dubbo) config() Config { return p.netty().config() }

// NettySchedule is schedule of a Netty event loop: a heap behind a lock-free queue, and tasks that run on the loop.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	heap ordered by deadline and sequence   | the same                                 | TestTasksOfOneInstantRunInOrder
//	other threads' tasks wait in a queue    | Queued, for the loop's own too, and with | TestQueuedTakesTimersAtTheNextWakeUp
//	                                        |   a mutex                                |
//	the loop sleeps until the head is due   | SkipToNext                               | TestSleepsUntilTheNextDeadline
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
type NettySchedule struct{}

// Start starts a driver with opts, and then the options of the preset. The errors are those of driver.Start.
func (p NettySchedule) Start(opts ...driver.Option) (*driver.Driver, error) {
	return p.config().Start(opts...)
}

func (NettySchedule) config() Config { return Config{Scheduler: binaryHeap, Inbox: driver.Queued{}} }
