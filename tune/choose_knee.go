package tune

import (
	"math"
	"slices"
)

// knee returns the configuration at the bend of the front: among those that no
// other beats in both CPU time and lateness, the one that is farthest from the line
// between the two ends, on logarithmic scales (after V. Satopaa and others, "Finding
// a 'Kneedle' in a Haystack", ICDCSW 2011). It is nil if the front has no bend.
// O(n log n).
func knee(all []Prediction) *Prediction {
	f := front(all)
	if len(f) < 3 {
		return nil
	}
	at := func(p *Prediction) (x, y float64) { return math.Log(p.CPU.Value), math.Log(p.Lateness.Value) }
	x0, y0 := at(&f[0])
	x1, y1 := at(&f[len(f)-1])
	best, least := -1, 0.0
	for i := range f {
		x, y := at(&f[i])
		if below := (y-y0)/(y1-y0) + (x1-x)/(x1-x0) - 1; below > least { // how far below the line, toward the corner
			best, least = i, below
		}
	}
	if best < 0 {
		return nil
	}
	return &f[best]
}

// front returns those that no other beats in both CPU time and lateness, by CPU
// time.
func front(all []Prediction) (f []Prediction) {
	sorted := filter(all, func(p *Prediction) bool {
		return p.Impossible == "" && p.CPU.Value > 0 && p.Lateness.Value > 0
	})
	slices.SortStableFunc(sorted, leaner)
	for _, p := range sorted {
		if len(f) == 0 || p.Lateness.Value < f[len(f)-1].Lateness.Value {
			f = append(f, p)
		}
	}
	return f
}
