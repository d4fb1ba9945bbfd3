package card

import (
	"fmt"
	"slices"
	"strings"

	"schedbench/internal/lists"
	"schedbench/internal/words"
)

// Did says what a contestant did wrong. It follows the name.
func (w Wrong) Did() string {
	var did []string
	add := func(n int, format string) {
		if n > 0 {
			did = append(did, fmt.Sprintf(format, words.Many(n, "timer")))
		}
	}
	add(w.Lost, "lost %s")
	add(w.Early, "fired %s early")
	add(w.Doubled, "fired %s twice")
	if len(w.Replays) > 0 {
		did = append(did, "gave other answers than the model in "+words.List(w.Replays))
	}
	return words.List(did)
}

// say says what a contestant got wrong, and what follows.
func (w Wrong) say() string {
	if w.Control {
		return "the control " + w.Name + " " + w.Did() + ": do not trust this run"
	}
	return w.Name + " " + w.Did() + ": do not take it"
}

func (o Own) say() string {
	said := o.Name + ": "
	if f := o.AtWorst; f != nil {
		said += fmt.Sprintf("%s× %s as %s at %s; ", Short(f.Ratio), f.Takes, f.Against, f.Cell)
	}
	if o.Cells == 0 {
		return said + "breaks " + o.rules()
	}
	said += o.behind()
	if o.Unclear > 0 {
		said += fmt.Sprintf(", %d unclear", o.Unclear)
	}
	const most = 3 // cells that are named
	if n := len(o.AsFast); n > 0 {
		said += "; fastest or as fast at " + strings.Join(o.AsFast[:min(n, most)], "; ") // each has commas
		if n > most {
			said += fmt.Sprintf("; %d more", n-most)
		}
	}
	if len(o.Breaks) > 0 {
		said += "; breaks " + o.rules()
	}
	return said
}

func (o Own) rules() string {
	if len(o.Breaks) == 1 {
		return "the rule " + o.Breaks[0]
	}
	return "the rules " + words.List(o.Breaks)
}

// cautionWords are the grave cautions, or the others.
func (c *Card) cautionWords(grave bool) string {
	all := lists.Only(c.Cautions, func(caution Caution) bool { return caution.Grave == grave })
	return strings.Join(lists.Each(all, func(caution Caution) string { return caution.What }), "; ")
}

// Checked says which answers were checked and right; "" if there are none.
func (c Card) Checked() string {
	fired, replayed := "", ""
	if c.Checks.Fired > 0 && !slices.ContainsFunc(c.Wrong, func(w Wrong) bool { return w.Lost+w.Early+w.Doubled > 0 }) {
		fired = fmt.Sprintf("every one of %s timers fired once and not early", words.Count(float64(c.Checks.Fired)))
		if early := c.Checks.EarlyByDesign; len(early) > 0 {
			fired += ", except those that are early by design (" + words.List(early) + ")"
		}
	}
	if c.Checks.Replayed > 0 && !slices.ContainsFunc(c.Wrong, func(w Wrong) bool { return len(w.Replays) > 0 }) {
		replayed = fmt.Sprintf("%s replayed answers were right", words.Count(float64(c.Checks.Replayed)))
	}
	return strings.Join(words.Said(fired, replayed), "; ")
}
