package report

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
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

// WrongAnswers returns an error that names the contestants whose answers were wrong, and nil if
// there are none.
func WrongAnswers(d *rundata.Data) error {
	var said []string
	for _, w := range (&view{data: d, names: contenders(d)}).wrongAnswers() {
		said = append(said, w.Name+" "+w.Did())
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New("answers were wrong: " + strings.Join(said, "; "))
}

// wrongAnswers returns the contestants whose answers were wrong. What an A/A series gets wrong
// is wrong of its contestant; a control stands by itself.
func (v *view) wrongAnswers() (all []card.Wrong) {
	names := slices.Clone(v.names)
	of := map[string]*card.Wrong{}
	for _, s := range v.data.Series {
		name := cmp.Or(strings.TrimSuffix(s.Get("impl"), rundata.AASuffix), strings.ToLower(s.Experiment))
		if of[name] == nil {
			of[name] = &card.Wrong{Name: name, Control: control(name) || name == rundata.SleepControl}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		w := of[name]
		w.Lost, w.Early, w.Doubled = w.Lost+int(total(s, rundata.Lost)), w.Early+int(total(s, rundata.Early)), w.Doubled+int(total(s, rundata.Doubled))
		if profile := s.Get("profile"); s.State() == rundata.Wrong && !slices.Contains(w.Replays, profile) {
			w.Replays = append(w.Replays, profile)
		}
	}
	for _, name := range names {
		if w := of[name]; w != nil && w.Lost+w.Early+w.Doubled+len(w.Replays) > 0 {
			all = append(all, *w)
		}
	}
	return all
}

// cardTick returns what ticks give, and which is recommended; nil if no tick was measured.
func (v *view) cardTick() *card.Tick {
	impl := v.subject()
	if impl == "" {
		return nil
	}
	req := v.opt.Requirement
	fixed, free := v.wakingCosts(impl, req.limits())
	if len(fixed) == 0 {
		return nil
	}
	t := &card.Tick{Name: impl, P99: card.Figure(req.P99.Seconds()), CPU: card.Figure(req.CPUShare), Least: card.Figure(v.leastIdle())}
	if best := longest(fixed); best >= 0 && req != (Requirement{}) {
		t.Tick = fixed[best].name()
	}
	if free != nil {
		fixed = append(fixed, *free)
	}
	for _, p := range fixed {
		t.Ticks = append(t.Ticks, card.TickGives{Tick: p.name(), P99: card.Figure(p.late.Value), CPU: card.Figure(p.cpu.Value), Meets: p.meets().String()})
	}
	return t
}

// leastShare is the least share of a core that any run can measure.
const leastShare = 0.0005

// leastIdle is the least share of a core that the run can measure: it knows what the idle
// process takes no better.
func (v *view) leastIdle() float64 {
	process := judge.Mean(share(v.process(v.idlePending())))
	if reach := process.High - process.Value; reach > leastShare && !math.IsInf(reach, 1) {
		return reach
	}
	return leastShare
}

// ticklessMeets reports whether a choice keeps the limits without ticks. A contestant that has
// no ticks is not asked.
func (v *view) ticklessMeets(impl string) bool {
	if v.opt.Requirement == (Requirement{}) || impl == catalog.RuntimeTimer {
		return false
	}
	_, free := v.wakingCosts(impl, v.opt.Requirement.limits())
	return free != nil && free.timed() && free.costed() && free.meets() == judge.Holds
}
