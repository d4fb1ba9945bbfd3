package tuning

import (
	"cmp"
	"fmt"
	"strings"

	"schedbench/internal/report/text"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// nothing says that no candidate keeps the limits, which binds, and what would do.
func (a *Answer) nothing(out *text.Page) {
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
	var binds []tune.Limit
	for _, c := range in.Changes {
		binds = append(binds, c.Limit)
	}
	out.Labelled("BINDS", limitList(binds)+cmp.Or(map[bool]string{true: ": to relax one is enough"}[len(binds) > 1]))
	label := "CHANGE"
	for _, c := range in.Changes {
		out.Labelled(label, a.change(c))
		label = ""
	}
}

// change says what would do.
func (a *Answer) change(c tune.Change) string {
	allow := ""
	switch c.Limit {
	case tune.LimitLateness:
		allow = fmt.Sprintf("allow %s late", words.Time(c.Needed*1e9))
	case tune.LimitCPU:
		allow = fmt.Sprintf("allow %s of a core", words.Share(c.Needed))
	case tune.LimitMemory:
		allow = "allow " + words.Trimmed(words.Bytes(c.Needed))
	case tune.LimitWakeups:
		allow = fmt.Sprintf("allow %s wake-ups", words.PerSecond(c.Needed))
	default:
		allow = "allow another way of waking or waiting"
	}
	return allow + ": " + described(c.Candidate) + " keeps the rest"
}

func limitList(all []tune.Limit) string {
	var names []string
	for _, l := range all {
		names = append(names, string(l))
	}
	return words.List(names)
}
