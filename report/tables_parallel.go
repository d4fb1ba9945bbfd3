package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedbench/harness"
	"schedbench/internal/words"
	"schedbench/judge"
)

// parallelTable has a row for each inbox and number of goroutines.
func (v *view) parallelTable() *table {
	series := v.data.Select(harness.Parallel)
	t := &table{
		title: "AfterFunc and Stop by many goroutines at once, through one driver", names: 2,
		header: []string{"contender", "inbox", "pending", "goroutines", "time for a pair", "pairs a second", "CPU of a pair"},
		notes: []string{"The time is that of the whole over the pairs of all goroutines. " +
			"The CPU time is of the process, with its worker and garbage collection."},
	}
	for _, n := range integers(series, "pending") {
		for _, g := range integers(series, "goroutines") {
			for _, w := range v.inboxWays() {
				s := v.parallelAt(w, n, g)
				if s == nil {
					continue
				}
				t.add(s.Get("impl"), s.Get("inbox"), words.Count(float64(n)), words.Count(float64(g)),
					within(summary(s, harness.NsPerOp), words.Nanos),
					words.PerSecond(1e9/summary(s, harness.NsPerOp).Median),
					within(summary(s, harness.CPUPerOp), words.Nanos))
			}
		}
	}
	return t
}

// parallelLines says which inbox is the fastest with the most goroutines.
func (v *view) parallelLines() []string {
	series := v.data.Select(harness.Parallel)
	counts := integers(series, "goroutines")
	if len(counts) == 0 {
		return nil
	}
	most := counts[len(counts)-1]
	var said []string
	for _, n := range integers(series, "pending") {
		if s := v.parallelLead(n, most); s != "" {
			said = append(said, s)
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Timers started and stopped by %s: %s.", many(most, "goroutine"), strings.Join(said, "; "))}
}

// many writes a number of things.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss at once", words.Count(float64(n)), thing)
}

// parallelLead says who leads for one number of timers and goroutines.
func (v *view) parallelLead(pending, goroutines int) string {
	var e []entrant
	for _, w := range v.inboxWays() {
		values := samples(v.parallelAt(w, pending, goroutines), harness.NsPerOp)
		if s := summarize(values); s.N > 0 {
			e = append(e, entrant{w.name, values, s.Median})
		}
	}
	if len(e) < 2 {
		return ""
	}
	slices.SortStableFunc(e, func(a, b entrant) int { return cmp.Compare(a.median, b.median) })
	where := "with " + words.Count(float64(pending)) + " pending"
	r := judge.Paired(e[1].values, e[0].values, 1)
	if !r.Separated {
		return fmt.Sprintf("%s and %s in front and not separated %s", e[0].name, e[1].name, where) + v.besideRuntime(e)
	}
	return fmt.Sprintf("%s leads %s, %s as fast as %s", e[0].name, where, words.Times(r.Median), e[1].name) + v.besideRuntime(e)
}
