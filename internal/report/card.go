package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedbench/catalog"
	"schedbench/harness"
	"schedbench/harness/rundata"
	"schedbench/internal/judge"
	"schedbench/internal/lists"
	"schedbench/internal/report/card"
	"schedbench/internal/tune"
	"schedbench/internal/words"
)

// Card returns what a run comes to.
func (v *Report) Card() card.Card {
	f := v.family()
	take := v.take(f)
	c := card.Card{
		Schema: card.Schema, Run: v.cardRun(), Wrong: v.wrong, Cautions: v.cautions(), Needed: v.needed(take),
		Take: take, Tick: v.cardTick(), Worst: v.cardTable(f.cells), Geometry: v.geometry(), Checks: v.cardChecks(),
		Own: v.cardOwn(f.cells),
	}
	c.Open = v.open(c)
	if len(take.Names) > 0 {
		name := take.Names[0]
		c.Because, c.Unless, c.Slow = v.because(name, f), exceptions(name, take.Out, f.cells), v.slowTrap(name, f)
		c.Take.Tickless = v.ticklessMeets(name)
	}
	return c
}

func (a versus) factor() *card.Factor {
	return &card.Factor{Name: a.name, Against: a.against, Cell: a.named(), Ratio: card.Figure(a.Value), Low: card.Figure(a.Low), High: card.Figure(a.High),
		Blocks: a.Blocks, Answer: a.Answer.String(), Explains: !a.measure.votes, Takes: a.measure.takes}
}

// geometry returns the geometries of the contestants of a card, as far as the data say them.
func (v *Report) geometry() (all []card.Geometry) {
	for _, name := range append([]string{rundata.Wheels}, v.names...) {
		if text := v.data.Env[rundata.GeometryKey+name]; text != "" && !preset(name) {
			all = append(all, card.Geometry{Name: name, Text: text})
		}
	}
	return all
}

// WrongAnswers returns an error that names the contestants whose answers were wrong, and nil if there are none.
func (v *Report) WrongAnswers() error {
	if len(v.wrong) == 0 {
		return nil
	}
	return errors.New("answers were wrong: " + strings.Join(lists.Each(v.wrong, func(w card.Wrong) string { return w.Name + " " + w.Did() }), "; "))
}

// wrongAnswers returns the contestants whose answers were wrong, in the order of some names. What an A/A series gets
// wrong is wrong of its contestant; a control stands by itself.
func wrongAnswers(d *rundata.Data, names []string) (all []card.Wrong) {
	nameOf := func(s *rundata.Series) string {
		return cmp.Or(strings.TrimSuffix(s.Get("impl"), rundata.AASuffix), strings.ToLower(s.Experiment))
	}
	for _, of := range lists.Groups(d.Series, nameOf) {
		w := card.Wrong{Name: nameOf(of[0]), Control: control(nameOf(of[0]))}
		for _, more := range lists.Each(of, wrongIn) {
			w.Lost, w.Early, w.Doubled = w.Lost+more.Lost, w.Early+more.Early, w.Doubled+more.Doubled
			w.Replays = including(w.Replays, more.Replays...)
		}
		if w.Did() != "" {
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b card.Wrong) int { return placeIn(names, a.Name) - placeIn(names, b.Name) })
	return all
}

// cardTick returns what ticks give, and which is recommended; nil if no tick was measured.
func (v *Report) cardTick() *card.Tick {
	impl := v.ticking()
	if impl == "" {
		return nil
	}
	all := v.wakingCosts(impl)
	if !slices.ContainsFunc(all, func(p wakingCost) bool { return p.tick > 0 }) {
		return nil
	}
	req := v.opt.Requirement
	t := &card.Tick{Name: impl, P99: card.Figure(req.Lateness.Seconds()), CPU: card.Figure(req.CPU), Least: card.Figure(v.leastIdle())}
	if tick := v.recommended(); tick > 0 {
		t.Tick = words.Span(float64(tick))
	}
	for _, p := range all {
		t.Ticks = append(t.Ticks, card.TickGives{Tick: p.name(), P99: card.Figure(p.late.Value), CPU: card.Figure(p.cpu.Value), Meets: p.meets.String()})
	}
	return t
}

