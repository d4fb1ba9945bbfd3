package experiments

import (
	"time"

	"schedbench/driver"
	"schedbench/harness"
	"schedbench/harness/rundata"
)

// slacks are the slacks whose lateness and CPU time are weighed.
var slacks = []time.Duration{0, 100 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}

// slackCells returns the cell of one contestant with each slack and way of sleeping.
func slackCells(p *harness.Plan) []harness.Cell {
	var variants []variant
	for _, r := range variantsOf(representative(p), waitings) {
		for _, slack := range slacks {
			lazy := r
			lazy.slack, lazy.opts = slack, append([]driver.Option{driver.WithSlack(slack)}, r.opts...)
			variants = append(variants, lazy)
		}
	}
	if len(variants) == 0 {
		return nil
	}
	turn := p.Slice + maxDelay + aroundPlay
	return []harness.Cell{variantsCell(rundata.Slack, "slack", variants, turn, func(s *harness.Session, r variant) *harness.Turns {
		series := rundata.NewLateSeries(rundata.Slack, "impl", r.Name, "waiting", r.name, "slack", r.slack, "rate", p.Rate)
		return jitterTurns(s, r, series, "waiting", leastPrecise)
	}).WithoutGC()}
}
