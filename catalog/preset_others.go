package catalog

import (
	"cmp"
	"time"

	"schedbench/driver"
)

// The constants of Tokio.
const (
	// TokioTick is the tick of the lowest level.
	TokioTick = time.Millisecond
	// TokioSlots is the number of slots of each level.
	TokioSlots = 64
)

// Tokio is a preset like the timers of the tokio runtime: a hierarchical wheel
// that the driver of the runtime sleeps on.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	deadlines are rounded up to 1 ms        | the same                                 | TestTokioRoundsUpToItsTick
//	64 slots a level                        | the same                                 | TestTokioLevelsHave64Slots
//	six levels: two years and two months    | departs: as many as a deadline needs     | TestTokioReachesBeyondSixLevels
//	sleeps until the next occupied slot,    | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	  found by a bitmap for each level      |                                          |
//	an earlier deadline ends the sleep      | the same                                 | TestEarlierDeadlineEndsTheSleep
//	an upper slot is opened when it begins, | the same                                 | TestTokioOpensASlotForEachLevel
//	  its timers move down                  |                                          |
//	what is due runs on the runtime's       | Goroutine                                | TestTokioTasksDoNotDelayEachOther
//	  workers, not on the timer's driver    |                                          |
//	one lock around the wheel               | Locked                                   | TestLockedTakesTimersAtOnce
//	a dropped timer leaves its slot         | departs: it keeps its room until the     | TestCancelledKeepTheirRoomInTheWheel
//	                                        |   slot is opened, or a sweep comes       |
//	reset to a later deadline leaves the    | departs: it is cancelled and made anew,  | TestTokioResetTakesAnotherPlace
//	  timer where it is until then          |   which may cost a wake-up in vain       |
//
// Not reproduced: a timer that is registered with the wheel when it is first
// polled; several wheels, one for each worker, as in some versions.
type Tokio struct{}

// Start starts a driver with the given options and those of the preset, which
// come last. The errors are those of driver.Start.
func (p Tokio) Start(opts ...driver.Option) (*driver.Driver, error) { return p.config().Start(opts...) }

func (Tokio) config() Config {
	return Config{Scheduler: Hier, Tick: TokioTick, Slots: TokioSlots, Running: driver.Goroutine{}}
}

// The constants of Linux.
const (
	// LinuxTick is the tick of a kernel with HZ=1000.
	LinuxTick = time.Millisecond
	// LinuxSlots is the number of slots of each level.
	LinuxSlots = 64
	// LinuxCoarser is how many times longer the slots of a level are than those
	// of the level below.
	LinuxCoarser = 8
)

// Linux is a preset like the timers of the Linux kernel since 2016, of one
// processor: a wheel without cascades, for timeouts. A timer is late by up to
// 12.7 % of its delay; hierwheel.NoCascade.Lateness gives the bound. The zero
// value has the constants of a kernel with HZ=1000.
//
//	the original                            | the preset                               | shown by
//	----------------------------------------|------------------------------------------|------------------------------------------
//	tick of 1/HZ                            | 1 ms                                     | TestLinuxHasATickOf1ms
//	64 slots a level, 8 times coarser each  | the same                                 | TestLinuxRoundsUpToTheSlotsOfItsLevel
//	late by at most an eighth of the delay  | late by less than Lateness(delay)        | TestLinuxIsLateByLessThanItsBound
//	never early                             | the same                                 | TestLinuxIsLateByLessThanItsBound
//	a timer never moves: no cascades        | the same                                 | TestLinuxMovesNothing
//	the clock of an idle wheel is brought   | the same                                 | TestLinuxCountsDelaysFromThePresent
//	  forward before a timer is added       |                                          |
//	a deadline at which a slot begins goes  | departs: it is on time                   | TestLinuxKeepsADeadlineAtTheEdgeOfASlot
//	  to the next slot                      |                                          |
//	eight or nine levels: later deadlines   | departs: as many as a deadline needs     | TestLinuxReachesBeyondNineLevels
//	  are cut down to 97 days               |                                          |
//	an idle processor sleeps until the      | SkipToNext                               | TestSleepsUntilTheNextDeadline
//	  next occupied slot                    |                                          |
//	one wheel, one lock                     | Locked                                   | TestLockedTakesTimersAtOnce
//	functions run one after another in the  | Inline                                   | TestSlowTaskDelaysThoseBehindIt
//	  timer interrupt                       |                                          |
//	a deleted timer leaves its slot         | departs: it keeps its room until the     | TestCancelledKeepTheirRoomInTheWheel
//	                                        |   slot is opened, or a sweep comes       |
//	timer_delete tells if it was pending    | Stop                                     | TestStopTellsWhetherItWasPending
//
// Not reproduced: a wheel for each processor, and another for timers that may
// wait for it to wake up; a tick while the processor is busy.
type Linux struct {
	// Tick is the tick, one second divided by HZ; 0 is LinuxTick.
	Tick time.Duration
}

// Start starts a driver with the given options and those of the preset, which
// come last. The errors are those of hierwheel.NewNoCascade and driver.Start.
func (p Linux) Start(opts ...driver.Option) (*driver.Driver, error) { return p.config().Start(opts...) }

func (p Linux) config() Config {
	return Config{Scheduler: NoCascade, Tick: cmp.Or(p.Tick, LinuxTick), Slots: LinuxSlots}
}
