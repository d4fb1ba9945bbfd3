package rundata

import (
	"slices"
)

// ControlOf returns the control of a series' cell, or nil. Its samples are subtracted from those of the
// series before contestants are compared.
func (d *Data) ControlOf(s *Series) *Series {
	control := ExperimentOf(s.Experiment).Control
	for _, c := range d.Select(s.Experiment, "impl="+control) {
		other := slices.ContainsFunc(c.Params, func(p Param) bool {
			return p.Key != "impl" && p.Key != "waking" && s.Get(p.Key) != p.Value // a control has no driver to wake
		})
		if control != "" && !other {
			return c
		}
	}
	return nil
}
