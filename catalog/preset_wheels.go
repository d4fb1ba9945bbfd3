package catalog

import (
	"fmt"
	"time"

	"schedbench/driver"
)

// The defaults of Kafka.
const (
	kafkaTick  = time.Millisecond // of the lowest level
	kafkaSlots = 20               // of a level; a wheel here has the next power of two, 32
	kafkaQueue = 1 << 16          // tasks that may wait for the executor; in the original any number
)

// kafka is Kafka's SystemTimer: a hierarchical wheel, a delay queue of its slots, and an executor of one thread.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	tick of 1 ms; deadlines are rounded     | departs: rounded up, so never early and  | TestPresetsFireInTime
//	  down, so up to a tick early           |   less than a tick late                  |
//	20 slots a level                        | departs: 32, and 32 of the next turn     | TestPresetsHaveTheConfigOfTheirOriginals
//	levels are made on demand               | departs: parts of them are               | TestKafkaMakesPartsOfLevelsOnDemand
//	what is due above is put a level lower  | departs: while the slot before it passes | hierwheel.TestValuesSinkLevelByLevel
//	a delay queue of slots: sleeps until    | SkipToNext; departs: bits in place of a  | driver.TestSkipToNextIsIdle
//	  the next occupied slot                |   queue find that slot                   |
//	one expiry for all tasks of a slot      | the same                                 | TestKafkaWakesOnceForASlot
//	one counter for the tasks of all levels | Len                                      | driver.TestModel
//	added at once, under a lock             | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	cancelled tasks leave their slot        | the same                                 | hierwheel.TestScheduler
//	one executor thread: no tasks overlap   | Pool of one goroutine                    | TestPresetsHaveTheConfigOfTheirOriginals
//	a slow task does not hold up the wheel  | the same                                 | driver.TestFullPool
//	any number may wait for the executor    | departs: kafkaQueue of them, then the    | driver.TestFullPool
//	                                        |   wheel waits                            |
//	the executor survives what tasks throw  | the same; the panic is logged            | TestPanicIsLoggedAndTheRestRuns
//	shut down, it drops what did not begin  | departs: Close returns it                | driver.TestModel
//
// Not reproduced: adding under a lock that several threads share; the caller
// that turns the clock, in the broker with at most 200 ms of waiting at a time.
var kafka = System{
	Name: "kafka", Family: "hierarchical wheel",
	About: fmt.Sprintf("Kafka's SystemTimer: %v, %d slots a level, sleeps to the next slot, one executor thread", kafkaTick, kafkaSlots),
	Config: Config{
		Scheduler: Hier, Tick: kafkaTick, Slots: kafkaSlots, AtOnce: true,
		Running: driver.Pool{Workers: 1, Queue: kafkaQueue, Full: driver.WaitForRoom},
	},
	preset: true,
}

// The tick of the lowest level of tokio, and the slots of each.
const (
	tokioTick  = time.Millisecond
	tokioSlots = 64
)

// tokio is like the timers of the tokio runtime: a hierarchical wheel that the driver of the runtime sleeps on.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	deadlines are rounded up to 1 ms        | the same                                 | TestPresetsFireInTime
//	64 slots a level                        | the same, and as many of the next turn   | TestPresetsHaveTheConfigOfTheirOriginals
//	six levels: two years and two months    | departs: as many as a deadline needs     | hierwheel.TestEveryGeometryReachesTheEndOfTime
//	sleeps until the next occupied slot,    | SkipToNext                               | driver.TestSkipToNextIsIdle
//	  found by a bitmap for each level      |                                          |
//	an earlier deadline ends the sleep      | the same                                 | driver.TestEarlierDeadlineInterruptsTheSleep
//	upper slots are opened as they begin    | departs: while the slot before passes    | hierwheel.TestValueMovesAtMostOnceALevel
//	tasks run on the runtime's workers      | Goroutine                                | TestTokioTasksDoNotDelayEachOther
//	one lock around the wheel               | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	a dropped timer leaves its slot         | the same                                 | hierwheel.TestScheduler
//	reset to a later deadline leaves the    | departs: it moves at once; the wake-up   | TestTokioResetTakesAnotherPlace
//	  timer where it is until then          |   in vain is the same                    |
//
// Not reproduced: a timer that is registered with the wheel when it is first
// polled; several wheels, one for each worker, as in some versions.
var tokio = System{
	Name: "tokio-like", Family: "hierarchical wheel",
	About:  fmt.Sprintf("tokio's timers: %v, %d slots a level, sleeps to the next slot", tokioTick, tokioSlots),
	Config: Config{Scheduler: Hier, Tick: tokioTick, Slots: tokioSlots, Running: driver.Goroutine{}, AtOnce: true},
	preset: true,
}

