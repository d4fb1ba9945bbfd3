package price

import (
	"fmt"

	"schedbench/harness/rundata"
	"schedbench/internal/words"
	"schedbench/report/text"
)

// tables are all figures behind the charts and sentences: means of the blocks with how far their
// 95 % intervals go.
func (r results) tables() []*text.Table {
	return []*text.Table{
		r.limitsTable(),
		r.table("Calls with timers held: the caller's time, and CPU time of the process", HeldExperiment,
			mean("schedule", AckedNs, words.Nanos), mean("CPU", AckedCPU, words.Nanos),
			mean("one of many", PostedNs, words.Nanos), mean("CPU", PostedCPU, words.Nanos),
			mean("cancel", CancelNs, words.Nanos), mean("CPU", CancelCPU, words.Nanos)),
		r.table("What timers take that are held, and how long a fresh process takes to hold them again", HeldExperiment,
			mean("heap, each", rundata.BytesPerTimer, words.Bytes), mean("disk, each", DiskPerTimer, words.Bytes), mean("filled, each", FillNs, words.Nanos),
			mean("ready", ReadyNs, words.Nanos), mean("memory", ReadyBytes, words.Bytes),
			mean("ready after a crash", CrashedNs, words.Nanos), mean("memory", CrashedBytes, words.Bytes)),
		r.table("How late timers fire, and what is used", LiveExperiment, fired()...),
		r.table(fmt.Sprintf("Timers of %d servers, of which the one that leads is killed and comes back after %s, or none", clusterSize, words.Span(float64(killedFor))), ChangeExperiment,
			append(fired(), tableCell{"time of deadlines later by " + words.Span(float64(disturbedAfter)), func(s *rundata.Series) string { return duration(disturbed(s)) }})...),
		r.table("Very many timers over a long time", SoakExperiment, fired()...),
		r.table("Polls by their interval, and durable timers", PollExperiment, fired()...),
	}
}

// tableCell is a column of a table with a row for each series.
type tableCell struct {
	head string
	of   func(*rundata.Series) string
}

// mean is that of the blocks of a unit, as sentences have it, with its interval.
func mean(head, unit string, f words.Format) tableCell {
	return tableCell{head, func(s *rundata.Series) string {
		a := meanOf(s.Blocks(unit))
		return words.Interval(a.Value, a.Low, a.High, f)
	}}
}

// count is the sum of a count over all blocks.
func count(head, unit string) tableCell {
	return tableCell{head, func(s *rundata.Series) string {
		if len(s.Values[unit]) == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f", sumOf(s, unit))
	}}
}

// shareOf is CPU time for each second as a share of a core.
func shareOf(head, unit string) tableCell {
	return mean(head, unit, func(ns float64) string { return words.Percent(ns / 1e9) })
}

// fired are the columns of timers that fire.
func fired() []tableCell {
	return []tableCell{
		mean("late, 50 %", rundata.P50Late, words.Nanos), mean("99 %", rundata.P99Late, words.Nanos),
		{"latest", func(s *rundata.Series) string {
			if s.Late == nil {
				return ""
			}
			return words.Nanos(float64(s.Late.Max()))
		}},
		count("fired", rundata.Fired), count("early", rundata.Early), count("lost", rundata.Lost), count("doubled", rundata.Doubled),
		shareOf("CPU idle", rundata.CPUPerSecond), shareOf("servers idle", ServersCPU), shareOf("CPU firing", LoadCPU),
		mean("switches idle", rundata.SwitchesPerSecond, words.PerSecond),
	}
}

// table has a row for each series of an experiment.
func (r results) table(title, experiment string, cells ...tableCell) *text.Table {
	t := &text.Table{Title: title, Names: 1, Header: []string{"kept by", "held"}}
	for _, c := range cells {
		t.Header = append(t.Header, c.head)
	}
	for _, s := range r.data.Select(experiment) {
		var held float64
		_, _ = fmt.Sscan(s.Get("held"), &held)
		row := []string{keeperOf(s).name(), words.Count(held)}
		for _, c := range cells {
			row = append(row, c.of(s))
		}
		t.Add(row...)
	}
	return t
}
