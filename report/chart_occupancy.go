package report

import (
	"fmt"

	"schedbench/tune"
)

// occupancyFigure shows how the timers of a workload are spread over the slots of a
// wheel: along the wheel, and how many slots hold how many.
func occupancyFigure(e *tune.Explanation, workload string) *figure {
	o := e.Occupancy
	f := &figure{
		name: "occupancy", named: true, width: inches(10.6), height: inches(4.8),
		title: fmt.Sprintf("How evenly do the timers of %s fill the slots of %s?", workload, e.System.Name),
		subtitle: fmt.Sprintf("%v. %s timers in %s slots, the most in one %s; %s of the slots are empty",
			e.System.Config, count(float64(o.Timers)), count(float64(o.Slots)), count(float64(o.Max)), trimmed(percent(o.EmptyShare))),
		rows: [][]*panel{{alongPanel(o), heldPanel(o)}},
	}
	return f
}

// occupied is the look of bars.
var occupied = look{faded(rgb(0x0072B2), 0.3), nil, nil}

// alongPanel has the timers along the wheel, in groups of slots if these are many.
func alongPanel(o *tune.Occupancy) *panel {
	group := max(1, o.Slots/max(1, len(o.Along)))
	p := &panel{
		title: "along the wheel",
		x:     axis{label: "slot", format: tidy(count)},
		y:     axis{label: "timers in a slot", format: tidy(count), withZero: true},
	}
	if group > 1 {
		p.y.label = fmt.Sprintf("timers in a slot, average of %d", group)
	}
	bars := stairs{}
	for i, n := range o.Along {
		bars = bars.step(float64(i*group), float64((i+1)*group), n)
	}
	mean := []point{bars[0], bars[len(bars)-1]}
	mean[0].y, mean[1].y = o.Mean, o.Mean
	p.lines = []line{
		{look: occupied, pts: bars, marked: []point{}, captions: []string{}, filled: true},
		{name: "mean", look: look{limit, nil, dash(4, 2)}, pts: mean, marked: []point{}},
	}
	return p
}

// heldPanel has how many slots hold so many timers.
func heldPanel(o *tune.Occupancy) *panel {
	p := &panel{
		title: "slots by what they hold",
		x:     axis{label: "timers in a slot", format: tidy(count)},
		y:     axis{label: "share of the slots", format: tidy(percent), withZero: true},
	}
	shares, width := o.Shares, 1
	if o.Max >= len(shares) && len(o.Along) == o.Slots {
		shares, width = binned(o)
		p.x.label = fmt.Sprintf("timers in a slot, in steps of %d", width)
	} else if o.Max >= len(shares) {
		p.x.label = fmt.Sprintf("timers in a slot; %d is that many or more", len(shares)-1)
	}
	for len(shares) > 1 && shares[len(shares)-1] == 0 {
		shares = shares[:len(shares)-1]
	}
	bars := stairs{}
	for i, share := range shares {
		from := float64(i*width) - 0.5
		bars = bars.step(from, from+float64(width), share)
	}
	p.lines = []line{{look: occupied, pts: bars, marked: []point{}, captions: []string{}, filled: true}}
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

// stairs is the outline of bars beside each other.
type stairs []point

// step adds a bar.
func (s stairs) step(from, to, height float64) stairs {
	return append(s, point{from, height, nan, nan}, point{to, height, nan, nan})
}
