package choice

import (
	"fmt"

	"schedbench/internal/words"
	"schedbench/report/chart"
	"schedbench/tune"
)

// occupancyFigure shows how the timers of a workload are spread over the slots of a
// wheel: along the wheel, and how many slots hold how many.
func occupancyFigure(e *tune.Explanation, workload string) *chart.Figure {
	o := e.Occupancy
	f := &chart.Figure{
		Name: "occupancy", Named: true, Width: chart.Inches(10.6), Height: chart.Inches(4.8),
		Title: fmt.Sprintf("How evenly do the timers of %s fill the slots of %s?", workload, e.System.Name),
		Subtitle: fmt.Sprintf("%v. %s timers in %s slots, the most in one %s; %s of the slots are empty",
			e.System.Config, words.Count(float64(o.Timers)), words.Count(float64(o.Slots)), words.Count(float64(o.Max)), words.Share(o.EmptyShare)),
		Rows: [][]*chart.Panel{{alongPanel(o), heldPanel(o)}},
	}
	return f
}

// alongPanel has the timers along the wheel, in groups of slots if these are many.
func alongPanel(o *tune.Occupancy) *chart.Panel {
	group := max(1, o.Slots/max(1, len(o.Along)))
	p := &chart.Panel{
		Title: "along the wheel",
		X:     chart.Axis{Label: "slot", Format: words.Count},
		Y:     chart.Axis{Label: "timers in a slot", Format: words.Count, WithZero: true},
	}
	if group > 1 {
		p.Y.Label = fmt.Sprintf("timers in a slot, average of %d", group)
	}
	end := float64(len(o.Along) * group)
	p.Lines = []chart.Line{
		bars(0, float64(group), o.Along),
		{Name: "mean", Style: chart.Style{Colour: chart.LimitColour, Dashes: chart.Dash(4, 2)},
			Points: []chart.Point{chart.At(0, o.Mean), chart.At(end, o.Mean)}, Marked: []chart.Point{}},
	}
	return p
}

// heldPanel has how many slots hold so many timers.
func heldPanel(o *tune.Occupancy) *chart.Panel {
	p := &chart.Panel{
		Title: "slots by what they hold",
		X:     chart.Axis{Label: "timers in a slot", Format: words.Count},
		Y:     chart.Axis{Label: "share of the slots", Format: words.Share, WithZero: true},
	}
	shares, width := o.Shares, 1
	if o.Max >= len(shares) && len(o.Along) == o.Slots {
		shares, width = binned(o)
		p.X.Label = fmt.Sprintf("timers in a slot, in steps of %d", width)
	} else if o.Max >= len(shares) {
		p.X.Label = fmt.Sprintf("timers in a slot; %d is that many or more", len(shares)-1)
	}
	for len(shares) > 1 && shares[len(shares)-1] == 0 {
		shares = shares[:len(shares)-1]
	}
	p.Lines = []chart.Line{bars(-0.5, float64(width), shares)}
	return p
}

// mostBins is into how many steps what slots hold is divided.
const mostBins = 40

// binned returns the shares of the slots that hold so many timers, in steps of some
// width: of a wheel of which each slot is known.
func binned(o *tune.Occupancy) (shares []float64, width int) {
	width = o.Max/mostBins + 1
	shares = make([]float64, o.Max/width+1)
	for _, n := range o.Along {
		shares[min(int(n)/width, len(shares)-1)] += 1 / float64(o.Slots)
	}
	return shares, width
}

// bars returns bars beside each other, each of some width, from a position on.
func bars(from, width float64, heights []float64) chart.Line {
	l := chart.Line{Style: chart.Style{Colour: chart.Faded(chart.RGB(0x0072B2), 0.3)}, Marked: []chart.Point{}, Captions: []string{}, Filled: true}
	for i, h := range heights {
		left := from + float64(i)*width
		l.Points = append(l.Points, chart.At(left, h), chart.At(left+width, h))
	}
	return l
}
