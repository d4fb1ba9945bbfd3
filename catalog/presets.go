package catalog

import (
	"fmt"
	"slices"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/schedulers"
)

// A system is what a preset consists of: a scheduler and the options of a driver
// that together behave as a known system.
type system interface {
	scheduler() (schedulers.Scheduler[driver.Task], error)
	options() []driver.Option
}

// start starts a driver of a system. Its own options come last, so that they
// win.
func start(s system, opts []driver.Option, own ...driver.Option) (*driver.Driver, error) {
	sched, err := s.scheduler()
	if err != nil {
		return nil, err
	}
	return driver.Start(sched, slices.Concat(opts, s.options(), own)...)
}

// Presets returns the schedulers with options that together behave as known
// systems, each with the constants of its original. Unlike the contestants they
// keep to their own tick, and to their own way of waking.
func Presets() []harness.Contestant {
	return []harness.Contestant{
		preset("netty", "wheel with rounds, ticking", Netty{}.Start,
			fmt.Sprintf("Netty's HashedWheelTimer: %v x %d, lock-free queues, tasks on the worker", NettyTick, NettySlots)),
		preset("dubbo", "wheel with rounds, ticking", Dubbo{}.Start,
			fmt.Sprintf("Dubbo's HashedWheelTimer: Netty's with %v x %d", DubboTick, DubboSlots)),
		preset("business-wheel", "wheel with rounds, ticking", BusinessWheel{}.Start,
			"a wheel of jobs: Netty's, bounded, its unfired jobs kept in a store"),
		preset("kafka", "hierarchical wheel", Kafka{}.Start,
			fmt.Sprintf("Kafka's SystemTimer: %v, %d slots a level, sleeps to the next slot, one executor thread", KafkaTick, KafkaSlots)),
		preset("tokio-like", "hierarchical wheel", Tokio{}.Start,
			fmt.Sprintf("tokio's timers: %v, %d slots a level, sleeps to the next slot", TokioTick, TokioSlots)),
		preset("linux-like", "wheel without cascades", Linux{}.Start,
			fmt.Sprintf("the kernel's timers: %v, %d slots a level, late by up to 12.7 %% of the delay", LinuxTick, LinuxSlots)),
		preset("netty-schedule", "binary heap", NettySchedule{}.Start,
			"schedule of a Netty event loop: heap behind a lock-free queue, tasks on the loop"),
		preset("jdk-executor", "binary heap", JDKExecutor{}.Start,
			fmt.Sprintf("ScheduledThreadPoolExecutor: one lock, %d threads, the cancelled stay until due", JDKThreads)),
		preset("jdk-executor-remove", "binary heap", JDKExecutor{RemoveOnCancel: true}.Start,
			"the same with removeOnCancel: the cancelled leave at once"),
		preset("jdk-timer", "binary heap", JDKTimer{}.Start,
			"java.util.Timer: one lock, one thread, which an exception kills"),
	}
}

// preset returns the contestant of a preset.
func preset(name, family string, start func(...driver.Option) (*driver.Driver, error), about string) harness.Contestant {
	return harness.Contestant{
		Name: name, Family: family, About: about, Preset: true,
		Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) { return start(opts...) },
	}
}
