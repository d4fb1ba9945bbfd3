package report

import (
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/report/card"
)

// NewCard returns what a run comes to, by package judge.
func NewCard(d *rundata.Data, opt Options) card.Card {
	v := newView(d, opt)
	wrong := v.wrongAnswers()
	f := v.family(wrong)
	take := v.take(f, wrong)
	c := card.Card{
		Schema: card.Schema, Run: v.cardRun(), Wrong: wrong, Cautions: v.cautions(), Needed: v.needed(take),
		Take: take, Tick: v.cardTick(), Worst: v.cardTable(f.questions), Geometry: v.geometry(), Checks: v.cardChecks(),
		Own: v.cardOwn(f.questions),
	}
	c.Open = v.open(f.questions, c)
	if len(take.Names) > 0 {
		name := take.Names[0]
		c.Because, c.Unless, c.Slow = v.because(name, f), unless(name, f.questions), v.slowTrap(name, f)
		c.Take.Tickless = v.ticklessMeets(name)
	}
	return c
}

// factor returns a comparison as a card has it.
func factor(name, against, question, takes string, c judge.Comparison) *card.Factor {
	return &card.Factor{Name: name, Against: against, Question: question, Ratio: card.Figure(c.Ratio), Low: card.Figure(c.Low), High: card.Figure(c.High),
		Blocks: c.Blocks, Answer: c.Answer.String(), Takes: takes}
}

// factor returns how a stand compares with the best.
func (s stand) factor(name string) *card.Factor {
	return factor(name, s.here.First().Name, s.spot(), s.takes, s.toFirst)
}

// geometry returns the geometries of the contestants of a card, as far as the data say them.
func (v *view) geometry() (all []card.Geometry) {
	for _, name := range append([]string{rundata.Wheels}, v.names...) {
		if text := v.data.Env[rundata.GeometryKey+name]; text != "" && !preset(name) {
			all = append(all, card.Geometry{Name: name, Text: text})
		}
	}
	return all
}
