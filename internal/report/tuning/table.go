package tuning

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// table has a row for each candidate of the final. With Why it has those of the heat, too.
func (a *Answer) table() *text.Table {
	in := ""
	if a.Took > 0 {
		in = " in " + words.Span(float64(a.Took.Round(time.Second)))
	}
	t := &text.Table{
		Title: "MEASURED on " + a.Segment.Source.Name + in, Names: 1,
		Header: []string{"CANDIDATE", "CPU", "LATE AT " + words.Number(100*a.Requirements.Share()) + " %", "WAKE-UPS", "MEMORY", "KEEPS", "MORE THAN PICK"},
	}
	if a.ByHeat != "" {
		t.Title = "REPLAYED of " + a.Segment.Source.Name + in
	}
	for _, c := range a.rows() {
		t.Add(a.row(c)...)
	}
	t.Notes = a.excluded()
	says := func(word string) bool {
		return slices.ContainsFunc(a.rows(), func(c *tune.Candidate) bool { return c.Best() != nil && a.kept(c) == word })
	}
	if says(barely) {
		t.Notes = append(t.Notes, barely+": within 5 % of a limit, where noise decides; picked only if no other keeps the limits by more")
	}
	if says(tooFew) {
		t.Notes = append(t.Notes, tooFew+": too few timers fired to measure lateness; taken as in time")
	}
	return t
}

// excluded says how many candidates each rule excludes, without those that play to show what a limit costs.
func (a *Answer) excluded() []string {
	excluded := lists.Only(a.Candidates, func(c *tune.Candidate) bool { return c.Ruled != "" && c.Name == "" && c.Final == nil })
	byRule := lists.Groups(excluded, func(c *tune.Candidate) string { return c.Ruled })
	return lists.Each(byRule, func(some []*tune.Candidate) string {
		return fmt.Sprintf("%s excluded by rule: %s", words.Many(len(some), "candidate"), some[0].Ruled)
	})
}

// rows returns the candidates of the table: those of the final first, and the least CPU first.
func (a *Answer) rows() (rows []*tune.Candidate) {
	rows = lists.Only(a.Candidates, func(c *tune.Candidate) bool {
		return c.Final != nil || c.Name != "" || a.Why && (c.Heat != nil || c.Note != "")
	})
	slices.SortStableFunc(rows, func(x, y *tune.Candidate) int {
		cpu := func(c *tune.Candidate) float64 {
			if c.Best() == nil {
				return math.Inf(1)
			}
			return c.Best().CPU.Value
		}
		played := func(c *tune.Candidate) int { return map[bool]int{true: 1}[c.Final == nil] }
		return cmp.Or(played(x)-played(y), cmp.Compare(cpu(x), cpu(y)))
	})
	return rows
}

func (a *Answer) row(c *tune.Candidate) []string {
	f := c.Best()
	if f == nil {
		return []string{c.String() + " (" + cmp.Or(c.Note, "not measured") + ")", "", "", "", "", "", ""}
	}
	late := "-"
	if !math.IsNaN(f.Lateness.Value) {
		late = seconds(f.Lateness.Value)
	}
	wakeups := words.PerSecond(f.Wakeups)
	if c.Config.Scheduler == catalog.RuntimeTimer {
		wakeups = "" // the system does not count them
	}
	memory := ""
	if f.Memory > 0 {
		memory = words.Trimmed(words.Bytes(f.Memory))
	}
	name := c.String()
	if c.Final == nil {
		name += " (replayed once)"
	}
	more := ""
	if a.Pick != nil && c != a.Pick && c.Final != nil {
		d := a.MoreThan(c, a.Pick)
		more = map[judge.Answer]string{judge.AsFast: "no", judge.Slower: "yes", judge.Faster: "less", judge.Unclear: "unclear"}[d.Answer]
	}
	return []string{name, plusMinus(f.CPU.Estimate), late, wakeups, memory, a.kept(c), more}
}

const (
	barely = "barely"  // a candidate that keeps the limits without clearance
	tooFew = "too few" // of its lateness too little is known
)

func (a *Answer) kept(c *tune.Candidate) string {
	switch keeps := a.Keeps(c); {
	case keeps == judge.Fails:
		return "no: " + limitList(a.Misses(c))
	case keeps == judge.Undecided:
		return "unclear"
	case a.tooFew(c):
		return tooFew
	case !a.Clear(c):
		return barely
	}
	return "yes"
}

func (a *Answer) verdict(c *tune.Candidate) string {
	return map[judge.Finding]string{
		judge.Holds: "it keeps the limits", judge.Fails: "it does not keep the limits", judge.Undecided: "it is unclear whether it keeps the limits",
	}[a.Keeps(c)]
}
