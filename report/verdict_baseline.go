package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// yardstick returns the baseline of an operation: time.AfterFunc, which is what
// Go has, or else container/heap, or "". An idle tick has none: with a heap it
// is one comparison, whoever wrote the heap.
func (v *view) yardstick(op string) string {
	if op == harness.OpTick {
		return ""
	}
	for _, name := range []string{catalog.RuntimeTimer, catalog.ContainerHeap} {
		if len(v.data.Select(harness.Cost, "op="+op, "impl="+name)) > 0 {
			return name
		}
	}
	return ""
}

// ratioTo compares a contestant with a baseline in one cell; N is 0 if one of
// them was not measured.
func (v *view) ratioTo(base, op, delay, name string, pending, comparisons int) judge.Ratio {
	a, _ := v.net(v.costAt(op, delay, name, pending))
	b, _ := v.net(v.costAt(op, delay, base, pending))
	return judge.Paired(a, b, comparisons)
}

// baselineLines says how the fastest compare with the baseline and from where
// on anybody loses to it.
func (v *view) baselineLines() []string { return append(v.factors(), v.losses()...) }

// factors says how many times as fast as the baseline the fastest contestant
// is with the most pending, operations with the same baseline together.
func (v *view) factors() []string {
	var beside []string
	ops := map[string][]string{}
	for _, op := range v.ops() {
		where, factor := v.factor(op)
		if where == "" {
			continue
		}
		if ops[where] == nil {
			beside = append(beside, where)
		}
		ops[where] = append(ops[where], op+" "+factor)
	}
	var lines []string
	for _, where := range beside {
		lines = append(lines, where+": "+strings.Join(ops[where], ", ")+".")
	}
	return lines
}

// factor returns what an operation is compared with, and who is how many times
// as fast.
func (v *view) factor(op string) (where, factor string) {
	base, delay := v.yardstick(op), v.delays(op)[0]
	for _, n := range slices.Backward(integers(v.data.Select(harness.Cost, "op="+op, "impl="+base), "pending")) {
		e := v.entrants(op, delay, n)
		if len(e) == 0 {
			continue
		}
		own, _ := v.net(v.costAt(op, delay, base, n))
		if r := judge.Paired(own, e[0].values, 1); r.N > 0 {
			return fmt.Sprintf("Times as fast as %s with %s pending", base, words.Count(float64(n))), e[0].name + " " + factorOf(r)
		}
	}
	return "", ""
}

// factorOf writes how many times as fast something is, with its interval.
func factorOf(r judge.Ratio) string {
	if !r.Bounded() {
		return words.Times(r.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", words.Times(r.Median), words.Times(r.Low), words.Times(r.High))
}

// losses says from how many pending on a contestant is slower than the
// baseline, operations with the same answer together.
func (v *view) losses() []string {
	var lines []string
	for _, name := range v.names {
		var said []string
		ops := map[string][]string{}
		for _, op := range v.ops() {
			where := v.loss(op, name)
			if where == "" {
				continue
			}
			if ops[where] == nil {
				said = append(said, where)
			}
			ops[where] = append(ops[where], op)
		}
		for _, where := range said {
			lines = append(lines, fmt.Sprintf("%s loses to %s (%s).", name, where, strings.Join(ops[where], ", ")))
		}
	}
	return lines
}

// loss returns the baseline that a contestant loses to and from where on, or
// "" if it keeps up to the most pending that it was measured with.
func (v *view) loss(op, name string) string {
	base, delay := v.yardstick(op), v.delays(op)[0]
	if base == "" || baseline(name) {
		return ""
	}
	sizes := integers(v.data.Select(harness.Cost, "op="+op, "delay="+delay, "impl="+name), "pending")
	sizes = slices.DeleteFunc(sizes, func(n int) bool { return v.ratioTo(base, op, delay, name, n, 1).N == 0 })
	from := len(sizes)
	for from > 0 && v.ratioTo(base, op, delay, name, sizes[from-1], len(sizes)).Low > 1 {
		from--
	}
	switch {
	case from == len(sizes):
		return ""
	case from == 0:
		return base + " at every size"
	}
	return fmt.Sprintf("%s beyond %s pending", base, words.Count(float64(sizes[from-1])))
}

// liveLines says who is fastest in a running program, for each number of
// goroutines with the most pending.
func (v *view) liveLines() []string {
	series := v.data.Select(harness.Cost, "op="+harness.OpLivePair)
	var said []string
	for _, goroutines := range goroutineCounts(series) {
		for _, n := range slices.Backward(integers(series, "pending")) {
			if s := v.liveLead(goroutines, n); s != "" {
				said = append(said, s)
				break
			}
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []string{"AfterFunc and Stop in a running program: " + strings.Join(said, "; ") + "."}
}

// liveLead says who leads for one number of goroutines.
func (v *view) liveLead(goroutines string, pending int) string {
	var e []entrant
	for _, name := range v.names {
		values := samples(v.liveAt(name, goroutines, pending), harness.NsPerOp)
		if s := summarize(values); s.N > 0 {
			e = append(e, entrant{name, values, s.Median})
		}
	}
	if len(e) < 2 {
		return ""
	}
	slices.SortStableFunc(e, fastest)
	r := judge.Paired(e[1].values, e[0].values, 1)
	where := fmt.Sprintf("with %s pending", words.Count(float64(pending)))
	switch goroutines {
	case "":
	case "1":
		where = "from 1 goroutine " + where
	default:
		where = "from " + goroutines + " goroutines " + where
	}
	lead := fmt.Sprintf("%s and %s in front and not separated %s", e[0].name, e[1].name, where)
	if r.Separated {
		lead = fmt.Sprintf("%s leads %s, %s as fast as %s", e[0].name, where, words.Times(r.Median), e[1].name)
	}
	return lead + v.besideRuntime(e)
}

// besideRuntime adds how the fastest compares with time.AfterFunc.
func (v *view) besideRuntime(e []entrant) string {
	at := slices.IndexFunc(e, func(x entrant) bool { return x.name == catalog.RuntimeTimer })
	if at < 2 {
		return "" // not measured, or named already
	}
	r := judge.Paired(e[at].values, e[0].values, 1)
	return fmt.Sprintf(", and %s as fast as %s", factorOf(r), catalog.RuntimeTimer)
}