// The tick of Linux with HZ=1000, the slots of a level, and how much longer they are than those below.
const (
	linuxTick    = time.Millisecond
	linuxSlots   = 64
	linuxCoarser = 8
)

// linux is like the timers of the Linux kernel since 2016, of one processor: a wheel without cascades, for timeouts. A timer
// is late by up to 12.7 % of its delay; hierwheel.NoCascade.Lateness gives the bound. HZ is 1000.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	tick of 1/HZ                            | 1 ms                                     | TestLinuxRoundsUpToTheSlotsOfItsLevel
//	64 slots a level, 8 times coarser each  | the same                                 | TestLinuxRoundsUpToTheSlotsOfItsLevel
//	late by at most an eighth of the delay  | late by less than Lateness(delay)        | hierwheel.TestLatenessIsBounded
//	never early                             | the same                                 | hierwheel.TestLatenessIsBounded
//	a timer never moves: no cascades        | the same                                 | hierwheel.TestNothingMoves
//	an idle wheel's clock is set first      | the same                                 | driver.TestLatenessCountsFromThePresent
//	a deadline at which a slot begins goes  | departs: it is on time                   | TestLinuxRoundsUpToTheSlotsOfItsLevel
//	  to the next slot                      |                                          |
//	eight or nine levels: later deadlines   | departs: as many as a deadline needs     | TestLinuxRoundsUpToTheSlotsOfItsLevel
//	  are cut down to 97 days               |                                          |
//	when idle, sleeps to the next slot      | SkipToNext                               | driver.TestSkipToNextIsIdle
//	one wheel, one lock                     | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	functions run one by one, in interrupts | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	a deleted timer leaves its slot         | the same                                 | hierwheel.TestScheduler
//	timer_delete: was it pending?           | Stop                                     | driver.TestModel
//
// Not reproduced: a wheel for each processor, and one for timers that may wait; a tick while the processor is busy.
var linux = System{
	Name: "linux-like", Family: "wheel without cascades",
	About:  fmt.Sprintf("the kernel's timers: %v, %d slots a level, late by up to 12.7 %% of the delay", linuxTick, linuxSlots),
	Config: Config{Scheduler: NoCascade, Tick: linuxTick, Slots: linuxSlots, AtOnce: true},
	preset: true,
}

// natsLeast is the shortest sleep of a NATS server before it looks again for expired messages.
const natsLeast = 250 * time.Millisecond

// nats is how a NATS server expires messages with a time to live: a hashed wheel of 4096 slots of one second (server/thw),
// each a map, and a goroutine that sleeps until the next of them is due, 250 ms at least.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	deadlines are kept as they are          | the same                                 | TestNATSKeepsDeadlines
//	4096 slots of 1 s, a map for each       | departs: a heap, so costs are not those  | TestNATSKeepsDeadlines
//	all that is due in them, in any order   | departs: in the order of deadlines       | TestNATSKeepsDeadlines
//	sleeps until the next is due            | SkipAtLeast                              | TestNATSSleepsAQuarterOfASecondAtLeast
//	never less than 250 ms                  | the same                                 | TestNATSSleepsAQuarterOfASecondAtLeast
//	one goroutine expires them              | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	one lock around the wheel               | Locked                                   | TestPresetsHaveTheConfigOfTheirOriginals
//	what is removed leaves at once          | the same                                 | TestCancelledLeaveTheHeapAtOnce
//
// Not reproduced: the store that the wheel is a part of, and what it is written to.
var nats = System{
	Name: "nats", Family: "hashed wheel",
	About:  fmt.Sprintf("the wheel of a NATS server's streams: exact, but a wake-up every %v at most", natsLeast),
	Config: Config{Scheduler: binaryHeap, Least: natsLeast, AtOnce: true},
	preset: true,
}
