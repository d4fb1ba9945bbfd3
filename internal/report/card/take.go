package card

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/words"
)

func (c *Card) takeWords() string {
	t := c.Take
	said := ""
	switch t.Kind {
	case TakeNone:
		if len(c.Wrong) > 0 {
			return "none: all schedulers that were measured gave wrong answers"
		}
		if len(t.Left) > 0 {
			return "none: no scheduler that was measured can hold the timers\n" +
				strings.Join(lists.Each(t.Left, func(l Left) string { return l.Name + " " + l.Why }), "\n")
		}
		return "none: no scheduler was measured; to judge a preset, run \"bench tune WORKLOAD --explain NAME\""
	case TakeTune:
		return fmt.Sprintf("a replay shows costs and answers; to choose, run \"%s\"%s", strings.Join(t.Tune, "\" or \""), t.outWords())
	case TakeGo:
		said = fmt.Sprintf("%s, you need no other: on average it takes at most %s more than any scheduler, and nowhere clearly more",
			t.Names[0], percent(float64(c.Run.Margin)))
	case TakeOnly:
		said = t.Names[0] + ", the only scheduler measured: there is no other to choose"
	case TakeOne:
		said = t.Names[0]
	case TakeSeveral:
		said = c.severalWords()
	}
	for _, l := range t.All {
		if l.Name == t.Names[0] {
			said += "; but " + l.Why + " (every contestant has such a fault)"
		}
	}
	if t.Tickless && (catalog.Config{Scheduler: t.Names[0]}).Wheel() {
		said += "; it sleeps until something is due, without ticks"
	}
	return said + t.outWords()
}

// outWords say which contestants were excluded, and why.
func (t *Take) outWords() string {
	if len(t.Out) == 0 {
		return ""
	}
	return " (" + strings.Join(lists.Each(t.Out, func(l Left) string { return fmt.Sprintf("not %s: %s", l.Name, l.Why) }), "; ") + ")"
}

// severalWords name contestants that the averages do not separate.
func (c *Card) severalWords() string {
	named := c.Take.Names
	why := "their averages are within " + percent(float64(c.Run.Margin)) + " of each other"
	if slices.ContainsFunc(c.Take.Averages, func(a Average) bool { return slices.Contains(named, a.Name) && a.Answer != judge.AsFast.String() }) {
		why = "it is unclear which takes less on average"
	}
	return fmt.Sprintf("%s, the simplest; or %s: %s", named[0], strings.Join(named[1:], " or "), why)
}

func (c *Card) becauseWords() string {
	t, b := c.Take, c.Because
	if len(t.Names) == 0 {
		return ""
	}
	memory, idle := "", ""
	if m := b.Memory; m != nil {
		memory = fmt.Sprintf("%s a timer with %s pending", words.Trimmed(words.Bytes(float64(m.Bytes))), words.Count(float64(m.Pending)))
		if m.AfterFunc > 0 {
			memory += fmt.Sprintf(" (%s %s)", catalog.RuntimeTimer, words.Trimmed(words.Bytes(float64(m.AfterFunc))))
		}
	}
	if i := b.Idle; i != nil {
		idle = "idling: too little to measure"
		if i.Significant {
			idle = "idling takes " + words.Share(float64(i.Share)) + " of a core"
		}
	}
	takes := strings.Join(words.Said(memory, idle), "; ")
	return strings.Join(words.Said(t.averageWords(), t.countWords(), takes), "\n")
}

// averageWords are the averages of the choice, and of the next contestant that is not named with it.
func (t *Take) averageWords() string {
	said, next, after := "", "", map[bool]string{true: "the next not in TAKE", false: "next"}[len(t.Names) > 1]
	for _, a := range t.Averages {
		switch {
		case !a.Ratio.Known():
		case a.Name == t.Names[0]:
			said = fmt.Sprintf("on average %s takes %s the best scheduler of each cell", a.Name, a.span())
			if a.High < 1.005 {
				said = fmt.Sprintf("on average %s takes as much as the best scheduler of each cell", a.Name)
			}
		case next == "" && !slices.Contains(t.Names, a.Name):
			next = fmt.Sprintf(" (%s: %s, %s)", after, a.Name, a.span())
		}
	}
	if said == "" {
		return ""
	}
	if !t.Asked {
		next += "; of bare operations, since nothing was measured that programs ask"
	}
	return said + next
}

// countWords say in how many cells the choice is behind or unclear.
func (t *Take) countWords() string {
	if t.Cells == 0 {
		return ""
	}
	said := t.behind()
	if w := t.AtWorst; w != nil {
		of, _, _ := strings.Cut(w.Cell, " with ")
		explains := ""
		if w.Explains && t.Asked {
			explains = ", which does not vote"
		}
		said += fmt.Sprintf(" (at worst %s× at %s%s)", Short(w.Ratio), of, explains)
	}
	if t.Unclear > 0 {
		said += fmt.Sprintf(", unclear in %d", t.Unclear)
	}
	return said
}

func (c Counts) behind() string {
	behind := "none"
	if c.Behind > 0 {
		behind = strconv.Itoa(c.Behind)
	}
	return fmt.Sprintf("clearly behind in %s of %s", behind, words.Many(c.Cells, "cell"))
}

func (a Average) span() string {
	of := func(f Figure) string { return words.Times(float64(f)) }
	if !a.High.Known() || a.High > judge.BeyondSense*a.Low || of(a.Low) == of(a.High) {
		return of(a.Ratio)
	}
	return fmt.Sprintf("%s (%s to %s)", of(a.Ratio), of(a.Low), of(a.High))
}
