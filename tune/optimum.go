package tune

import (
	"fmt"
	"math"
	"time"

	"schedbench/catalog"
	"schedbench/judge"
	"schedbench/tune/costs"
)

// Optimum is what a formula in closed form says of a load.
type Optimum struct {
	// Name says what is optimal, and Formula how it is had.
	Name, Formula string
	// Value is in Unit: "ticks" or "slots".
	Value float64
	Unit  string
	// Applies says whether the assumptions of the formula hold, and Note what they
	// are, or what follows from the value.
	Applies bool
	Note    string
}

// Optima returns the closed forms that are known for wheels, with the costs of this
// machine, for a tick. O(1).
func Optima(l *Load, c *costs.Calibration, tick time.Duration) []Optimum {
	m := NewModel(l, c)
	return []Optimum{m.crossover(tick), m.enoughSlots(tick)}
}

// crossover is the mean delay above which a hierarchical wheel is cheaper than one
// with rounds: G. Varghese and T. Lauck (SOSP 1987), schemes 6 and 7. In a tick the
// one visits n/M entries, at c6 each, and the other moves n·m/T, at c7. The one here
// visits them only if something is due, which it is at a share q of the ticks.
func (m *Model) crossover(tick time.Duration) Optimum {
	o := Optimum{Name: "mean delay from which a hierarchical wheel costs less than rounds", Formula: "T = (c7/(q*c6)) * m * M", Unit: "ticks"}
	c6 := m.visit(catalog.Config{Scheduler: catalog.Rounds}, m.load.Pending/catalog.RoundsSlots)
	c7 := m.cost(costs.TermCascade, catalog.Hier, m.load.Pending, 1)
	q, _ := m.dueShare(max(tick, 1))
	if c6.Value <= 0 || q <= 0 || tick <= 0 || m.load.MeanDelay <= 0 {
		o.Note = "it needs delays, and the cost of a visit"
		return o
	}
	ticks := m.load.MeanDelay.Seconds() / tick.Seconds()
	levels := math.Floor(math.Log(max(m.load.Horizon.Seconds()/tick.Seconds(), 1))/math.Log(catalog.HierSlots)) + 1
	at := judge.Estimate{Value: c7.Value / c6.Value, Low: c7.Low / c6.High, High: c7.High / c6.Low}.Times(levels * catalog.RoundsSlots / q)
	o.Value = at.Value
	side := "which of them costs less cannot be told"
	switch at.Is(judge.AtMost(ticks)) {
	case judge.Holds:
		side = "the hierarchical wheel costs less"
	case judge.Fails:
		side = "rounds cost less"
	}
	o.Note = fmt.Sprintf("q = %.3g, c6 = %.3g ns a visit, c7 = %.3g ns a move, m = %.0f levels of %d, M = %d slots: T = %.3g (%.3g to %.3g) and delays are %.3g ticks of %v on average, so %s",
		q, c6.Value*1e9, c7.Value*1e9, levels, catalog.HierSlots, catalog.RoundsSlots, at.Value, at.Low, at.High, ticks, tick, side)
	o.Applies = true
	return o
}

// enoughSlots is the number of slots of a wheel with rounds from which on its
// visits cost less than a tenth of what the timers cost anyway.
func (m *Model) enoughSlots(tick time.Duration) Optimum {
	o := Optimum{Name: "slots from which rounds hardly matter", Formula: "M = 10 * q * c * n / (w * L * d)", Unit: "slots"}
	c := m.visit(catalog.Config{Scheduler: catalog.Rounds}, m.load.Pending/catalog.RoundsSlots).Value
	d := m.cost(costs.TermInsert, catalog.Rounds, m.load.Pending, 1).Value + m.cost(costs.TermExpire, catalog.Rounds, m.load.Pending, 1).Value
	q, _ := m.dueShare(max(tick, 1))
	if c <= 0 || d <= 0 || q <= 0 || tick <= 0 || m.load.armings() <= 0 {
		o.Note = "it needs timers that are armed, and the costs of a visit and of a timer"
		return o
	}
	n := m.load.Pending
	o.Value, o.Applies = 10*q*c*n/(tick.Seconds()*m.load.armings()*d), true
	o.Note = fmt.Sprintf("q = %.3g, n = %.3g pending, L = %.3g armed a second, w = %v: with so many, visits take a tenth of what arming and firing take", q, n, m.load.armings(), tick)
	return o
}
