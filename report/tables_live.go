package report

import (
	"fmt"
	"slices"
	"strconv"

	"schedbench/harness"
	"schedbench/internal/words"
)

// plain writes a whole number in full.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// sum writes the sum of a count over all rounds, nothing if it was not counted.
func sum(s *harness.Series, unit string) string {
	if len(samples(s, unit)) == 0 {
		return ""
	}
	return plain(total(s, unit))
}

// ordered returns the series of contenders and controls in the fixed order.
func (v *view) ordered(series []*harness.Series) []*harness.Series {
	sorted := slices.Clone(series)
	rank := func(s *harness.Series) int {
		if i := slices.Index(v.names, s.Get("impl")); i >= 0 {
			return i
		}
		return len(v.names)
	}
	slices.SortStableFunc(sorted, func(a, b *harness.Series) int { return rank(a) - rank(b) })
	return sorted
}

func (v *view) latenessTable() *table {
	t := &table{
		title: "Lateness after the planned deadline, and whether every timer fired once and not early", names: 2,
		header: []string{
			"contender", "waking", "rate", "50 %", "90 %", "99 %", "latest",
			"fired", "early", "lost", "doubled", "CPU of a core", "wake-ups",
		},
	}
	for _, s := range v.ordered(v.data.Select(harness.Jitter, "waiting=")) {
		cpu := ""
		if len(share(s)) > 0 {
			cpu = within(summarize(share(s)), words.Percent)
		}
		t.add(s.Get("impl"), s.Get("waking"), s.Get("rate"),
			within(summary(s, harness.P50Late), words.Nanos), within(summary(s, harness.P90Late), words.Nanos),
			within(summary(s, harness.P99Late), words.Nanos), latest(s),
			sum(s, harness.Fired), sum(s, harness.Early), sum(s, harness.Lost), sum(s, harness.Doubled),
			cpu, within(summary(s, harness.WakeupsPerSecond), words.PerSecond))
	}
	return t
}

// latest is the one maximum over all rounds: a median of maxima would hide it.
func latest(s *harness.Series) string {
	if s.Late != nil && s.Late.TotalCount() > 0 {
		return words.Nanos(float64(s.Late.Max()))
	}
	if values := samples(s, harness.MaxLate); len(values) > 0 {
		return words.Nanos(slices.Max(values))
	}
	return ""
}

func (v *view) idleTable() *table {
	t := &table{
		title: "Idle: what waiting costs while nothing is due", names: 2,
		header: []string{"contender", "waking", "pending", "CPU of a core", "beyond the idle process", "wake-ups", "context switches"},
	}
	for _, s := range v.ordered(v.data.Select(harness.Idle, "waiting=")) {
		beyond := ""
		if v.process() != nil && s.Get("impl") != harness.ProcessControl {
			beyond = within(v.idleShare(s.Get("impl"), s.Get("waking"), s.Get("pending")), words.Percent)
		}
		pending, _ := strconv.ParseFloat(s.Get("pending"), 64)
		t.add(s.Get("impl"), s.Get("waking"), words.Count(pending),
			within(summarize(share(s)), words.Percent), beyond,
			within(summary(s, harness.WakeupsPerSecond), words.PerSecond),
			within(summary(s, harness.SwitchesPerSecond), words.PerSecond))
	}
	return t
}

func (v *view) memoryTable() *table {
	t := &table{
		title: "Memory of pending timers, and what they cost a garbage collection", names: 1,
		header: []string{"contender", "pending", "for each timer", "after replacing all", "collection"},
	}
	for _, s := range v.ordered(v.pendingMemory()) {
		pending, _ := strconv.ParseFloat(s.Get("pending"), 64)
		t.add(s.Get("impl"), words.Count(pending),
			within(summary(s, harness.BytesPerTimer), words.Bytes),
			within(summary(s, harness.ChurnedPerTimer), words.Bytes),
			within(summary(s, harness.GCNs), words.Nanos))
	}
	return t
}

func (v *view) horizonTable() *table {
	series := v.data.Select(harness.Memory)
	t := &table{title: "Memory of an empty scheduler by horizon", names: 1, header: []string{"contender"}}
	horizons := durations(series, "horizon")
	for _, horizon := range horizons {
		t.header = append(t.header, words.Span(float64(horizon)))
	}
	for _, name := range v.names {
		row := []string{name}
		for _, horizon := range horizons {
			s := v.one(harness.Memory, "impl="+name, "horizon="+v.horizon(horizon))
			row = append(row, within(summary(s, harness.BytesPerWheel), words.Bytes))
		}
		if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != "" }) {
			t.add(row...)
		}
	}
	return t
}

func (v *view) controlTable() *table {
	t := &table{
		title: "Controls: what measuring itself costs, and whether what is known is read back", names: 1,
		header: []string{"control", "known", "read", "read/known", "each"},
	}
	for _, s := range v.data.Select(harness.Control) {
		known, read := summary(s, harness.KnownNs), summary(s, harness.ReadNs)
		ratio := ""
		if known.N > 0 && read.N > 0 && known.Median > 0 {
			ratio = fmt.Sprintf("%.3f", read.Median/known.Median)
		}
		label := ""
		if known.N > 0 {
			label = words.Nanos(known.Median)
		}
		t.add(s.Get("what"), label, within(read, words.Nanos), ratio, within(summary(s, harness.NsPerOp), words.Nanos))
	}
	return t
}
