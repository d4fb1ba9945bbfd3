// Package catalog names what can be measured and chosen. A Config says it all of a
// scheduler with its driver; New makes the scheduler, Config.Start the driver. Of Configs
// are made: the contestants, which are the five schedulers, each fitted to a geometry that
// is fair to it; the presets, which behave as known systems do; and what package tune
// picks. Beside them are the baselines that they are measured against.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/schedulers"
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
		contestant(Heap, "4-ary heap", "exact, no idle ticks; insert and cancel O(log n)"),
		contestant(List, "sorted list", "exact; insert O(n), scanned from the tail; cancel O(1)"),
		contestant(Single, "single timing wheel", "one slot for each tick up to the horizon: O(1), memory grows with the horizon"),
		contestant(Rounds, "wheel with rounds", fmt.Sprintf("%d slots, as Netty: O(1), visits n/%d entries a tick", RoundsSlots, RoundsSlots)),
		contestant(Hier, "hierarchical wheel", fmt.Sprintf("%d slots a level: O(1), cascades once a level at most", HierSlots)),
	}
}

// contestant returns a scheduler whose geometry and driver the harness chooses.
func contestant(scheduler, family, about string) harness.Contestant {
	shard := func(g harness.Geometry) (schedulers.Scheduler[driver.Task], error) {
		return New[driver.Task](Fit(scheduler, g))
	}
	return harness.Contestant{
		Name: scheduler, Family: family, About: about,
		HasTick:      Config{Scheduler: scheduler}.Wheel(),
		LinearInsert: scheduler == List,
		StandsForAll: scheduler == Hier,
		New:          func(g harness.Geometry) (schedulers.Scheduler[uint64], error) { return New[uint64](Fit(scheduler, g)) },
		Shard:        shard,
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
