package harness

import (
	"time"

	"schedbench/driver"
)

// Slack asks what it saves to let timers be late, so that one wake-up serves several.
const Slack = "Slack"

// slacks are the slacks whose lateness and CPU time are weighed.
var slacks = []time.Duration{0, 100 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}

// slackCells returns the cell of one contestant with each slack and way of sleeping.
func (p *Plan) slackCells() []Cell {
	var runners []runner
	for _, r := range runnersOf(p.standIn(), waitings) {
		for _, slack := range slacks {
			lazy := r
			lazy.slack, lazy.opts = slack, append([]driver.Option{driver.WithSlack(slack)}, r.opts...)
			runners = append(runners, lazy)
		}
	}
	if len(runners) == 0 {
		return nil
	}
	turn := p.Slice + maxDelay + aroundPlay
	return []Cell{runnersCell(Slack, "slack", runners, turn, func(s *session, r runner) *competitor {
		series := newLateSeries(Slack, "impl", r.Name, "waiting", r.name, "slack", r.slack, "rate", p.Rate)
		return s.jitterCompetitor(r, series, "waiting", leastPrecise)
	}).withoutGC()}
}
