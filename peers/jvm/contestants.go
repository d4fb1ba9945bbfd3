package jvm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
)

// original is an original as a contestant, beside the preset that imitates it.
type original struct {
	harness.Contestant

	class string
	args  []string
}

// originals returns all, including those that this machine lacks.
func originals() []original {
	netty := func(name, preset string, tick time.Duration) original {
		o := original{class: "NettyTimers", args: []string{fmt.Sprint(int64(tick)), fmt.Sprint(catalog.NettySlots)}}
		o.Name, o.Beside, o.Family = name, preset, "wheel with rounds, ticking"
		o.About = fmt.Sprintf("Netty's HashedWheelTimer itself, on the JVM: %v x %d", tick, catalog.NettySlots)
		return o
	}
	executor := func(name, preset string, threads int, remove bool, about string) original {
		o := original{class: "ExecutorTimers", args: []string{fmt.Sprint(threads), fmt.Sprint(remove)}}
		o.Name, o.Beside, o.Family = name, preset, "binary heap"
		o.About = fmt.Sprintf("the JDK's ScheduledThreadPoolExecutor itself: threads %d, the cancelled %s", threads, about)
		return o
	}
	timer := original{class: "UtilTimers"}
	timer.Beside, timer.EarlyByDesign = "jdk-timer", true
	timer.Name, timer.Family, timer.About = "java-timer", "binary heap", "java.util.Timer itself: whole milliseconds, delays rounded up to them"
	return []original{
		netty("java-netty", "netty", catalog.NettyTick),
		netty("java-netty-10ms", netty10, 10*time.Millisecond),
		executor("java-executor", "jdk-executor", catalog.JDKThreads, false, "stay until due"),
		executor("java-executor-1", executor1, 1, false, "stay until due"),
		executor("java-executor-remove", "jdk-executor-remove", catalog.JDKThreads, true, "leave at once"),
		timer,
	}
}

// The names of presets that the catalog has with another tick, or more threads.
const (
	netty10   = "netty-10ms"
	executor1 = "jdk-executor-1"
)

// Originals returns the originals that can be measured here, and a line that says what is missing for others.
func Originals() (all []harness.Contestant, missing string) {
	m := find(jars)
	notes := func() []rundata.Param {
		return []rundata.Param{
			{Key: "java", Value: m.version()}, {Key: "java-options", Value: strings.Join(options, " ")},
			{Key: "netty", Value: m.nettyVersion()}, {Key: "java-warm-up", Value: warmth},
		}
	}
	for _, o := range originals() {
		if m.java == "" || m.netty == nil && o.class == "NettyTimers" {
			continue
		}
		o.Notes = notes
		o.Launch = func(ctx context.Context) (harness.Process, error) { return m.start(ctx, o) }
		all = append(all, o.Contestant)
	}
	return all, m.missing
}

// warmth says how a process is warmed up before it is measured.
const warmth = "each turn is a process of its own, after 1,000,000 pairs of cancel and insert where these are measured, " +
	"and else 100,000, and 20,000 timers that fired"

// start builds the program if need be, and launches it with the timers of an original.
func (m machine) start(ctx context.Context, o original) (harness.Process, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir, err := m.build(cache)
	if err != nil {
		return nil, err
	}
	return m.launch(ctx, dir, append([]string{o.class}, o.args...)...)
}
