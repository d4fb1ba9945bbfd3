package price

import (
	"time"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/judge"
	"schedbench/report/text"
)

// limit is what is asked of durable timers that keep time by the engine in their process and sync
// now and then.
type limit struct {
	asked string
	of    func(r results) []float64
	most  float64
	words words.Format
	// unit is that of a call, of which the bare client has a figure too.
	unit string
	// mean is that of the blocks: of what may be less than none, not the geometric one.
	mean func([]float64) judge.Average
}

// limits are all of them, with so many timers held as costs are told with.
func limits() []limit {
	call := func(asked, unit string, most time.Duration) limit {
		return limit{asked: asked, of: func(r results) []float64 {
			return r.blocks(HeldExperiment, durableNow, r.heldTold(HeldExperiment), unit)
		}, most: float64(most), words: words.Nanos, unit: unit, mean: judge.GeometricMean}
	}
	return []limit{
		call("schedule, one of many", PostedNs, 15*time.Microsecond),
		call("schedule, acknowledged", AckedNs, 40*time.Microsecond),
		call("cancel, acknowledged", CancelNs, 40*time.Microsecond),
		{asked: "later than the driver alone, 99 %", of: func(r results) []float64 {
			n := r.heldTold(LiveExperiment)
			return judge.Net(r.late(LiveExperiment, durableNow, n), r.late(LiveExperiment, wheel, n))
		}, most: float64(3 * time.Millisecond), words: words.Nanos, mean: judge.Mean},
		{asked: "timers early, lost or doubled, of a turn", of: func(r results) []float64 {
			return wrong(r.series(LiveExperiment, durableNow, r.heldTold(LiveExperiment)), rundata.Early, rundata.Lost, rundata.Doubled)
		}, words: words.Number, mean: judge.Mean},
		{asked: "timers early or lost, of a turn, while a server is killed", of: func(r results) []float64 {
			return wrong(r.ofChange(killed), rundata.Early, rundata.Lost)
		}, words: words.Number, mean: judge.Mean},
	}
}

// wrong sums up counts in each block, of which there are none if nothing was measured.
func wrong(s *rundata.Series, units ...string) (blocks []float64) {
	if s == nil {
		return nil
	}
	blocks = make([]float64, len(s.Values[rundata.Fired]))
	for _, unit := range units {
		for i, n := range s.Values[unit] {
			blocks[i] += n
		}
	}
	return blocks
}

// finding says whether what is asked holds, with the figure, by judge; "" of what was not
// measured.
func (l limit) finding(r results) (measured, found string) {
	blocks := l.of(r)
	if len(blocks) == 0 {
		return "", ""
	}
	a := l.mean(blocks)
	in := judge.AtMost(l.most)
	found = a.Is(in).String()
	if a.Is(in) == judge.Undecided {
		found += "; " + moreBlocks(a.More(in))
	}
	return words.Interval(a.Value, a.Low, a.High, l.words), found
}

// besides returns the figure of the bare client: what is more than asked for there is so by the machine
// and the engine.
func (l limit) besides(r results) string {
	if l.unit == "" {
		return ""
	}
	return figure(r.blocks(HeldExperiment, bareClient, r.heldTold(HeldExperiment), l.unit), l.words)
}

// limitsTable tells of each whether it holds.
func (r results) limitsTable() *text.Table {
	t := &text.Table{Title: "What is asked of durable timers, embedded and synced each second, with " + timers(r.heldTold(HeldExperiment)) + " held", Names: 1,
		Header: []string{"", "at most", "measured", "found", "the bare client"}}
	for _, l := range limits() {
		if measured, found := l.finding(r); found != "" {
			t.Add(l.asked, words.Trimmed(l.words(l.most)), measured, found, l.besides(r))
		}
	}
	return t
}
