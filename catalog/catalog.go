// Package catalog names what can be measured and chosen. A Config is a scheduler with its driver. Configs make the
// contestants (the five schedulers and the queues, each with a fair geometry), the presets, which behave as known systems
// do, and the choices of package tune. The baselines are listed beside them.
package catalog

import (
	"fmt"
	"slices"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/internal/check"
	"schedbench/internal/lists"
	"schedbench/schedulers"
)

const (
	// roundsSlots is the number of slots of the rounds wheel, which is Netty's.
	roundsSlots = 512
	// HierSlots is the number of slots of a level of the hierarchical wheel: at 1 ms three levels reach beyond an hour.
	HierSlots = 256
)

// Contestants returns the five schedulers, in the order of their history, and the queues for programs with few delays.
func Contestants() []harness.Contestant {
	return []harness.Contestant{
		contestant(Heap, "16-ary heap", "exact, no idle ticks; insert and cancel O(log n)"),
		contestant(List, "sorted list", "exact; insert O(n), scanned from the tail; cancel O(1)"),
		contestant(Single, "single timing wheel", "one slot for each tick up to the horizon: O(1), memory grows with the horizon"),
		contestant(Rounds, "wheel with rounds", fmt.Sprintf("%d slots, as Netty: O(1); a tick at which something may be due visits n/%d timers", roundsSlots, roundsSlots)),
		contestant(Hier, "hierarchical wheel", fmt.Sprintf("%d slots a level: O(1), cascades once a level at most", HierSlots)),
		contestant(FIFO, "queues by delay", "exact; q queues, one for each distinct delay at most: insert O(log q), cancel O(1)"),
	}
}

func contestant(scheduler, family, about string) harness.Contestant {
	shard := func(g harness.Geometry) (schedulers.Scheduler[driver.Task], error) {
		return New[driver.Task](Fit(scheduler, g))
	}
	return harness.Contestant{
		Name: scheduler, Family: family, About: about,
		HasTick:        Config{Scheduler: scheduler}.Wheel(),
		Fitted:         func(g harness.Geometry) string { return Fit(scheduler, g).slots() },
		LinearInsert:   scheduler == List,
		Representative: scheduler == Hier,
		New:            func(g harness.Geometry) (schedulers.Scheduler[uint64], error) { return Fit(scheduler, g).Bare() },
		Shard:          shard,
		Start: func(g harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			s, err := shard(g)
			if err != nil {
				return nil, err
			}
			return driver.Start(s, opts...)
		},
	}
}

// The names of the baselines.
const (
	RuntimeTimer  = "time.AfterFunc"
	ContainerHeap = "container-heap"
)

// Baselines returns what the schedulers are measured against.
func Baselines() []harness.Contestant {
	return []harness.Contestant{
		{
			Name: RuntimeTimer, Family: "Go runtime", Runtime: true, Baseline: true,
			About: "the standard library's timers: a 4-ary heap for each processor",
		},
		{
			Name: ContainerHeap, Family: "binary heap of pointers", Baseline: true,
			About: "what most people write: container/heap, an object for each timer, its index kept",
			New:   func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return &pointerHeap{}, nil },
		},
	}
}

// All returns contestants and baselines.
func All() []harness.Contestant { return append(Contestants(), Baselines()...) }

// Find returns the contestants of names, in the order of All, own and Presets. An unknown name is an error that lists all.
func Find(names []string, own ...harness.Contestant) ([]harness.Contestant, error) {
	all := slices.Concat(All(), own, Presets())
	known := lists.Each(all, func(c harness.Contestant) string { return c.Name })
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, check.Unknown("contestant", n, known)
		}
	}
	return slices.DeleteFunc(all, func(c harness.Contestant) bool { return !slices.Contains(names, c.Name) }), nil
}

// System is a known system: a scheduler and a driver that together behave as it does.
type System struct {
	Name, Family, About string // as in a harness.Contestant
	Config              Config
	EarlyByDesign       bool // its timers may fire before they are due

	start func(...driver.Option) (*driver.Driver, error) // nil: it is no preset
}

// preset has the constants and the behaviour of its original.
type preset interface {
	config() Config
	Start(...driver.Option) (*driver.Driver, error)
}

