package report

import (
	"strings"

	"schedbench/harness/rundata"
)

// geometry returns the geometries of the contestants of a card, as far as the data say them.
func (v *view) geometry() (all []CardGeometry) {
	for _, name := range append([]string{rundata.Wheels}, v.names...) {
		if text := v.data.Env[rundata.GeometryKey+name]; text != "" && !preset(name) {
			all = append(all, CardGeometry{name, text})
		}
	}
	return all
}

// Measured says with what geometry each contestant was measured.
func (c Card) Measured() string {
	var said []string
	for _, g := range c.Geometry {
		said = append(said, g.Name+": "+g.Text)
	}
	return strings.Join(said, "; ")
}
