package report

import "strings"

// geometryKey begins the keys of the environment that say with what ticks, slots and horizon
// a contestant was measured.
const geometryKey = "geometry-"

// geometry returns the geometries of the contestants of a card, as far as the data say them.
func (v *view) geometry() (all []CardGeometry) {
	for _, name := range v.names {
		if text := v.data.Env[geometryKey+name]; text != "" && !preset(name) {
			all = append(all, CardGeometry{name, text})
		}
	}
	return all
}

// geometryOf returns the geometry of a contestant in brackets, "" if the data do not say it.
func (c *Card) geometryOf(name string) string {
	for _, g := range c.Geometry {
		if g.Name == name {
			return " (" + g.Text + ")"
		}
	}
	return ""
}

// Measured says with what geometry each contestant was measured.
func (c Card) Measured() string {
	var said []string
	for _, g := range c.Geometry {
		said = append(said, g.Name+" "+g.Text)
	}
	return strings.Join(said, "; ")
}
