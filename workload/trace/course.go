package trace

import "time"

// Course is how a trace goes on over time, in steps of equal length: at most
// 1024, whatever the length of the trace, because steps are joined in pairs when
// there are more.
type Course struct {
	Step  time.Duration
	Steps []Step
}

// Step is what happened in one step of time.
type Step struct {
	Schedules, Resets, Cancels, Fires uint64
	// Pending is the number of timers pending at the end, and Peak the largest
	// number in between.
	Pending, Peak uint64
}

const (
	mostSteps = 1024
	firstStep = time.Microsecond
)

// add counts an event, after which some timers are pending.
func (c *Course) add(e *Event, pending uint64) {
	if c.Step == 0 {
		c.Step = firstStep
	}
	for e.At/c.Step >= mostSteps {
		c.halve()
	}
	for i := int(e.At / c.Step); i >= len(c.Steps); {
		c.Steps = append(c.Steps, c.quiet())
	}
	s := &c.Steps[len(c.Steps)-1]
	s.Pending, s.Peak = pending, max(s.Peak, pending)
	switch e.Kind {
	case Schedule:
		s.Schedules++
	case Reset:
		s.Resets++
	case Cancel:
		s.Cancels++
	case Fire:
		s.Fires++
	}
}

// quiet returns a step in which nothing happens after those there are.
func (c *Course) quiet() Step {
	if len(c.Steps) == 0 {
		return Step{}
	}
	n := c.Steps[len(c.Steps)-1].Pending
	return Step{Pending: n, Peak: n}
}

// halve joins steps in pairs.
func (c *Course) halve() {
	c.Step *= 2
	if len(c.Steps)%2 == 1 {
		c.Steps = append(c.Steps, c.quiet())
	}
	for i := range len(c.Steps) / 2 {
		a, b := &c.Steps[2*i], &c.Steps[2*i+1]
		c.Steps[i] = Step{
			a.Schedules + b.Schedules, a.Resets + b.Resets, a.Cancels + b.Cancels, a.Fires + b.Fires,
			b.Pending, max(a.Peak, b.Peak),
		}
	}
	c.Steps = c.Steps[:len(c.Steps)/2]
}
