package tuning

import (
	"fmt"
	"strings"

	"schedbench/internal/lists"
	"schedbench/internal/report/text"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// writeInfeasible writes that no candidate keeps the limits, which limits bind, and what to relax.
func (a *Answer) writeInfeasible(out *text.Page) {
	in := a.Infeasible
	if in == nil || in.Nearest == nil {
		out.Labelled("PICK", "nothing could be measured: see the table")
		return
	}
	out.Labelled("PICK", "nothing that was measured keeps what is asked for: "+strings.Join(a.asked(), "; "))
	if len(in.Changes) == 0 {
		out.Labelled("BINDS", fmt.Sprintf("%s together; the nearest is %s", limitList(in.Misses), described(in.Nearest)))
		return
	}
	binds := lists.Each(in.Changes, func(c tune.Change) tune.Limit { return c.Limit })
	out.Labelled("BINDS", limitList(binds)+map[bool]string{true: ": to relax one is enough"}[len(binds) > 1])
	changes := lists.Each(in.Changes, func(c tune.Change) string {
		said := "another way of waking or waiting"
		for _, l := range a.limits() {
			if l.Limit == c.Limit {
				said = l.allowance(c.Needed)
			}
		}
		return fmt.Sprintf("allow %s: %s keeps the rest", said, described(c.Candidate))
	})
	out.Labelled("CHANGE", strings.Join(changes, "\n"))
}

func limitList(all []tune.Limit) string {
	return words.List(lists.Each(all, func(l tune.Limit) string { return string(l) }))
}