// leastShare is the least share of a core that any run can measure.
const leastShare = 0.0005

// leastIdle is the least share of a core that the run can measure: as far as the interval of the idle process reaches
// above its median, and at least leastShare.
func (v *Report) leastIdle() float64 {
	process := judge.Middle(share(v.process(v.idlePending())))
	if reach := process.High - process.Value; reach > leastShare && !math.IsInf(reach, 1) {
		return reach
	}
	return leastShare
}

// ticklessMeets reports whether a choice keeps the limits without ticks. A contestant that has no ticks is not asked.
func (v *Report) ticklessMeets(impl string) bool {
	if v.opt.Requirement == (tune.Requirements{}) || impl == catalog.RuntimeTimer {
		return false
	}
	return slices.ContainsFunc(v.wakingCosts(impl), func(p wakingCost) bool {
		return p.tick == 0 && p.timed() && p.costed() && p.meets == judge.Holds
	})
}

// leastBlocks are those with which the medians have intervals: see judge.Summary.
const leastBlocks = 6

// cautions say why a run is not worth trusting, the gravest first.
func (v *Report) cautions() (all []card.Caution) {
	add := func(grave bool, format string, args ...any) {
		all = append(all, card.Caution{Grave: grave, What: fmt.Sprintf(format, args...)})
	}
	if by := v.data.Env["slowed-by"]; by != "" {
		add(true, "the program was built with: %s", by)
	}
	seem, of := v.aa()
	if chance := judge.Chance(seem, of); chance < 0.01 { // of at least as many
		add(chance < 0.0001, "A/A differs in %d of %s; by chance %s would",
			seem, words.Many(of, "cell"), words.Number(float64(of)*(1-judge.Confidence)))
	}
	v.cautionControls(add)
	v.cautionTick(add)
	v.cautionsAround(add)
	if processors, limited := rundata.Quota(v.data.Env); limited && processors < float64(v.cores()) {
		add(false, "a quota leaves the run the time of %s of %s (cgroup)", words.Number(processors), words.Many(v.cores(), "processor"))
	}
	if fewest, most := v.fewBlocks(); fewest < leastBlocks {
		blocks := words.Many(fewest, "block")
		if most > fewest {
			blocks = fmt.Sprintf("%d to %s", fewest, words.Many(most, "block"))
		}
		add(false, "some figures have %s, fewer than %d: their intervals are wide", blocks, leastBlocks)
	}
	if n := len(v.data.Lost); n > 0 {
		add(false, "%s, since the process died (%s)", words.Verb(n, "block is missing", "blocks are missing"), strings.Join(v.data.Lost, "; "))
	}
	if !v.data.Complete && len(v.data.Series) > 0 {
		lacking := "some of it is missing"
		if n := len(v.data.Missing); n > 0 {
			lacking = words.Verb(n, "cell is missing", "cells are missing")
		}
		add(false, "the run is not complete: %s", lacking)
	}
	grave := lists.Only(all, func(c card.Caution) bool { return c.Grave })
	return append(grave, slices.DeleteFunc(all, func(c card.Caution) bool { return c.Grave })...)
}

