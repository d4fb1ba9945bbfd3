package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"schedbench/internal/words"
)

// Axis places values on one axis of a panel. Logarithms are taken here and not by the plot's scale, which panics on
// what has none: values that cannot be placed are simply not drawn.
type Axis struct {
	Label    string
	Format   words.Format
	Log      bool
	At       []float64 // measured values to label, if there are few; otherwise labels are at round steps
	WithZero bool      // gives a logarithmic axis a place for zero and below, and starts a linear one at zero

	lo, hi, zero float64 // positions of the ends, and of zero
	zeroed       bool
	plain        bool // no marks without a label, and fewer labels: the panels of a page are small
}

// pos returns the position of a value, and false if it has none.
func (a *Axis) pos(v float64) (float64, bool) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, false
	case !a.Log:
		return v, true
	case v > 0:
		return math.Log10(v), true
	default:
		return a.zero, a.zeroed
	}
}

// fit sets the ends: all values that can be placed are in view.
func (a *Axis) fit(values []float64) {
	a.lo, a.hi, a.zeroed = math.Inf(1), math.Inf(-1), false
	var zero bool
	for _, v := range values {
		zero = zero || v <= 0
		if p, ok := a.pos(v); ok {
			a.lo, a.hi = min(a.lo, p), max(a.hi, p)
		}
	}
	if a.lo > a.hi { // nothing, or only zeros: they stand below one decade
		a.lo, a.hi = 0, 0
		if a.Log && zero {
			a.hi = 1
		}
	}
	if a.Log {
		a.widenLog(zero && a.WithZero)
	} else {
		a.widenLinear()
	}
}

// widenLog leaves air at both ends, a third of a decade in view at the least, and a place for zero if one is wanted.
func (a *Axis) widenLog(zero bool) {
	share := 0.05
	if a.At != nil { // marks may stand side by side there
		share = 0.08
	}
	air := max((a.hi-a.lo)*share, (0.34-(a.hi-a.lo))/2)
	if a.At != nil && a.hi == a.lo {
		air = 0.5
	}
	a.lo, a.hi = a.lo-air, a.hi+air
	if zero {
		a.zero, a.zeroed = a.lo-(a.hi-a.lo)*0.06, true
		a.lo = a.zero - (a.hi-a.lo)*0.04
	}
}

func (a *Axis) widenLinear() {
	if a.WithZero {
		a.lo, a.hi = min(a.lo, 0), max(a.hi, 0)
	}
	if a.lo == a.hi {
		a.hi += max(math.Abs(a.hi), 1)
	}
	a.hi += (a.hi - a.lo) * 0.06
}

// span makes two axes cover the same range: then panels can be compared.
func (a *Axis) span(b *Axis) {
	if b.zeroed && !a.zeroed || b.zeroed && b.zero < a.zero {
		a.zero, a.zeroed = b.zero, true
	}
	a.lo, a.hi = min(a.lo, b.lo), max(a.hi, b.hi)
	b.lo, b.hi, b.zero, b.zeroed = a.lo, a.hi, a.zero, a.zeroed
}

// Ticks implements plot.Ticker: the marks in view that do not meet the mark of zero.
func (a *Axis) Ticks(float64, float64) []plot.Tick {
	var ticks []plot.Tick
	switch {
	case a.At != nil:
		ticks = a.measured()
	case !a.Log:
		ticks = a.linear(a.lo, a.hi)
	case a.hi-a.lo < 0.7:
		ticks = a.linear(math.Pow(10, a.lo), math.Pow(10, a.hi))
	default:
		ticks = a.decades()
	}
	if a.zeroed {
		ticks = append([]plot.Tick{{Value: a.zero, Label: a.Format(0)}}, ticks...)
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool {
		crowded := a.zeroed && t.Value != a.zero && t.Value < a.zero+(a.hi-a.lo)*0.05
		return crowded || !(t.Value >= a.lo && t.Value <= a.hi) || a.plain && t.Label == ""
	})
}

// measured labels the values that were measured, unless one would touch the last.
func (a *Axis) measured() []plot.Tick {
	var ticks []plot.Tick
	last, apart := math.Inf(-1), (a.hi-a.lo)*0.07
	if a.plain {
		apart *= 2
	}
	for _, v := range a.At {
		p, ok := a.pos(v)
		if !ok {
			continue
		}
		label := ""
		if p-last > apart {
			label, last = a.Format(v), p
		}
		ticks = append(ticks, plot.Tick{Value: p, Label: label})
	}
	return ticks
}

// linear labels round steps of 1, 2 or 5 between two values, about five.
func (a *Axis) linear(from, to float64) []plot.Tick {
	decade := math.Pow(10, math.Floor(math.Log10((to-from)/5)))
	step := decade
	for _, f := range []float64{2, 5, 10} {
		if (to-from)/step > 6 {
			step = f * decade
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		if p, ok := a.pos(i * step); ok {
			ticks = append(ticks, plot.Tick{Value: p, Label: a.Format(i * step)})
		}
	}
	return ticks
}

// decades labels powers of ten, and 2 and 5 times them where they fit.
func (a *Axis) decades() []plot.Tick {
	every := int(math.Ceil((a.hi - a.lo) / 9))
	fine := a.hi-a.lo < 2.2
	var ticks []plot.Tick
	for e := int(math.Floor(a.lo)); e <= int(math.Ceil(a.hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, float64(e))
			tick := plot.Tick{Value: math.Log10(v)}
			if m == 1 && e%every == 0 || fine && (m == 2 || m == 5) {
				tick.Label = a.Format(v)
			}
			if tick.Label != "" || every == 1 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}
