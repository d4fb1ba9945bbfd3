package experiments_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/experiments"
	"schedbench/harness/rundata"
	"schedbench/internal/must"
)

// TestEveryContestantHandsOutWhatIsDue has timers come due and replaces them: the cell fails if one
// is lost, or comes out twice.
func TestEveryContestantHandsOutWhatIsDue(t *testing.T) {
	p := tiny(t)
	p.Experiments, p.Ops = []string{rundata.Cost}, []string{rundata.OpExpire}
	p.Pending = []int{1, 2, 17, 1000, 5000}
	p.ListCell = time.Hour // so that lists take part
	d, _ := measure(t, p, t.TempDir())
	for _, c := range catalog.All() {
		if c.New != nil {
			require.Len(t, d.Select(rundata.Cost, "op="+rundata.OpExpire, "impl="+c.Name), len(p.Pending), c.Name)
		}
	}
}

func TestEveryContestantAnswersRightInEveryCostCell(t *testing.T) {
	p := tiny(t)
	p.Experiments, p.Delays, p.Full, p.Blocks = []string{rundata.Cost, rundata.Memory}, experiments.Delays(), true, 1
	d, _ := measure(t, p, t.TempDir())
	for _, c := range catalog.All() {
		require.NotEmpty(t, d.Select(rundata.Cost, "impl="+c.Name), c.Name)
		require.NotEmpty(t, d.Select(rundata.Memory, "impl="+c.Name), c.Name)
	}
	for _, delay := range experiments.Delays() {
		require.NotEmpty(t, d.Select(rundata.Cost, "op="+rundata.OpPair, "delay="+delay), delay)
	}
}

// TestEveryContestantFiresEachTimerOnceAndNotEarly runs in virtual time, so that
// all that is late is late by rounding.
func TestEveryContestantFiresEachTimerOnceAndNotEarly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := tiny(t)
		p.Experiments, p.Full = []string{rundata.Jitter}, true
		p.Ticks = []time.Duration{time.Millisecond, 25 * time.Millisecond}
		p.Slice = 2 * time.Second
		d, _ := measure(t, p, dir)
		everyTimerFiredOnce(t, d)
		for _, c := range append(catalog.Contestants(), harness.Contestant{Name: "time.AfterFunc", Runtime: true}) {
			ways := 1 + len(p.Ticks)
			if c.Runtime {
				ways = 1
			}
			require.Len(t, d.Select(rundata.Jitter, "impl="+c.Name, "waiting=", "delays="), ways, c.Name)
			require.Len(t, d.Select(rundata.Jitter, "impl="+c.Name, "delays="+rundata.ShortDelays), 1, c.Name)
		}
		for _, s := range d.Select(rundata.Jitter) {
			require.LessOrEqual(t, time.Duration(s.Late.Max()), latest(t, s), s.Name())
		}
	})
}

// latest returns how late a timer may be for the way of waking: twice the tick,
// once for rounding the deadline up and once for the next waking.
func latest(t *testing.T, s *rundata.Series) time.Duration {
	t.Helper()
	switch waking := s.Get("waking"); waking {
	case rundata.Tickless:
		return 21 * time.Microsecond // the finest tick, as a histogram reads it
	case rundata.RuntimeWaking, rundata.NoWaking:
		return 1
	default:
		return 2 * must.Get(time.ParseDuration(waking))(t) * 1001 / 1000
	}
}
