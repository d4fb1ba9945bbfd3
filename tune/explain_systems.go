package tune

import (
	"fmt"
	"strings"
	"time"

	"schedbench/catalog"
)

// System is a known system, or a configuration by hand, as the model sees it.
type System struct {
	// Name is as in catalog.Presets, where the system is one of them.
	Name, About string
	Config      Config
	// Notes say where the model departs from the system.
	Notes []string
	// coarser is how many times longer the slots of a level are than those of the
	// level below, in a wheel without cascades; else 0.
	coarser int
}

const (
	queued    = "timers wait in a queue for the next tick, which costs a little more for each"
	goHeap    = "the heap of the original is binary and of pointers: its operations cost more than those of the heap that stands for it"
	remaining = "what is cancelled stays in the heap until it is due, and takes memory as long"
	pooled    = "tasks run on other threads, which takes CPU time for the hand-over"
)

// Systems returns the known systems: the presets, and others by their tick and
// wheel.
func Systems() []System {
	wheel := func(name, about, scheduler string, tick time.Duration, slots int, ticking bool, notes ...string) System {
		return System{
			Name: name, About: fmt.Sprintf("%s: %v x %d", about, tick, slots),
			Config: Config{Scheduler: scheduler, Tick: tick, Slots: slots, Ticking: ticking}, Notes: notes,
		}
	}
	heaped := func(name, about string, notes ...string) System {
		return System{Name: name, About: about, Config: Config{Scheduler: heap}, Notes: notes}
	}
	linux := wheel("linux-like", "the kernel's timers", hier, catalog.LinuxTick, catalog.LinuxSlots, false,
		"a timer never moves: it is late by up to an eighth of its delay, and costs no cascades")
	linux.coarser = catalog.LinuxCoarser
	return []System{
		wheel("netty", "Netty's HashedWheelTimer", rounds, catalog.NettyTick, catalog.NettySlots, true, queued),
		wheel("dubbo", "Dubbo's HashedWheelTimer, for call timeouts", rounds, catalog.DubboTick, catalog.DubboSlots, true, queued),
		wheel("business-wheel", "a wheel of jobs, like Netty's", rounds, catalog.NettyTick, catalog.NettySlots, true, queued),
		wheel("kafka", "Kafka's SystemTimer", hier, catalog.KafkaTick, catalog.KafkaSlots, false, pooled),
		wheel("tokio-like", "tokio's timers", hier, catalog.TokioTick, catalog.TokioSlots, false, pooled),
		linux,
		heaped("netty-schedule", "schedule of a Netty event loop: a heap behind a queue", goHeap, queued),
		heaped("jdk-executor", "ScheduledThreadPoolExecutor: a heap that keeps the cancelled", goHeap, remaining, pooled),
		heaped("jdk-executor-remove", "ScheduledThreadPoolExecutor with removeOnCancel: a heap", goHeap, pooled),
		heaped("jdk-timer", "java.util.Timer: a heap that keeps the cancelled", goHeap, remaining),
		wheel("dubbo-heartbeat", "Dubbo's heartbeats", rounds, time.Second, 128, true, queued),
		wheel("cassandra-driver", "the Cassandra Java driver 4", rounds, 100*time.Millisecond, 2048, true, queued),
		wheel("pulsar-client", "the Pulsar client", rounds, time.Millisecond, 512, true, queued),
		wheel("akka", "Akka and Pekko", rounds, 10*time.Millisecond, 512, true, queued),
		wheel("sofajraft", "SOFAJRaft", rounds, time.Millisecond, 2048, true, queued),
		wheel("aeron-cluster", "Aeron Cluster", rounds, 8*time.Millisecond, 128, true, "the caller polls"),
		wheel("folly", "folly's HHWheelTimer", hier, 10*time.Millisecond, 256, false),
	}
}

// FindSystem returns the known system of a name. An unknown one is an error that
// lists the known.
func FindSystem(name string) (System, error) {
	var known []string
	for _, s := range Systems() {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return System{}, fmt.Errorf("unknown system %q, want one of %s", name, strings.Join(known, ", "))
}
