// Package catalog names what can be measured and chosen. A Config is a scheduler with its driver. Configs make the
// contestants (six schedulers, each with a fair geometry), the presets and the candidates of package tune. The baselines
// are listed, too.
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

// Contestants returns the six schedulers, in the order of their history.
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

	preset bool                                                   // runs have it
	start  func(Config, ...driver.Option) (*driver.Driver, error) // nil: Config.Start
}

// Start starts a driver of the system with opts, then those of the Config. It also does what a Config does not say: the
// presets with Netty's wheel raise a short tick, and a panic closes jdk-timer. The errors are those of Config.Start.
func (s System) Start(opts ...driver.Option) (*driver.Driver, error) {
	if s.start != nil {
		return s.start(s.Config, opts...)
	}
	return s.Config.Start(opts...)
}

// Systems returns the known systems: those that presets reproduce, and others with their tick and wheel.
func Systems() []System {
	rounds := func(name, about string, tick time.Duration, slots int) System {
		return System{
			Name: name, Family: "wheel with rounds, ticking", About: fmt.Sprintf("%s: %v x %d", about, tick, slots),
			Config: Config{Scheduler: Rounds, Tick: tick, Slots: slots, Waking: Ticking, Inbox: nettyInbox},
		}
	}
	aeron := rounds("aeron-cluster", "Aeron Cluster", 8*time.Millisecond, 128)
	aeron.Config.Inbox = nil // the caller polls
	return []System{
		netty, dubbo, businessWheel, kafka, tokio, linux, nettySchedule, jdkExecutor, jdkExecutorRemove, jdkTimer, nats,
		rounds("dubbo-heartbeat", "Dubbo's heartbeats", time.Second, 128),
		rounds("cassandra-driver", "the Cassandra Java driver 4", 100*time.Millisecond, 2048),
		rounds("pulsar-client", "the Pulsar client", time.Millisecond, 512),
		rounds("akka", "Akka and Pekko", 10*time.Millisecond, 512),
		rounds("sofajraft", "SOFAJRaft", time.Millisecond, 2048),
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
		if s.preset {
			all = append(all, harness.Contestant{
				Name: s.Name, Family: s.Family, About: s.About, Preset: true, EarlyByDesign: s.EarlyByDesign,
				Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) { return s.Start(opts...) },
			})
		}
	}
	return all
}