// Systems returns the known systems: those that presets reproduce, and others with their tick and wheel.
func Systems() []System {
	reproduced := func(name, family string, p preset, about string) System {
		return System{Name: name, Family: family, About: about, Config: p.config(), start: p.Start}
	}
	netty := func(name, about string, tick time.Duration, slots int) System {
		return System{
			Name: name, Family: "wheel with rounds, ticking", About: fmt.Sprintf("%s: %v x %d", about, tick, slots),
			Config: Netty{Tick: tick, Slots: slots}.config(),
		}
	}
	timer := reproduced("jdk-timer", "binary heap", JDKTimer{}, "java.util.Timer: one lock, one thread, which an exception kills, a clock of whole milliseconds")
	timer.EarlyByDesign = true
	aeron := netty("aeron-cluster", "Aeron Cluster", 8*time.Millisecond, 128)
	aeron.Config.Inbox = nil // the caller polls
	return []System{
		reproduced("netty", "wheel with rounds, ticking", Netty{},
			fmt.Sprintf("Netty's HashedWheelTimer: %v x %d, a queue, tasks on the worker", NettyTick, NettySlots)),
		reproduced("dubbo", "wheel with rounds, ticking", Dubbo{},
			fmt.Sprintf("Dubbo's HashedWheelTimer: Netty's with %v x %d", dubboTick, dubboSlots)),
		reproduced("business-wheel", "wheel with rounds, ticking", BusinessWheel{},
			"a wheel of jobs: Netty's, bounded; jobs that outlive the process are for package durable"),
		reproduced("kafka", "hierarchical wheel", Kafka{},
			fmt.Sprintf("Kafka's SystemTimer: %v, %d slots a level, sleeps to the next slot, one executor thread", kafkaTick, kafkaSlots)),
		reproduced("tokio-like", "hierarchical wheel", Tokio{},
			fmt.Sprintf("tokio's timers: %v, %d slots a level, sleeps to the next slot", tokioTick, tokioSlots)),
		reproduced("linux-like", "wheel without cascades", Linux{},
			fmt.Sprintf("the kernel's timers: %v, %d slots a level, late by up to 12.7 %% of the delay", linuxTick, linuxSlots)),
		reproduced("netty-schedule", "binary heap", NettySchedule{},
			"schedule of a Netty event loop: heap behind a queue, tasks on the loop"),
		reproduced("jdk-executor", "binary heap", JDKExecutor{},
			fmt.Sprintf("ScheduledThreadPoolExecutor: one lock, %d threads, the cancelled stay until due", JDKThreads)),
		reproduced("jdk-executor-remove", "binary heap", JDKExecutor{RemoveOnCancel: true},
			"ScheduledThreadPoolExecutor with removeOnCancel: the cancelled leave at once"),
		timer,
		reproduced("nats", "hashed wheel", NATS{},
			fmt.Sprintf("the wheel of a NATS server's streams: exact, but a wake-up every %v at most", natsLeast)),
		netty("dubbo-heartbeat", "Dubbo's heartbeats", dubboHeartbeatTick, dubboHeartbeatSlots),
		netty("cassandra-driver", "the Cassandra Java driver 4", 100*time.Millisecond, 2048),
		netty("pulsar-client", "the Pulsar client", time.Millisecond, 512),
		netty("akka", "Akka and Pekko", 10*time.Millisecond, 512),
		netty("sofajraft", "SOFAJRaft", time.Millisecond, 2048),
		aeron,
		{
			Name: "folly", Family: "hierarchical wheel", About: "folly's HHWheelTimer: 10ms x 256",
			Config: Config{Scheduler: Hier, Tick: 10 * time.Millisecond, Slots: 256},
		},
	}
}

// FindSystem returns the known system of a name, or the scheduler of that name with the usual driver; a wheel then still
// needs its tick and slots. An unknown name is an error that lists the known ones.
func FindSystem(name string) (System, error) {
	all := append(Systems(), lists.Each(Contestants(), func(c harness.Contestant) System {
		return System{Name: c.Name, About: c.Family + ": " + c.About, Config: Config{Scheduler: c.Name}}
	})...)
	known := lists.Each(all, func(s System) string { return s.Name })
	if i := slices.Index(known, name); i >= 0 {
		return all[i], nil
	}
	return System{}, check.Unknown("system", name, known)
}

// Presets returns the reproduced systems. Unlike the contestants they keep their own tick and their own way of waking.
func Presets() (all []harness.Contestant) {
	for _, s := range Systems() {
		if s.start != nil {
			all = append(all, harness.Contestant{
				Name: s.Name, Family: s.Family, About: s.About, Preset: true, EarlyByDesign: s.EarlyByDesign,
				Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) { return s.start(opts...) },
			})
		}
	}
	return all
}
