package jvm

import (
	"errors"
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
)

// Presets returns the presets of all originals: those of the catalog, and the same with another tick, or fewer threads.
func Presets() ([]harness.Contestant, error) {
	of := func(name, about string, s catalog.System) harness.Contestant {
		return harness.Contestant{Name: name, About: about, Preset: true, Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return s.Start(opts...)
		}}
	}
	netty, err := catalog.FindSystem("netty")
	netty.Config.Tick = 10 * time.Millisecond
	executor, err2 := catalog.FindSystem("jdk-executor")
	executor.Config.Running = driver.Pool{Workers: 1, Full: driver.WaitForRoom}
	return append(catalog.Presets(), of(netty10, "the preset netty with a tick of 10ms", netty),
		of(executor1, "the preset jdk-executor with one thread", executor)), errors.Join(err, err2)
}
