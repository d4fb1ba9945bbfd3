package chart

import (
	"fmt"
	"os"
)

// SaveAll writes figures into a directory, which it makes if need be.
func SaveAll(figures []*Figure, dir string, svg bool) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, f := range figures {
		written, err := f.Save(dir, svg)
		names = append(names, written...)
		if err != nil {
			return names, fmt.Errorf("chart %s: %w", f.Name, err)
		}
	}
	return names, nil
}

// SaveIfAny is save for a figure that may have nothing to show.
func SaveIfAny(f *Figure, dir string, svg bool) ([]string, error) {
	if !f.Prepare() {
		return nil, nil
	}
	return SaveAll([]*Figure{f}, dir, svg)
}
