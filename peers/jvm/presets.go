package jvm

import (
	"time"

	"schedbench/catalog"
	"schedbench/driver"
	"schedbench/harness"
)

// Presets returns the presets of all originals: those of the catalog, and the same with another tick, or fewer threads.
func Presets() ([]harness.Contestant, error) {
	of := func(name, about string, start func(...driver.Option) (*driver.Driver, error)) harness.Contestant {
		return harness.Contestant{Name: name, About: about, Preset: true, Start: func(_ harness.Geometry, opts ...driver.Option) (*driver.Driver, error) {
			return start(opts...)
		}}
	}
	own := []harness.Contestant{
		of(Netty10, "the preset netty with a tick of 10ms", catalog.Netty{Tick: 10 * time.Millisecond}.Start),
		of(Executor1, "the preset jdk-executor with one thread", catalog.JDKExecutor{Threads: 1}.Start),
	}
	var names []string
	for _, o := range originals() {
		if o.Preset != Netty10 && o.Preset != Executor1 {
			names = append(names, o.Preset)
		}
	}
	known, err := catalog.Find(names)
	return append(known, own...), err
}
