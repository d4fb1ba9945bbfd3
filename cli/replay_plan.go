package cli

import (
	"slices"

	"schedbench/harness"
	"schedbench/workload"
)

// The workloads of a run unless they are named. Those of mainLive have timers
// that come due within a turn on the real clock.
var (
	mainProfiles  = []string{"kafka-purgatory", "rpc-timeout", "idle-keepalive", "heartbeat", "cache-ttl@0.05"}
	mainLive      = []string{"kafka-purgatory", "heartbeat"}
	quickProfiles = []string{"rpc-timeout@0.1", "heartbeat"}
	quickLive     = []string{"heartbeat"}
)

// workloads gives a plan its workloads, if it has an experiment for them.
func (f *planFlags) workloads(p *harness.Plan) (err error) {
	if !slices.Contains(p.Experiments, harness.Profiles) && !slices.Contains(p.Experiments, harness.Live) {
		return nil
	}
	names, live := f.profiles()
	p.Profiles, err = (&sourceFlags{Scale: 1, least: p.ReplayOps()}).sources(names, f.Seed, func(string) {})
	for i, source := range p.Profiles {
		if live == nil || slices.Contains(live, names[i]) {
			p.LiveProfiles = append(p.LiveProfiles, source)
		}
	}
	return err
}

// profiles returns the names of the workloads of a run, and of those that run on
// the real clock; nil stands for all of them.
func (f *planFlags) profiles() (names, live []string) {
	switch {
	case len(f.Profiles) > 0:
		return f.Profiles, nil
	case f.Quick:
		return quickProfiles, quickLive
	case f.Full:
		for _, p := range workload.Builtin() {
			names = append(names, p.Name)
		}
		return names, nil
	}
	return mainProfiles, mainLive
}
