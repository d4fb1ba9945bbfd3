package report

import (
	"fmt"
	"strconv"
	"strings"

	"schedbench/internal/judge"
	"schedbench/internal/words"
)

// mostAsFast is of how many comparisons a card says that a contestant from outside is as fast there.
const mostAsFast = 3

// CardOwn says how a contestant from outside stands among all others.
type CardOwn struct {
	Name string `json:"name"`
	// Questions is in how many comparisons it took part, and Behind in how many it is clearly behind.
	Questions int `json:"questions"`
	Behind    int `json:"behind"`
	// Unclear is in how many neither is known: that is not as good.
	Unclear int `json:"unclear"`
	// AtWorst is where it is behind by most; nil if it is nowhere.
	AtWorst *CardFactor `json:"at_worst"`
	// AsFast are the questions in which it is the fastest, or as fast.
	AsFast []string `json:"as_fast"`
	// Breaks are the rules of schedtest that it breaks.
	Breaks []string `json:"breaks,omitempty"`
}

// BreaksKey is what a run says of itself, with the name of a contestant: which rules of schedtest it
// breaks, separated by blanks.
const BreaksKey = "breaks-"

// cardOwn says how the contestants from outside stand.
func (v *view) cardOwn(all []inquiry) (list []CardOwn) {
	for _, name := range v.own() {
		o, of := CardOwn{Name: name}, stands(name, all)
		for _, s := range of {
			switch {
			case !s.took:
				continue
			case s.behind():
				o.Behind++
			case s.open:
				o.Unclear++
			case s.first || s.toFirst.Answer == judge.AsFast:
				o.AsFast = append(o.AsFast, s.spot())
			}
			o.Questions++
		}
		if worst, took := worstStand(of); took && worst.behind() {
			o.AtWorst = worst.factor(name)
		}
		o.Breaks = strings.Fields(v.data.Env[BreaksKey+name])
		if o.Questions > 0 || len(o.Breaks) > 0 {
			list = append(list, o)
		}
	}
	return list
}

// say writes how it stands.
func (o CardOwn) say() string {
	said, behind := o.Name+": ", "none"
	if f := o.AtWorst; f != nil {
		said += fmt.Sprintf("%s× %s as %s at %s; ", short(f.Ratio), f.takes, f.Against, f.Question)
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
func (o CardOwn) rules() string {
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
