package jvm

import (
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
)

// Presets returns the presets of all originals: those of the catalog, and the same with another tick, or fewer threads.
func Presets() ([]harness.Contestant, error) {
	of := func(name, about, preset string, change func(*catalog.Config)) (harness.Contestant, error) {
		s, err := catalog.FindSystem(preset)
		change(&s.Config)
		return harness.Contestant{Name: name, About: about, Preset: true, Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return s.Start(opts...)
		}}, err
	}
	netty, err := of(Netty10, "the preset netty with a tick of 10ms", "netty", func(c *catalog.Config) { c.Tick = 10 * time.Millisecond })
	if err != nil {
		return nil, err
	}
	executor, err := of(Executor1, "the preset jdk-executor with one thread", "jdk-executor", func(c *catalog.Config) {
		c.Running = driver.Pool{Workers: 1, Full: driver.WaitForRoom}
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, o := range originals() {
		if o.Preset != Netty10 && o.Preset != Executor1 {
			names = append(names, o.Preset)
		}
	}
	known, err := catalog.Find(names)
	return append(known, netty, executor), err
}
