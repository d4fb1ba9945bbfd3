// Package libraries has timer libraries in Go as contestants: each with the least that it takes to ask of it what a
// driver is asked, and a word on what of that it lacks. Package rules tells which rules they keep.
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

// Library is timers of somebody else's, as a contestant, with what else is to be known of them.
type Library struct {
	// Contestant says what its adapter has to add or leave out, in a few words of About.
	harness.Contestant
	// Tick is that of its wheel, 0 if it is to be exact. Timers that fire early do so by less.
	Tick time.Duration
	// Moves says that its timers can be given another delay.
	Moves bool
}

// The ticks with which wheels are measured that have one for the caller to choose.
const short, long = 10 * time.Millisecond, 100 * time.Millisecond

// All returns the libraries that run their timers themselves.
func All() (all []Library) {
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{Tick: tick, Moves: true, Contestant: harness.Contestant{
			Name: fmt.Sprintf("go-zero-%v", tick), Family: "wheel with rounds, ticking", EarlyByDesign: true,
			About: fmt.Sprintf("go-zero's TimingWheel: %v x %d, one goroutine behind channels, timers by key; "+
				"lacks: no answer to RemoveTimer; no delay of 0 or less", tick, goZeroSlots),
			Open: func(harness.Geometry) (live.Timers, error) { return openGoZero(tick) },
		}})
	}
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{Tick: tick, Contestant: harness.Contestant{
			Name: fmt.Sprintf("siddontang-%v", tick), Family: "single timing wheel, ticking", AddOnly: true, EarlyByDesign: true,
			About: fmt.Sprintf("siddontang's timingwheel: slots of %v up to the horizon, a channel each; "+
				"lacks: no functions, so that each timer has a goroutine; no stop; panics beyond its wheel", tick),
			Open: func(g harness.Geometry) (live.Timers, error) { return openSiddontang(tick, g.Horizon), nil },
		}})
	}
	return append(all, Library{Contestant: harness.Contestant{
		Name: "client-go", Family: "binary heap", AddOnly: true,
		About: "client-go's delaying queue: container/heap behind a channel, items by key, one worker; " +
			"lacks: no functions, so that the worker runs the items; no stop; no error once it is shut down",
		Open: func(harness.Geometry) (live.Timers, error) { return openClientGo(), nil },
	}})
}

// Contestants returns the libraries as contestants: those of All, and NATS's wheel, which is a scheduler.
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
