// Package libraries has timer libraries in Go as contestants: each with the least that it
// takes to ask of it what a driver is asked, and a word on what of that it lacks. Package
// rules tells which rules they keep.
package libraries

import (
	"fmt"
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/live"
	"schedbench/schedulers"
)

// Library is timers of somebody else's, with what is to be known of them.
type Library struct {
	// Name, Family and About are as in a harness.Contestant.
	Name, Family, About string
	// Tick is that of its wheel, 0 if it is to be exact.
	Tick time.Duration
	// AddOnly says that its timers cannot be stopped.
	AddOnly bool
	// Moves says that they can be given another delay.
	Moves bool
	// Early says that its timers may fire before they are due, by less than Tick.
	Early bool
	// Lacks is what its adapter has to add or leave out, in a few words.
	Lacks string
	// Open makes timers with delays up to the horizon of a geometry.
	Open func(harness.Geometry) (live.Timers, error)
}

// The ticks with which wheels are measured that have one for the caller to choose.
const short, long = 10 * time.Millisecond, 100 * time.Millisecond

// All returns the libraries that run their timers themselves.
func All() []Library {
	var all []Library
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{
			Name: fmt.Sprintf("go-zero-%v", tick), Family: "wheel with rounds, ticking", Tick: tick, Moves: true, Early: true,
			About: fmt.Sprintf("go-zero's TimingWheel: %v x %d, one goroutine behind channels, timers by key", tick, goZeroSlots),
			Lacks: "no answer to RemoveTimer; no delay of 0 or less",
			Open:  func(harness.Geometry) (live.Timers, error) { return openGoZero(tick) },
		})
	}
	for _, tick := range []time.Duration{short, long} {
		all = append(all, Library{
			Name: fmt.Sprintf("siddontang-%v", tick), Family: "single timing wheel, ticking", Tick: tick, AddOnly: true, Early: true,
			About: fmt.Sprintf("siddontang's timingwheel: slots of %v up to the horizon, a channel each", tick),
			Lacks: "no functions, so that each timer has a goroutine; no stop; panics beyond its wheel",
			Open:  func(g harness.Geometry) (live.Timers, error) { return openSiddontang(tick, g.Horizon) },
		})
	}
	return append(all, Library{
		Name: "client-go", Family: "binary heap", AddOnly: true,
		About: "client-go's delaying queue: container/heap behind a channel, items by key, one worker",
		Lacks: "no functions, so that the worker runs the items; no stop; no error once it is shut down",
		Open:  func(harness.Geometry) (live.Timers, error) { return openClientGo(), nil },
	})
}

// Contestants returns the libraries as contestants: those of All, and NATS's wheel, which is
// a scheduler.
func Contestants() []harness.Contestant {
	var all []harness.Contestant
	for _, l := range All() {
		all = append(all, harness.Contestant{
			Name: l.Name, Family: l.Family, About: l.About + "; lacks: " + l.Lacks, AddOnly: l.AddOnly, EarlyByDesign: l.Early, Open: l.Open,
		})
	}
	return append(all, harness.Contestant{
		Name: HashWheelName, Family: "hashed wheel of maps",
		About: "NATS's thw.HashWheel: 4096 slots of 1s, a map each; exact, looks at all slots when one is due",
		New:   func(harness.Geometry) (schedulers.Scheduler[uint64], error) { return NewHashWheel[uint64](), nil },
		Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return driver.Start(NewHashWheel[driver.Task](), opts...)
		},
	})
}