// cautionsAround adds what the machine did besides.
func (v *Report) cautionsAround(add func(grave bool, format string, args ...any)) {
	const graveBusy = 0.10 // share of the processors' time that others took
	around, cores := v.data.SystemLoad, v.cores()
	stolen := shareOfAll(around, func(a rundata.SystemLoad) float64 { return a.Stolen.Seconds() / a.Took.Seconds() / float64(cores) })
	busy := shareOfAll(around, func(a rundata.SystemLoad) float64 { return a.Others }) // the host's others included
	if stolen > rundata.NoticedBusy {
		add(stolen > graveBusy, "the host gave %s of the processors' time to others", words.Share(stolen))
	}
	if others := busy - max(stolen, 0); others > rundata.NoticedBusy {
		add(others > graveBusy, "other processes took %s of the processors' time", words.Share(others))
	}
	if slices.ContainsFunc(around, func(a rundata.SystemLoad) bool { return a.Battery }) {
		add(false, "the machine ran on its battery")
	}
}

// shareOfAll is the mean of a share over all blocks, weighted by their times. It is negative if no block has the share.
func shareOfAll(around []rundata.SystemLoad, share func(rundata.SystemLoad) float64) float64 {
	sum, took := 0.0, 0.0
	for _, a := range around {
		if s := share(a); a.Took > 0 && s >= 0 && !math.IsInf(s, 1) { // a machine of no processors has an infinite share
			sum, took = sum+s*a.Took.Seconds(), took+a.Took.Seconds()
		}
	}
	if took == 0 {
		return -1
	}
	return sum / took
}

// cores returns how many processors the machine has, 0 if the data do not say.
func (v *Report) cores() int {
	return int(number(cmp.Or(v.data.Env["cpus"], v.data.Env["gomaxprocs"])))
}

// fewBlocks returns the fewest and the most blocks of those comparisons that have fewer than leastBlocks. Where more timers
// are pending than harness.MostJudged, one block is all that a run plans.
func (v *Report) fewBlocks() (fewest, most int) {
	fewest = math.MaxInt
	for t, p := range v.cells() {
		planned := slices.ContainsFunc(t.of.values(), func(n string) bool {
			return t.of.key == "pending" && number(n) > harness.MostJudged && t.of.nameOf(n) == p.name
		})
		for _, s := range p.Behind() {
			if n := s.ToFirst.Blocks; n < leastBlocks && !(n == 1 && planned) {
				fewest, most = min(fewest, n), max(most, n)
			}
		}
	}
	return fewest, most
}

func (v *Report) cardRun() card.Run {
	env := v.data.Env
	system := env["goos"]
	if kernel := strings.SplitN(env["kernel"], ".", 3); len(kernel) > 1 {
		minor, _, _ := strings.Cut(kernel[1], "-")
		system += " " + kernel[0] + "." + minor
	}
	return card.Run{
		Machine: env["cpu"], Cores: v.cores(), Go: env["go-version"], System: system,
		Seconds:  timeTaken(v.data.SystemLoad).Seconds(),
		Complete: v.data.Complete, Margin: card.Figure(v.marginRatio() - 1), Resolves: card.Figure(v.resolves()),
	}
}

// resolves is the smallest difference, as a share, that is significant in half of the comparisons with the
// best: NaN without any. It skips comparisons whose difference may be too small to notice.
func (v *Report) resolves() float64 {
	var least []float64
	for _, p := range v.cells() {
		if p.negligible == 0 {
			for _, s := range p.Behind() {
				least = append(least, s.ToFirst.Resolves())
			}
		}
	}
	if len(least) == 0 {
		return math.NaN()
	}
	slices.Sort(least)
	return least[len(least)/2] - 1
}

func (v *Report) cardChecks() card.Checks {
	early := func(s *rundata.Series) bool { return total(s, rundata.EarlyByDesign) > 0 }
	c := card.Checks{EarlyByDesign: lists.Only(v.names, func(name string) bool { return slices.ContainsFunc(v.data.Select("", "impl="+name), early) })}
	for _, s := range v.data.Series {
		c.Fired += int(total(s, rundata.Fired))
	}
	for _, s := range v.data.Select(rundata.Profiles) {
		if values := samples(s, rundata.TotalOps); len(values) > 0 && !control(s.Get("impl")) {
			c.Replayed += int(values[0])
		}
	}
	return c
}
