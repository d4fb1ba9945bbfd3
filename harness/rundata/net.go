package rundata

import (
	"slices"
)

// ControlOf returns the control of the same cell whose samples are taken off those of a
// series before contestants are compared, or nil if there is none.
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
