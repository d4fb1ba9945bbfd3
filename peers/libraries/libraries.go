// Package libraries has timer libraries in Go as contestants, and what each lacks. Package rules shows which rules they keep.
package libraries

import (
	"fmt"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/internal/lists"
	"schedbench/live"
	"schedbench/schedulers"
)

// Library is a timer library as a contestant.
type Library struct {
	harness.Contestant               // has in About what the adapter adds or leaves out
	Tick               time.Duration // of its wheel, 0 if it has none: timers are early by less than a tick
	Moves              bool          // a timer can get another delay
}

// The ticks of wheels whose tick the caller chooses.
const short, long = 10 * time.Millisecond, 100 * time.Millisecond

// All returns the libraries that run their timers themselves.
func All() (all []Library) {
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{Tick: tick, Moves: true, Contestant: harness.Contestant{
			Name: fmt.Sprintf("go-zero-%v", tick), Family: "wheel with rounds, ticking", EarlyByDesign: true,
			About: fmt.Sprintf("go-zero's TimingWheel: %v x %d, one goroutine behind channels, timers by key; "+
				"lacks an answer to RemoveTimer, and delays of 0 or less", tick, goZeroSlots),
			Open: func(harness.Geometry) (live.Timers, error) { return openGoZero(tick) },
		}})
	}
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{Tick: tick, Contestant: harness.Contestant{
			Name: fmt.Sprintf("siddontang-%v", tick), Family: "single timing wheel, ticking", AddOnly: true, EarlyByDesign: true,
			About: fmt.Sprintf("siddontang's timingwheel: slots of %v up to the horizon, a channel each; "+
				"lacks functions (each timer has a goroutine) and Stop; panics beyond its wheel", tick),
			Open: func(g harness.Geometry) (live.Timers, error) { return openSiddontang(tick, g.Horizon), nil },
		}})
	}
	return append(all, Library{Contestant: harness.Contestant{
		Name: "client-go", Family: "binary heap", AddOnly: true,
		About: "client-go's delaying queue: container/heap behind a channel, items by key, one worker; " +
			"lacks functions (the worker runs the items), Stop, and an error once it is shut down",
		Open: func(harness.Geometry) (live.Timers, error) { return openClientGo(), nil },
	}})
}

// Contestants returns those of All, and NATS's wheel, which is a scheduler.
func Contestants() []harness.Contestant {
	all := lists.Each(All(), func(l Library) harness.Contestant { return l.Contestant })
	return append(all, harness.Contestant{
		Name: HashWheelName, Family: "hashed wheel of maps",
		About: "NATS's thw.HashWheel: 4096 slots of 1s, a map each; exact, looks at all slots when one is due",
		New:   func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return NewHashWheel[uint64](), nil },
		Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return driver.Start(NewHashWheel[driver.Task](), opts...)
		},
	})
}
