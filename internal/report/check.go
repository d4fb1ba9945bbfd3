package report

import (
	"slices"

	"schedbench/harness/rundata"
)

// earlyByDesign returns the contestants that fired timers early by design.
func (v *view) earlyByDesign() (names []string) {
	for _, name := range v.names {
		if slices.ContainsFunc(v.data.Select("", "impl="+name), func(s *rundata.Series) bool { return total(s, rundata.EarlyByDesign) > 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// checked returns the series in which every timer was watched.
func (v *view) checked() []*rundata.Series {
	var found []*rundata.Series
	for _, s := range v.data.Series {
		if len(samples(s, rundata.Fired)) > 0 {
			found = append(found, s)
		}
	}
	return found
}
