// Package catalog names what can be measured: the five schedulers, each with a
// geometry that is fair to it, the baselines they are measured against, and the
// presets, which behave as known systems do.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/heapsched"
	"schedbench/hierwheel"
	"schedbench/listsched"
	"schedbench/roundswheel"
	"schedbench/schedulers"
	"schedbench/singlewheel"
)

const (
	// RoundsSlots is the number of slots of the rounds wheel, which is Netty's.
	RoundsSlots = 512
	// HierSlots is the number of slots for each level of the hierarchical
	// wheel. With 256, deadlines up to an hour at 1 ms take three levels.
	HierSlots = 256
)

// Contestants returns the five schedulers, in the order of their history.
func Contestants() []harness.Contestant {
	return []harness.Contestant{
		{
			Name:   "heapsched",
			Family: "4-ary heap",
			About:  "exact, no idle ticks; insert and cancel O(log n)",
			New:    fourHeap[uint64],
			Start:  live(fourHeap[driver.Task]),
			Shard:  fourHeap[driver.Task],
		},
		{
			Name:         "listsched",
			Family:       "sorted list",
			About:        "exact; insert O(n), scanned from the tail; cancel O(1)",
			LinearInsert: true,
			New:          list[uint64],
			Start:        live(list[driver.Task]),
			Shard:        list[driver.Task],
		},
		{
			Name:    "singlewheel",
			Family:  "single timing wheel",
			About:   "one slot for each tick up to the horizon: O(1), memory grows with the horizon",
			HasTick: true,
			New:     single[uint64],
			Start:   live(single[driver.Task]),
			Shard:   single[driver.Task],
		},
		{
			Name:    "roundswheel",
			Family:  "wheel with rounds",
			About:   fmt.Sprintf("%d slots, as Netty: O(1), visits n/%d entries a tick", RoundsSlots, RoundsSlots),
			HasTick: true,
			New:     rounds[uint64],
			Start:   live(rounds[driver.Task]),
			Shard:   rounds[driver.Task],
		},
		{
			Name:    "hierwheel",
			Family:  "hierarchical wheel",
			About:   fmt.Sprintf("%d slots a level: O(1), cascades once a level at most", HierSlots),
			HasTick: true,
			New:     hier[uint64],
			Start:   live(hier[driver.Task]),
			Shard:   hier[driver.Task],
		},
	}
}

func fourHeap[T any](harness.Geometry) (schedulers.Scheduler[T], error) {
	return heapsched.New[T](), nil
}

func list[T any](harness.Geometry) (schedulers.Scheduler[T], error) { return listsched.New[T](), nil }

func single[T any](g harness.Geometry) (schedulers.Scheduler[T], error) {
	return singlewheel.New[T](g.Tick, singleSlots(g))
}

func rounds[T any](g harness.Geometry) (schedulers.Scheduler[T], error) {
	return roundswheel.New[T](g.Tick, RoundsSlots)
}

func hier[T any](g harness.Geometry) (schedulers.Scheduler[T], error) {
	return hierwheel.New[T](g.Tick, HierSlots)
}

// live returns what starts a driver of the schedulers that make makes.
func live(make func(harness.Geometry) (schedulers.Scheduler[driver.Task], error),
) func(harness.Geometry, ...driver.Option) (*driver.Driver, error) {
	return func(g harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
		s, err := make(g)
		if err != nil {
			return nil, err
		}
		return driver.Start(s, opts...)
	}
}

// singleSlots returns how many slots a single wheel needs for a geometry: one
// more than the ticks to the horizon, since a deadline is rounded up.
func singleSlots(g harness.Geometry) int {
	if g.Tick <= 0 {
		return 1 // New refuses the tick
	}
	return int(min(g.Horizon/g.Tick+1, 1<<31))
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
			Name:     RuntimeTimer,
			Family:   "Go runtime",
			About:    "the standard library's timers: a 4-ary heap for each processor",
			Runtime:  true,
			Baseline: true,
		},
		{
			Name:     ContainerHeap,
			Family:   "binary heap of pointers",
			About:    "what most people write: container/heap, an object for each timer, its index kept",
			Baseline: true,
			New: func(harness.Geometry) (schedulers.Scheduler[uint64], error) {
				return newPointerHeap(), nil
			},
		},
	}
}

// All returns contestants and baselines.
func All() []harness.Contestant { return append(Contestants(), Baselines()...) }

// Find returns the contestants of the given names, in the order of All, of own,
// and of Presets. An unknown name is an error that lists the known ones.
func Find(names []string, own ...harness.Contestant) ([]harness.Contestant, error) {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	var found []harness.Contestant
	var known []string
	for _, c := range slices.Concat(All(), own, Presets()) {
		known = append(known, c.Name)
		if wanted[c.Name] {
			found = append(found, c)
			delete(wanted, c.Name)
		}
	}
	for _, n := range names {
		if wanted[n] {
			return nil, fmt.Errorf("unknown contestant %q, want some of %s", n, strings.Join(known, ", "))
		}
	}
	return found, nil
}
