package harness

import (
	"strconv"
	"time"

	"schedbench/driver"
)

// Slack asks what it saves to let timers be late, so that one wake-up serves several.
const Slack = "Slack"

func slackExperiment() Experiment {
	return Experiment{Name: Slack, OnlyFull: true, Lateness: true, Unit: CPUPerSecond, cells: (*Plan).slackCells}
}

// slacks are the slacks whose lateness and CPU time are weighed.
var slacks = []time.Duration{0, 100 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 5 * time.Millisecond}

// slackCells returns the cell of one contestant with each slack and way of sleeping.
func (p *Plan) slackCells() []Cell {
	c, ok := p.standIn()
	if !ok {
		return nil
	}
	var runners []runner
	for _, w := range waitings() {
		for _, slack := range slacks {
			runners = append(runners, runner{
				Contestant: c, waking: Tickless, waiting: w.name, slack: slack,
				opts: append([]driver.Option{driver.WithSlack(slack)}, w.opts...)})
		}
	}
	turn := p.Slice + maxDelay + aroundPlay
	return []Cell{p.runnersCell(Slack, "slack", runners, turn, func(s *session, r runner) *competitor {
		series := newLateSeries(Slack, Param{"impl", r.Name}, Param{"waiting", r.waiting},
			Param{"slack", r.slack.String()}, Param{"rate", strconv.Itoa(p.Rate)})
		return s.jitterCompetitor(r, series, "waiting", leastPrecise)
	}).withoutGC()}
}
