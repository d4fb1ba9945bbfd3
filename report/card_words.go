package report

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/internal/words"
)

// takeWords say whom to take.
func (c *Card) takeWords() string {
	t := c.Take
	said := ""
	switch t.Kind {
	case TakeNone:
		if len(c.Wrong) > 0 {
			return "nobody: whoever there is to choose from gave wrong answers"
		}
		if len(t.Left) > 0 {
			return strings.Join(t.leftWords(), "\n")
		}
		return "nobody: nothing was measured that there is to choose from"
	case TakeUntold:
		return "this run cannot tell: of nobody is it clear whether somebody else is better"
	case TakeGo:
		said = t.Names[0] + ", you need no other: no scheduler is clearly better than it at anything"
		if t.Names[0] == catalog.ContainerHeap {
			said = t.Names[0] + ": no scheduler is clearly better than it at anything, and some are clearly worse"
		}
	case TakeOnly:
		said = t.Names[0] + ", the only one measured: there is nobody to choose instead"
	case TakeOne:
		said = t.Names[0]
	case TakeLevel:
		said = t.Names[0] + ", the simplest of those that are level as far as this run tells, with " + words.List(t.Names[1:])
	}
	if t.Tickless && !slices.Contains([]string{catalog.Heap, catalog.List, catalog.FIFO}, t.Names[0]) {
		said += "; it sleeps until something is due, without ticks"
	}
	if len(t.Out) > 0 {
		said += fmt.Sprintf(" (not %s: too slow to be measured everywhere, or cannot hold the timers)", words.List(t.Out))
	}
	return said
}

// leftWords say why nobody is to be taken who could not hold the timers.
func (t *CardTake) leftWords() []string {
	said := []string{"nobody: none of those that were measured can hold the timers"}
	for _, l := range t.Left {
		said = append(said, l.Name+" "+l.Why)
	}
	return said
}

// becauseWords say what speaks for the choice.
func (c *Card) becauseWords() string {
	t, b := c.Take, c.Because
	if len(t.Names) == 0 {
		return ""
	}
	var said []string
	if t.Questions > 0 {
		line := ""
		if t.Average >= 1 {
			line = averaged(t.Average)
			if t.Next != "" {
				line += fmt.Sprintf(" (next: %s, %.3g×)", t.Next, float64(t.NextAverage))
			}
			line += "; "
		}
		behind := fmt.Sprint(t.Behind)
		if t.Behind == 0 {
			behind = "none"
		}
		line += fmt.Sprintf("clearly behind the best in %s of %s", behind, words.Many(t.Questions, "comparison"))
		if w := t.AtWorst; w != nil {
			line += fmt.Sprintf(" (%s× at worst)", short(w.Ratio))
		}
		if t.Untold > 0 {
			line += fmt.Sprintf("; in %d the run cannot tell, which counts as 1×", t.Untold)
		}
		said = append(said, line)
	}
	if beside := b.besideGo(); beside != "" && t.Kind != TakeGo {
		said = append(said, beside)
	}
	var figures []string
	if m := b.Memory; m != nil {
		line := fmt.Sprintf("%s a timer with %s pending", words.Trimmed(words.Bytes(float64(m.Bytes))), words.Count(float64(m.Pending)))
		if m.AfterFunc > 0 {
			line += fmt.Sprintf(" (%s %s)", catalog.RuntimeTimer, words.Trimmed(words.Bytes(float64(m.AfterFunc))))
		}
		figures = append(figures, line)
	}
	if i := b.Idle; i != nil {
		line := "idling takes too little to be measured"
		if i.Told {
			line = "idling takes " + words.Share(float64(i.Share)) + " of a core"
		}
		figures = append(figures, line)
	}
	if len(figures) > 0 {
		said = append(said, strings.Join(figures, "; "))
	}
	return strings.Join(said, "\n")
}

// span writes a factor with its interval.
func (f *CardFactor) span() string {
	if !f.High.known() || f.Blocks < 2 || f.High > beyondSense*f.Low {
		return short(f.Ratio) + "×"
	}
	return fmt.Sprintf("%s× (%s× to %s×)", short(f.Ratio), short(f.Low), short(f.High))
}

// averaged writes what something costs on average.
func averaged(f Figure) string {
	if f < 1.005 {
		return "takes what the best takes, on average"
	}
	return fmt.Sprintf("takes %.3g× what the best takes, on average", float64(f))
}

// short writes a ratio in few letters: two digits, three where it is near 1.
func short(f Figure) string {
	switch v := float64(f); {
	case !f.known():
		return "?"
	case v < 1.1:
		return fmt.Sprintf("%.3g", v)
	case v < 9.95:
		return fmt.Sprintf("%.2g", v)
	case v < 999.5:
		return fmt.Sprintf("%.0f", v)
	default:
		return words.Count(v)
	}
}

// againstGo says how a choice compares with time.AfterFunc.
func (f *CardFactor) againstGo() string {
	switch f.Answer {
	case "slower":
		return fmt.Sprintf("%s takes %s %s as %s at %s", f.Name, f.span(), f.takes, f.Against, f.Question)
	case "faster":
		return fmt.Sprintf("%s takes only %s %s as %s at %s", f.Name, f.span(), f.takes, f.Against, f.Question)
	case "as fast":
		return fmt.Sprintf("%s is as good at %s", f.Name, f.Question)
	}
	return fmt.Sprintf("whether %s is slower at %s cannot be told", f.Name, f.Question)
}

// mostUnless is how many exceptions a card has.
const mostUnless = 3

// unlessWords say when to take another.
func (c *Card) unlessWords() string {
	var lines []string
	said := map[string]bool{}
	for _, u := range c.Unless {
		if said[u.Group] || len(said) == mostUnless {
			continue
		}
		said[u.Group] = true
		lines = append(lines, u.say())
	}
	return strings.Join(lines, "\n")
}

// say says when to take another, and by how much it is better.
func (u CardUnless) say() string {
	w, when := u.Worst, "programs like "+u.Group
	for _, g := range questionGroups() {
		if g.word == u.Group {
			when = g.when
		}
	}
	return fmt.Sprintf("%s: %s; %s takes %s %s as %s at %s", when, w.Against, w.Name, w.span(), w.takes, w.Against, w.Question)
}
