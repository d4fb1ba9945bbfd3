package catalog

import (
	"cmp"
	"time"

	"schedbench/driver"
)

// The defaults of Kafka.
const (
	// KafkaTick is the tick of the lowest level.
	KafkaTick = time.Millisecond
	// KafkaSlots is how many slots the levels of the original have. Those of a
	// wheel of this module are a power of two: the next one is 32.
	KafkaSlots = 20
	// KafkaQueue is how many tasks may wait for the executor. Those of the
	// original may be any number.
	KafkaQueue = 1 << 16
)

// Kafka is Kafka's SystemTimer: a hierarchical wheel, a delay queue of its slots,
// and an executor of one thread. The zero value has the defaults of the original.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	tick of 1 ms; deadlines are rounded     | departs: rounded up, so never early and  | TestKafkaIsNeverEarly
//	  down, so up to a tick early           |   less than a tick late                  |
//	20 slots a level                        | departs: 32, a power of two              | TestKafkaLevelsHave32Slots
//	levels are made on demand               | the same                                 | TestKafkaMakesLevelsOnDemand
//	what is due at an upper level is put    | the same                                 | TestKafkaDemotes
//	  into a lower one                      |                                          |
//	a delay queue of slots: sleeps until    | SkipToNext; departs: bits in place of a  | TestSleepsUntilTheNextDeadline
//	  the next occupied slot                |   queue find that slot                   |
//	one expiry for all tasks of a slot      | the same                                 | TestKafkaWakesOnceForASlot
//	one counter for the tasks of all levels | Len                                      | TestKafkaCountsAllLevels
//	added at once, under a lock             | Locked                                   | TestLockedTakesTimersAtOnce
//	cancelled tasks leave their slot        | departs: they keep their room until the  | TestCancelledKeepTheirRoomInTheWheel
//	                                        |   slot is opened, or a sweep comes       |
//	one executor thread: tasks never        | Pool of one goroutine                    | TestKafkaRunsTasksOneAfterAnother
//	  overlap                               |                                          |
//	a slow task does not hold up the wheel  | the same                                 | TestKafkaWheelTurnsWhileATaskRuns
//	any number may wait for the executor    | departs: KafkaQueue of them, then the    | TestKafkaWheelWaitsForAFullExecutor
//	                                        |   wheel waits                            |
//	the executor survives what a task       | the same; the panic is logged            | TestPanicIsLoggedAndTheRestRuns
//	  throws                                |                                          |
//	shut down, it drops what did not begin  | departs: Close returns it                | TestCloseReturnsTheUnfired
//
// Not reproduced: adding under a lock that several threads share; the caller
// that turns the clock, in the broker with at most 200 ms of waiting at a time.
type Kafka struct {
	// Tick is the tick of the lowest level; 0 is KafkaTick.
	Tick time.Duration
	// Slots is the number of slots of a level; 0 is KafkaSlots.
	Slots int
	// Queue is how many tasks may wait for the executor; 0 is KafkaQueue.
	Queue int
}

// Start starts a driver with the given options and those of the preset, which
// come last. The errors are those of hierwheel.New and driver.Start.
func (p Kafka) Start(opts ...driver.Option) (*driver.Driver, error) { return p.config().Start(opts...) }

func (p Kafka) config() Config {
	return Config{
		Scheduler: Hier, Tick: cmp.Or(p.Tick, KafkaTick), Slots: cmp.Or(p.Slots, KafkaSlots),
		Running: driver.Pool{Workers: 1, Queue: cmp.Or(p.Queue, KafkaQueue), Full: driver.WaitForRoom},
	}
}
