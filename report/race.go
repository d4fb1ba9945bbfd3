package report

import (
	"slices"
	"strings"

	"schedbench/harness"
	"schedbench/judge"
)

// race is who is in front in one workload.
type race struct {
	profile string
	// entrants are those with figures that compete, the fastest first.
	entrants []entrant
	// front are those that cannot be told from the fastest, the fastest first.
	front []string
	// ratio is of the second to the first.
	ratio judge.Ratio
}

// clear reports whether one leads.
func (s race) clear() bool { return len(s.front) == 1 && len(s.entrants) > 1 }

// profiles returns the workloads of an experiment in the order of the data; with
// "" those of all experiments.
func (v *view) profiles(experiment string) []string {
	return harness.Distinct(v.data.Select(experiment), "profile")
}

// raceOf compares the contestants in one workload by one unit. comparisons is
// for how many pairs the intervals must hold together, and noise what one
// contestant may differ from itself.
func (v *view) raceOf(experiment, unit, profile string, comparisons int, noise float64) race {
	st := race{profile: profile}
	for _, name := range v.names {
		s := v.one(experiment, "profile="+profile, "impl="+name)
		if baseline(name) || s == nil || s.Note != "" {
			continue
		}
		if m := summary(s, unit); m.N > 0 {
			st.entrants = append(st.entrants, entrant{name, samples(s, unit), m.Median})
		}
	}
	slices.SortStableFunc(st.entrants, fastest)
	for i, e := range st.entrants {
		r := judge.Paired(e.values, st.entrants[0].values, comparisons)
		if i == 1 {
			st.ratio = r
		}
		if i == 0 || !(r.Separated && r.Low > 1 && r.Median > noise) {
			st.front = append(st.front, e.name)
		}
	}
	return st
}

// replayed returns the races of the workloads that were replayed. All pairs
// that contain a leader are compared together.
func (v *view) replayed() (list []race) {
	profiles := v.profiles(harness.Profiles)
	for _, p := range profiles {
		pairs := 0
		for _, name := range v.names {
			if s := v.one(harness.Profiles, "profile="+p, "impl="+name); s != nil && !baseline(name) && s.Note == "" {
				pairs++
			}
		}
		list = append(list, v.raceOf(harness.Profiles, harness.NsPerOp, p, len(profiles)*max(pairs-1, 1), v.replayNoise(p)))
	}
	return list
}

// replayNoise is the ratio of a contestant to itself in a replay.
func (v *view) replayNoise(profile string) float64 {
	var pairs []same
	for _, s := range v.data.Select(harness.Profiles, "profile="+profile) {
		name := s.Get("impl")
		first := v.one(harness.Profiles, "profile="+profile, "impl="+strings.TrimSuffix(name, harness.AgainSuffix))
		if !again(name) || first == nil {
			continue
		}
		if r := judge.Paired(samples(s, harness.NsPerOp), samples(first, harness.NsPerOp), 1); r.N > 0 {
			pairs = append(pairs, same{name, r})
		}
	}
	return worst(pairs)
}

// onTheClock returns the races of the workloads that were run on the real
// clock, by the 99th percentile of lateness. There are too few rounds to correct
// for the number of comparisons.
func (v *view) onTheClock() (list []race) {
	for _, p := range v.profiles(harness.Live) {
		list = append(list, v.raceOf(harness.Live, harness.P99Late, p, 1, 1))
	}
	return list
}
