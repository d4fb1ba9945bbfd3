package card

import (
	"fmt"
	"strconv"
	"strings"

	"schedbench/internal/words"
)

// Did says what a contestant did wrong, after its name.
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

// mostAsFast is of how many comparisons a card says that a contestant from outside is as fast there.
const mostAsFast = 3

// say writes how it stands.
func (o Own) say() string {
	said, behind := o.Name+": ", "none"
	if f := o.AtWorst; f != nil {
		said += fmt.Sprintf("%s× %s as %s at %s; ", Short(f.Ratio), f.Takes, f.Against, f.Question)
		behind = strconv.Itoa(o.Behind)
	}
	if o.Questions == 0 {
		return said + "breaks " + o.rules()
	}
	said += fmt.Sprintf("clearly behind in %s of %s", behind, words.Many(o.Questions, "comparison"))
	if o.Unclear > 0 {
		said += fmt.Sprintf(", %d unclear", o.Unclear)
	}
	if n := len(o.AsFast); n > 0 {
		said += "; fastest or as fast at " + words.List(o.AsFast[:min(n, mostAsFast)])
		if n > mostAsFast {
			said += fmt.Sprintf(" and %d more", n-mostAsFast)
		}
	}
	if len(o.Breaks) > 0 {
		said += "; breaks " + o.rules()
	}
	return said
}

// rules names those that it breaks.
func (o Own) rules() string {
	if len(o.Breaks) == 1 {
		return "the rule " + o.Breaks[0]
	}
	return "the rules " + words.List(o.Breaks)
}

// ownWords say how all contestants from outside stand.
func (c *Card) ownWords() string {
	var said []string
	for _, o := range c.Own {
		said = append(said, o.say())
	}
	return strings.Join(said, "\n")
}

// Measured says with what geometry each contestant was measured.
func (c Card) Measured() string {
	var said []string
	for _, g := range c.Geometry {
		said = append(said, g.Name+": "+g.Text)
	}
	return strings.Join(said, "; ")
}

// cautionWords say why not to trust the run, gravely or not.
func (c *Card) cautionWords() (grave, others string) {
	var all [2][]string
	for _, caution := range c.Cautions {
		i := 1
		if caution.Grave {
			i = 0
		}
		all[i] = append(all[i], caution.What)
	}
	return strings.Join(all[0], "; "), strings.Join(all[1], "; ")
}

// Checked says what was checked, "" if nothing was.
func (c Card) Checked() string {
	var said []string
	lost, replays := false, false
	for _, w := range c.Wrong {
		lost, replays = lost || w.Lost+w.Early+w.Doubled > 0, replays || len(w.Replays) > 0
	}
	if c.Checks.Fired > 0 && !lost {
		said = append(said, fmt.Sprintf("every one of %s timers fired once and not early%s", words.Count(float64(c.Checks.Fired)), exceptEarly(c.Checks.EarlyByDesign)))
	}
	if c.Checks.Replayed > 0 && !replays {
		said = append(said, fmt.Sprintf("%s replayed answers were those of the model", words.Count(float64(c.Checks.Replayed))))
	}
	return strings.Join(said, "; ")
}

// openWords say what a run does not answer, and what would.
func (c *Card) openWords() string {
	var lines []string
	for _, o := range c.Open {
		lines = append(lines, o.Question+": "+o.Command)
	}
	return strings.Join(lines, "\n")
}

// exceptEarly excepts those that are early by design from what is said of all.
func exceptEarly(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", except those that are early by design (" + words.List(names) + ")"
}
